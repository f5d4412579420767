package checkpoints

import (
	"fmt"
	"path/filepath"
	"testing"

	"tengen/internal/random"
	"tengen/vfs/vfstest"
)

func TestRetain(t *testing.T) {
	for _, c := range []struct {
		policy  Policy
		damaged []int
		want    string
	}{
		{Policy{}, nil, "10"},
		{Policy{KeepLast: 1}, nil, "10"},
		{Policy{KeepLast: 3}, nil, "8 9 10"},
		{Policy{KeepLast: 99}, nil, "0 1 2 3 4 5 6 7 8 9 10"},
		{Policy{PerOctave: 1}, nil, "0 4 8 9 10"},
		{Policy{PerOctave: 2}, nil, "0 4 6 7 8 9 10"},
		{Policy{KeepLast: 3, PerOctave: 1, Keep: []int{3, 77}}, nil, "0 3 4 8 9 10"},
		// The newest valid one stays, and damaged ones newer than it.
		{Policy{KeepLast: 1}, []int{10}, "9 10"},
		{Policy{KeepLast: 1}, []int{9, 10}, "8 9 10"},
		{Policy{KeepLast: 2}, []int{9, 10}, "7 8 9 10"},
		{Policy{KeepLast: 1}, []int{5, 9}, "10"},
		{Policy{}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "0 1 2 3 4 5 6 7 8 9 10"},
	} {
		s := Store{FS: vfstest.NewMemory(), Dir: "c"}
		save(t, s, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
		for _, i := range c.damaged {
			rewrite(t, s.FS, filepath.Join(s.path(i), stateFile), []byte("{}"))
		}
		if err := s.Keeper().Retain(c.policy); err != nil {
			t.Fatal(err)
		}
		if got := iterations(t, s); got != c.want {
			t.Errorf("%+v, damaged %v: %s are left, want %s", c.policy, c.damaged, got, c.want)
		}
	}
	for _, p := range []Policy{{KeepLast: -1}, {PerOctave: -1}} {
		if err := onDisk(t.TempDir()).Keeper().Retain(p); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	none := onDisk(filepath.Join(t.TempDir(), "none"))
	if err := none.Keeper().Retain(Policy{KeepLast: 1}); err != nil {
		t.Errorf("no folder: %v", err)
	}
}

// Whichever operation fails, no checkpoint is left incomplete, and the newest stays.
func TestRetainSurvivesEveryFault(t *testing.T) {
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
		for cut := range 4 {
			for n := 1; ; n++ {
				disk := vfstest.NewMemory()
				fsys := vfstest.NewFaulty(disk, nil)
				s := Store{FS: fsys, Dir: "c"}
				save(t, s, 1, 2, 3)
				fsys.Inject(vfstest.At(n, mode))
				err := s.Keeper().Retain(Policy{KeepLast: 1})
				failed := fsys.Failed()
				fsys.Inject(nil)
				switch cut {
				case 0:
				case 1:
					disk.PowerCut(nil)
				default:
					disk.PowerCut(random.New(uint64(n), random.Test, uint64(cut)))
				}
				where := fmt.Sprintf("mode %d, cut %d, operation %d, error %v", mode, cut, n, err)
				list, e := s.List()
				if e != nil {
					t.Fatalf("%s: %v", where, e)
				}
				for _, entry := range list {
					c, e := s.Load(entry.Path)
					if e != nil {
						t.Fatalf("%s: %v", where, e)
					}
					same(t, c, sample(t, entry.Iteration))
				}
				if got := iterations(t, s); list[len(list)-1].Iteration != 3 ||
					err == nil && got != "3" {
					t.Fatalf("%s: %s are left", where, got)
				}
				err = s.Keeper().Retain(Policy{KeepLast: 1})
				if got := iterations(t, s); err != nil || got != "3" {
					t.Fatalf("%s: afterwards: %v, %s are left", where, err, got)
				}
				if failed == nil {
					if n < 10 {
						t.Fatalf("only %d operations were made", n-1)
					}
					break
				}
			}
		}
	}
}
