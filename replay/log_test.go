package replay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// appendAll appends games to the folder's log and commits after every `every` of them.
func appendAll(
	fsys vfs.FS, dir string, games []*record.Game, perSegment, every int,
) (committed int, err error) {
	l, err := OpenLog(fsys, dir, perSegment)
	if err != nil {
		return 0, err
	}
	for i, g := range games {
		if err := l.Append(g); err != nil {
			return committed, err
		}
		if (i+1)%every == 0 {
			if err := l.Commit(); err != nil {
				return committed, err
			}
			committed = i + 1
		}
	}
	if err := l.Close(); err != nil {
		return committed, err
	}
	return len(games), nil
}

func numbers(games []*record.Game) string {
	var list []string
	for _, g := range games {
		list = append(list, fmt.Sprint(g.Number))
	}
	return strings.Join(list, " ")
}

func TestLogOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "first", "replay")
	games := recordtest.PlayMany(10, 1)
	if n, err := appendAll(vfs.OS{}, dir, games[:7], 3, 2); n != 7 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := appendAll(vfs.OS{}, dir, games[7:], 3, 1); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	segments, err := Segments(vfs.OS{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range segments {
		names = append(names, filepath.Base(s.Path))
	}
	if got := strings.Join(names, " "); got !=
		"000000.games 000001.games 000002.games 000003.games" {
		t.Fatalf("segments %s", got)
	}
	got, damages, err := Load(vfs.OS{}, dir)
	if err != nil || len(damages) > 0 {
		t.Fatal(damages, err)
	}
	if diff := recordtest.Difference(games, got); diff != "" {
		t.Fatalf("%s", diff)
	}
	for _, c := range []struct {
		from, before uint64
		want         string
	}{
		{6, 100, "6 7 8 9"}, {9, 100, "9"}, {4, 8, "4 5 6 7"}, {0, 8, "0 1 2 3 4 5 6 7"},
		{0, 0, ""}, {100, 100, ""}, {50, 100, ""},
	} {
		got, _, err := loadRange(vfs.OS{}, dir, c.from, c.before)
		if err != nil || numbers(got) != c.want {
			t.Errorf("games from %d, before %d: %q, %v; want %q",
				c.from, c.before, numbers(got), err, c.want)
		}
	}
	if got, damages, err := Load(vfs.OS{}, filepath.Join(dir, "none")); len(got) > 0 ||
		len(damages) > 0 || err != nil {
		t.Errorf("no folder: %v, %v, %v", got, damages, err)
	}
}

func TestLogRefuses(t *testing.T) {
	games := recordtest.PlayMany(3, 1)
	fsys := vfstest.NewMemory()
	if _, err := OpenLog(fsys, "replay", 0); err == nil {
		t.Error("segments of no games are accepted")
	}
	l, err := OpenLog(fsys, "replay", 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(games[1]); err != nil {
		t.Fatal(err)
	}
	for _, g := range games[:2] {
		if err := l.Append(g); err == nil || !strings.Contains(err.Error(), "follows game 1") {
			t.Errorf("game %d after game 1: got error %v", g.Number, err)
		}
	}
	bad := *games[2]
	bad.Seats = nil
	if err := l.Append(&bad); err == nil {
		t.Error("a record without seats is accepted")
	}
	if err := l.Append(games[2]); err != nil {
		t.Fatalf("after a refused record: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, damages, err := Load(fsys, "replay")
	if numbers(got) != "1 2" || len(damages) > 0 || err != nil {
		t.Fatalf("%s, %v, %v", numbers(got), damages, err)
	}
}

// A run that resumes from an earlier game replaces the games after it.
func TestLaterSegmentsReplaceEarlierOnes(t *testing.T) {
	fsys := vfstest.NewMemory()
	type key struct {
		number uint64
		seed   uint64
	}
	var want []key // computed by truncating and appending
	for session := range uint64(5) {
		from := []int{0, 12, 12, 5, 20}[session]
		if from < len(want) {
			want = want[:from]
		}
		var games []*record.Game
		for i := range []int{15, 3, 6, 16, 2}[session] {
			g := recordtest.PlayPairs(uint64(from+i), random.New(session, random.Test, uint64(i)))
			g.Seed = session
			games = append(games, g)
			want = append(want, key{g.Number, session})
		}
		if _, err := appendAll(fsys, "replay", games, 4, 1); err != nil {
			t.Fatal(err)
		}
		got, damages, err := Load(fsys, "replay")
		if err != nil || len(damages) > 0 {
			t.Fatal(damages, err)
		}
		var have []key
		for _, g := range got {
			have = append(have, key{g.Number, g.Seed})
		}
		if fmt.Sprint(have) != fmt.Sprint(want) {
			t.Fatalf("after session %d:\n got %v\nwant %v", session, have, want)
		}
	}
}

// Whichever operation fails, and however the machine stops after it, Load returns
// every committed game and no game that was never appended, and appending to the same
// folder works again.
func TestLogSurvivesEveryFault(t *testing.T) {
	games := recordtest.PlayMany(9, 2)
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
		for cut := range 4 {
			for n := 1; ; n++ {
				disk := vfstest.NewMemory()
				fsys := vfstest.NewFaulty(disk, vfstest.At(n, mode))
				committed, err := appendAll(fsys, "run/replay", games[:7], 3, 2)
				failed := fsys.Failed()
				fsys.Inject(nil)
				if failed != nil && err == nil && mode == vfstest.Dead {
					t.Fatalf("operation %d fails without an error", n)
				}
				switch cut {
				case 0:
				case 1:
					disk.PowerCut(nil)
				default:
					disk.PowerCut(random.New(uint64(n), random.Test, uint64(cut)))
				}
				got, damages, err := Load(fsys, "run/replay")
				if err != nil {
					t.Fatalf("mode %d, cut %d, operation %d: %v", mode, cut, n, err)
				}
				if len(got) < committed || len(got) > 7 {
					t.Fatalf(
						"mode %d, cut %d, operation %d: %d games committed, %d read; damages %v",
						mode, cut, n, committed, len(got), damages)
				}
				if diff := recordtest.Difference(games[:len(got)], got); diff != "" {
					t.Fatalf("mode %d, cut %d, operation %d: %s", mode, cut, n, diff)
				}
				if _, err := appendAll(fsys, "run/replay", games[committed:], 3, 2); err != nil {
					t.Fatalf("appending again: %v", err)
				}
				if got, _, err = Load(fsys, "run/replay"); err != nil ||
					numbers(got) != numbers(games) {
					t.Fatalf("mode %d, cut %d, operation %d: after appending again: %s, %v",
						mode, cut, n, numbers(got), err)
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

// After an error the log is unusable: a failed fsync must not be followed by one that succeeds.
func TestLogStaysFailed(t *testing.T) {
	games := recordtest.PlayMany(4, 3)
	fsys := vfstest.NewFaulty(vfstest.NewMemory(), nil)
	l, err := OpenLog(fsys, "replay", 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Append(games[0]); err != nil {
		t.Fatal(err)
	}
	fsys.Inject(vfstest.At(2, vfstest.Once)) // write, then sync
	if err := l.Commit(); !errors.Is(err, vfstest.ErrInjected) ||
		!strings.Contains(err.Error(), "000000.games: sync") {
		t.Fatalf("got error %v", err)
	}
	for name, err := range map[string]error{
		"Append": l.Append(games[1]), "Commit": l.Commit(), "Close": l.Close(),
	} {
		if !errors.Is(err, vfstest.ErrInjected) {
			t.Errorf("%s after a failed fsync: got error %v", name, err)
		}
	}
}

func TestLoadPassesOverDamage(t *testing.T) {
	dir := t.TempDir()
	games := recordtest.PlayMany(6, 4)
	for i := range 3 {
		data, offsets := segment(t, games[2*i:2*i+2])
		if i == 1 {
			data[offsets[0]+record.HeadSize] ^= 1
		}
		if err := os.WriteFile(filepath.Join(dir, segmentName(i)), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	got, damages, err := Load(vfs.OS{}, dir)
	if err != nil || numbers(got) != "0 1 3 4 5" {
		t.Fatalf("%s, %v", numbers(got), err)
	}
	if len(damages) != 1 || filepath.Base(damages[0].Path) != "000001.games" ||
		damages[0].Offset != headerSize || damages[0].Torn {
		t.Fatalf("damages %v", damages)
	}
}

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
				if err := syncFolder(fsys, "run/replay"); err != nil {
					t.Fatal(err)
				}
			}
			before, _, err := Load(fsys, "run/replay")
			if err != nil {
				t.Fatal(err)
			}
			disk.PowerCut(nil)
			after, _, err := Load(fsys, "run/replay")
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
		err := syncFolder(fsys, "replay")
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
	if err := syncFolder(vfstest.NewMemory(), "none"); err != nil {
		t.Errorf("no folder: %v", err)
	}
}
