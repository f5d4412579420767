package replay

import (
	"testing"

	"tengen/replay/record/recordtest"
	"tengen/vfs/vfstest"
)

// Games of a process that was killed at any operation, once read by another process
// that called Sync, survive a power cut; without Sync they would not.
func TestSyncKeepsWhatWasRead(t *testing.T) {
	games := recordtest.PlayMany(7, 2)
	for _, sync := range []bool{true, false} {
		lost := 0
		for n := 1; ; n++ {
			disk := vfstest.NewMemory()
			fsys := vfstest.NewFaulty(disk, vfstest.At(n, vfstest.Dead))
			_, _ = appendAll(fsys, "run/replay", games, 3, 2)
			failed := fsys.Failed()
			fsys.Inject(nil)
			if sync {
				if err := Sync(fsys, "run/replay"); err != nil {
					t.Fatal(err)
				}
			}
			before, _, err := Load(fsys, "run/replay", 100, 100)
			if err != nil {
				t.Fatal(err)
			}
			disk.PowerCut(nil)
			after, _, err := Load(fsys, "run/replay", 100, 100)
			if err != nil {
				t.Fatal(err)
			}
			if numbers(after) != numbers(before) {
				lost++
				if sync {
					t.Fatalf("killed at operation %d: games %s were read, but after a power cut there are %s", n, numbers(before), numbers(after))
				}
			}
			if failed == nil {
				break
			}
		}
		if !sync && lost == 0 {
			t.Error("nothing is lost without Sync either")
		}
	}
}

func TestSyncReportsTheDisk(t *testing.T) {
	for n := 1; ; n++ {
		fsys := vfstest.NewFaulty(vfstest.NewMemory(), nil)
		if _, err := appendAll(fsys, "replay", recordtest.PlayMany(2, 2), 3, 2); err != nil {
			t.Fatal(err)
		}
		fsys.Inject(vfstest.At(n, vfstest.Once))
		err := Sync(fsys, "replay")
		if fsys.Failed() == nil {
			if err != nil || n < 5 {
				t.Fatalf("%d operations, then %v", n-1, err)
			}
			break
		}
		if err == nil {
			t.Fatalf("operation %d fails without an error", n)
		}
	}
	if err := Sync(vfstest.NewMemory(), "none"); err != nil {
		t.Errorf("no folder: %v", err)
	}
}
