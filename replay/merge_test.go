package replay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// opened opens a folder and reads it, as a process that resumes a run does. All games have the
// seed.
func opened(t testing.TB, fsys vfs.FS, dir string, perFile int, seed uint64) *Log {
	t.Helper()
	l, err := OpenLog(fsys, dir, perFile)
	if err == nil {
		ignore := func(*record.Packed) error { return nil }
		_, err = l.Resume(Owner{Seed: seed}, nil, 0, 1<<40, ignore)
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// mergeAll merges what there is to merge.
func mergeAll(l *Log) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := l.removeReplaced(ctx); err != nil {
		return err
	}
	for sources := l.mergeable(); sources != nil; sources = l.mergeable() {
		err := l.merge(ctx, sources)
		l.release(sources)
		if err != nil {
			return err
		}
	}
	return nil
}

// restarts writes the games of a run of many processes of a few games each, some of which begin
// again at an earlier game. All have the seed 0; the iteration tells the process.
func restarts(
	t testing.TB, fsys vfs.FS, dir string, processes, perFile int, rng *rand.Rand,
) (games int) {
	t.Helper()
	for session := range processes {
		from := games
		if rng.IntN(4) == 0 {
			from -= min(games, rng.IntN(12))
		}
		n := rng.IntN(6)
		if rng.IntN(10) == 0 {
			n += perFile
		}
		var list []*record.Game
		for i := range n {
			g := recordtest.PlayPairs(uint64(from+i),
				random.New(uint64(session), random.Test, uint64(i)))
			g.Seed, g.Iteration = 0, session
			list = append(list, g)
		}
		if _, err := appendAll(fsys, dir, list, perFile, 5); err != nil {
			t.Fatal(err)
		}
		games = from + n
	}
	return games
}

// readable tells which games can be read.
func readable(t testing.TB, fsys vfs.FS, dir string) string {
	t.Helper()
	games, _ := naiveLoad(t, fsys, dir, 0, 1<<40)
	text := ""
	for _, g := range games {
		text += fmt.Sprintf("%d/%d ", g.Number, g.Iteration)
	}
	return text
}

// TestMergeKeepsWhatIsReadable: merging changes neither which games are readable, nor damage that
// is not a cut-off tail; and few files are left.
func TestMergeKeepsWhatIsReadable(t *testing.T) {
	merges := 0
	for seed := range uint64(100) {
		rng := random.New(seed, random.Test)
		fsys := vfstest.NewMemory()
		total := restarts(t, fsys, "replay", 5+rng.IntN(60), 40, rng)
		segments, err := Segments(fsys, "replay")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range segments {
			if seed%2 == 1 && rng.IntN(8) == 0 {
				damage(t, fsys, s.Path, rng)
			}
		}
		_, damages := naiveLoad(t, fsys, "replay", 0, 1<<40)
		told := map[string]bool{}
		for _, d := range damages {
			if !d.Torn {
				told[filepath.Base(d.Path)] = true
			}
		}
		want := readable(t, fsys, "replay")
		l := opened(t, fsys, "replay", 40, 0)
		if err := mergeAll(l); err != nil {
			t.Fatal(err)
		}
		if got := readable(t, fsys, "replay"); got != want {
			t.Fatalf("seed %d: the games were\n%s\nand are\n%s", seed, want, got)
		}
		left, err := Segments(fsys, "replay")
		if err != nil || len(left) != len(l.parts) {
			t.Fatal(len(left), len(l.parts), err)
		}
		for i, s := range left {
			delete(told, filepath.Base(s.Path))
			if l.parts[i].SegmentFile != s || l.parts[i].inUse {
				t.Fatalf("seed %d: segment %s is listed as %+v", seed, s.Path, l.parts[i])
			}
		}
		if len(told) > 0 {
			t.Fatalf("seed %d: damage is gone: %v", seed, told)
		}
		read := 0 // the others hold nothing that is not replaced
		for _, p := range l.parts {
			if p.known == everything {
				read++
			}
		}
		if seed%2 == 0 && read > 3*total/40+3*mergeLeast {
			t.Errorf("seed %d: %d of %d segments are left, of %d games",
				seed, read, len(segments), total)
		}
		merges += len(segments) - len(left)
		// What the list tells of segments is so.
		again := opened(t, fsys, "replay", 40, 0)
		for i, p := range again.parts {
			x := *l.parts[i]
			x.whole = p.whole
			if p.known == everything && x != *p {
				t.Fatalf("seed %d: %+v is listed as %+v", seed, p, l.parts[i])
			}
		}
		// Removing old games afterwards is the same as without merging.
		before := uint64(rng.IntN(total + 3))
		if _, err := l.Prune(before); err != nil {
			t.Fatal(err)
		}
		games, _ := naiveLoad(t, fsys, "replay", before, 1<<40)
		if got := len(games); got > 0 && games[0].Number < before {
			t.Fatalf("seed %d: game %d", seed, games[0].Number)
		}
		text := ""
		for _, g := range games {
			text += fmt.Sprintf("%d/%d ", g.Number, g.Iteration)
		}
		if len(want) < len(text) || want[len(want)-len(text):] != text {
			t.Fatalf("seed %d: from %d on the games were\n%s\nand are\n%s", seed, before, want, text)
		}
	}
	if merges < 500 {
		t.Errorf("only %d segments are gone", merges)
	}
}

// TestMergeIsVerbatim: records are copied byte for byte.
func TestMergeIsVerbatim(t *testing.T) {
	fsys := vfstest.NewMemory()
	games := recordtest.PlayManyTrees(mergeLeast, 4)
	for _, g := range games {
		g.Seed = 9
		if _, err := appendAll(fsys, "replay", []*record.Game{g}, 10, 1); err != nil {
			t.Fatal(err)
		}
	}
	want := segmentHeader(0)
	segments, err := Segments(fsys, "replay")
	if err != nil || len(segments) != mergeLeast {
		t.Fatal(segments, err)
	}
	for _, s := range segments {
		data, err := vfs.ReadFile(fsys, s.Path)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, data[headerSize:]...)
	}
	if err := mergeAll(opened(t, fsys, "replay", 100, 9)); err != nil {
		t.Fatal(err)
	}
	left, err := Segments(fsys, "replay")
	if err != nil || len(left) != 1 || left[0] != segments[mergeLeast-1] {
		t.Fatal(left, err)
	}
	if data, err := vfs.ReadFile(fsys, left[0].Path); err != nil || string(data) != string(want) {
		t.Errorf("%d bytes, not %d; %v", len(data), len(want), err)
	}
}

// TestMergeSurvivesEveryFault: whichever operation fails, and however the machine stops after it,
// each game is readable once; and the next process merges the rest.
func TestMergeSurvivesEveryFault(t *testing.T) {
	build := func() *vfstest.Memory {
		fsys := vfstest.NewMemory()
		restarts(t, fsys, "run/replay", 20, 20, random.New(5, random.Test))
		return fsys
	}
	want := readable(t, build(), "run/replay")
	whole := build()
	if err := mergeAll(opened(t, whole, "run/replay", 20, 0)); err != nil {
		t.Fatal(err)
	}
	few, err := Segments(whole, "run/replay")
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
		for cut := range 5 {
			for n := 1; ; n++ {
				disk := build()
				fsys := vfstest.NewFaulty(disk, nil)
				l := opened(t, fsys, "run/replay", 20, 0)
				fsys.Inject(vfstest.At(n, mode))
				err := mergeAll(l)
				failed := fsys.Failed()
				fsys.Inject(nil)
				where := fmt.Sprintf("mode %d, cut %d, operation %d (%v)", mode, cut, n, failed)
				if failed != nil && mode == vfstest.Dead && err == nil {
					t.Fatalf("%s: no error", where)
				}
				if cut == 0 && mode != vfstest.Dead {
					// The process goes on, and removes old games.
					if _, err := l.Prune(10); err != nil {
						t.Fatalf("%s: %v", where, err)
					}
					checkTail(t, fsys, where, want, 10)
				}
				switch cut {
				case 0:
				case 1:
					disk.PowerCut(nil)
				default:
					disk.PowerCut(random.New(uint64(n), random.Test, uint64(cut)))
				}
				if cut > 0 {
					if got := readable(t, fsys, "run/replay"); got != want {
						t.Fatalf("%s: the games were\n%s\nand are\n%s", where, want, got)
					}
					if err := mergeAll(opened(t, fsys, "run/replay", 20, 0)); err != nil {
						t.Fatalf("%s: again: %v", where, err)
					}
					got := readable(t, fsys, "run/replay")
					left, err := Segments(fsys, "run/replay")
					if err != nil || len(left) > len(few)+mergeLeast || got != want {
						t.Fatalf("%s: again: %d segments, %v; the games were\n%s\nand are\n%s",
							where, len(left), err, want, got)
					}
				}
				if failed == nil {
					if n < 20 {
						t.Fatalf("only %d operations were made", n-1)
					}
					break
				}
			}
		}
	}
}

// checkTail checks that the games from a number on are the last of those wanted.
func checkTail(t *testing.T, fsys vfs.FS, where, want string, from uint64) {
	t.Helper()
	text := ""
	games, _ := naiveLoad(t, fsys, "run/replay", from, 1<<40)
	for _, g := range games {
		text += fmt.Sprintf("%d/%d ", g.Number, g.Iteration)
	}
	if len(want) < len(text) || want[len(want)-len(text):] != text || games[0].Number > from {
		t.Fatalf("%s: from %d on the games were\n%s\nand are\n%s", where, from, want, text)
	}
}

// TestMergeBesideAppendAndPrune: while one goroutine appends and another removes, merging keeps the
// files few, and ends when it is told to.
func TestMergeBesideAppendAndPrune(t *testing.T) {
	dir := t.TempDir()
	l, err := OpenLog(vfs.OS{}, dir, 64)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- l.Merge(ctx) }()
	const all, kept = 600, 150
	g := recordtest.PlayMany(1, 3)[0]
	for n := range uint64(all) {
		g.Number = n
		if err := errors.Join(l.Append(g), l.Commit()); err != nil {
			t.Fatal(err)
		}
		if n%3 == 0 {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if n > kept {
			if _, err := l.Prune(n - kept); err != nil {
				t.Fatal(err)
			}
		}
	}
	few := func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.parts) < 6*mergeLeast
	}
	for deadline := time.Now().Add(20 * time.Second); !few() && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil || !few() {
		t.Fatalf("%d segments are left, %v", len(l.parts), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	games, damages, err := Load(vfs.OS{}, dir)
	if err != nil || len(damages) > 0 || games[len(games)-1].Number != all-1 ||
		games[0].Number > all-1-kept {
		t.Fatalf("%d games from %d on, %v, %v", len(games), games[0].Number, damages, err)
	}
	for i, g := range games {
		if g.Number != games[0].Number+uint64(i) {
			t.Fatalf("game %d is missing", games[0].Number+uint64(i))
		}
	}
}
