package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// loadRange returns the games with numbers from from to below before.
func loadRange(
	fsys vfs.FS, dir string, from, before uint64,
) (games []*record.Game, damages []*Damage, err error) {
	parts, err := partsOf(fsys, dir)
	if err != nil {
		return nil, nil, err
	}
	s := scan{fsys: fsys, parts: parts, from: from, before: before}
	damages, err = s.all(func(p *record.Packed) error {
		games = append(games, p.Game())
		return nil
	})
	return games, damages, err
}

// resume resumes a folder and returns the error.
func resume(fsys vfs.FS, dir string, owner Owner) error {
	l, err := OpenLog(fsys, dir, 100)
	if err == nil {
		_, err = l.Resume(owner, nil, 0, 1<<40, func(*record.Packed) error { return nil })
	}
	return err
}

func prune(fsys vfs.FS, dir string, before uint64) (removed []string, err error) {
	l, err := OpenLog(fsys, dir, 100)
	if err != nil {
		return nil, err
	}
	return l.Prune(before)
}

func syncFolder(fsys vfs.FS, dir string) error {
	l, err := OpenLog(fsys, dir, 100)
	if err != nil {
		return err
	}
	return l.sync()
}

// naiveLoad is loadRange by one goroutine that reads segments whole.
func naiveLoad(
	t testing.TB, fsys vfs.FS, dir string, from, before uint64,
) (games []*record.Game, damages []*Damage) {
	t.Helper()
	segments, err := Segments(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(segments) - 1; i >= 0 && before > from; i-- {
		data, err := vfs.ReadFile(fsys, segments[i].Path)
		if err != nil {
			t.Fatal(err)
		}
		all, bad := ReadSegment(segments[i].Path, data)
		first := before
		var part []*record.Game
		for _, g := range all {
			first = min(first, g.Number)
			if g.Number >= from && g.Number < before {
				part = append(part, g)
			}
		}
		damages = append(damages, bad...)
		before = min(before, first)
		games = append(part, games...)
	}
	return games, damages
}

// messy writes a folder of a run that was resumed several times, with damage if seed is odd.
func messy(t testing.TB, seed uint64) (fsys *vfstest.Memory, games int, rng *rand.Rand) {
	t.Helper()
	rng = random.New(seed, random.Test)
	fsys = vfstest.NewMemory()
	games = sessions(t, fsys, "replay", rng)
	segments, err := Segments(fsys, "replay")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range segments {
		if seed%2 == 1 && rng.IntN(3) == 0 {
			damage(t, fsys, s.Path, rng)
		}
	}
	return fsys, games, rng
}

func texts(damages []*Damage) string {
	var b bytes.Buffer
	for _, d := range damages {
		fmt.Fprintln(&b, filepath.Base(d.Path), d.Offset, d.Length, d.Good, d.Torn, d.Err)
	}
	return b.String()
}

// TestLoadAgainstNaive: games and damages are those that reading all segments in order gives.
func TestLoadAgainstNaive(t *testing.T) {
	found, damaged := 0, 0
	for seed := range uint64(400) {
		fsys, total, rng := messy(t, seed)
		from := uint64(rng.IntN(total + 2))
		before := from + uint64(rng.IntN(total+2))
		if rng.IntN(3) == 0 {
			from = 0
		}
		want, wantDamages := naiveLoad(t, fsys, "replay", from, before)
		got, damages, err := loadRange(fsys, "replay", from, before)
		if err != nil {
			t.Fatal(err)
		}
		if diff := recordtest.Difference(want, got); diff != "" {
			t.Fatalf("seed %d, games from %d before %d: %s", seed, from, before, diff)
		}
		if got, want := texts(damages), texts(wantDamages); got != want {
			t.Fatalf("seed %d, games from %d before %d: damages\n%s, not\n%s",
				seed, from, before, got, want)
		}
		found += len(got)
		damaged += len(damages)
	}
	if found < 1000 || damaged < 50 {
		t.Fatalf("%d games and %d damages: the folders don't test much", found, damaged)
	}
}

// TestResumeReadsAhead: games of many segments, more than wait at a time, come in order; an error
// of the callback, or of a file, ends all goroutines.
func TestResumeReadsAhead(t *testing.T) {
	dir := t.TempDir()
	games := recordtest.PlayManyTrees(300, 3)
	if _, err := appendAll(vfs.OS{}, dir, games, 20, 50); err != nil {
		t.Fatal(err)
	}
	parts, err := partsOf(vfs.OS{}, dir)
	if err != nil || len(parts) != 15 {
		t.Fatal(len(parts), err)
	}
	s := &scan{fsys: vfs.OS{}, parts: parts, before: 1 << 40}
	stop := fmt.Errorf("enough")
	for _, limit := range []int64{1, 4 << 10, 1 << 30} {
		for _, most := range []int{0, 1, 130, 1000} {
			q := &queue{scan: s, limit: limit}
			q.changed.L = &q.mu
			for _, p := range slices.Backward(parts) {
				x := &segmentGames{part: p, bound: 1 << 40, checked: true}
				q.segments = append(q.segments, x)
			}
			var got []*record.Game
			err := q.run(func(p *record.Packed) error {
				if len(got) == most {
					return stop
				}
				got = append(got, p.Game())
				return nil
			})
			if want := min(most, len(games)); len(got) != want || (err == stop) != (most < 1000) {
				t.Fatalf("limit %d: %d of %d games, %v", limit, len(got), want, err)
			}
			if diff := recordtest.Difference(games[:len(got)], got); diff != "" {
				t.Fatalf("limit %d: %s", limit, diff)
			}
		}
	}
	if err := os.Remove(parts[7].Path); err != nil {
		t.Fatal(err)
	}
	if err := resume(vfs.OS{}, dir, Owner{Seed: games[0].Seed}); err != nil {
		t.Fatalf("without a segment: %v", err)
	}
}

// TestResumeRefusesOtherRuns: wherever a game or a header of another run is, the error names it.
func TestResumeRefusesOtherRuns(t *testing.T) {
	for seed, where := range []string{"header", "first", "middle"} {
		fsys := vfstest.NewMemory()
		games := recordtest.PlayMany(12, uint64(seed))
		for _, g := range games {
			g.Seed = 7
		}
		l, err := OpenLog(fsys, "replay", 4)
		if err != nil {
			t.Fatal(err)
		}
		l.Run = 5
		for i, g := range games {
			switch {
			case i == 4 && where == "first", i == 6 && where == "middle":
				g.Seed = 8
			case i == 4 && where == "header":
				l.Run = 6
			}
			if err := l.Append(g); err != nil {
				t.Fatal(err)
			}
			if i == 7 {
				l.Run = 5
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		err = resume(fsys, "replay", Owner{Run: 5, Seed: 7})
		if !isOther(err) || !bytes.Contains([]byte(err.Error()), []byte(segmentName(1))) {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// TestBlocks: whatever is asked for, in any order, blocks give the bytes of the file.
func TestBlocks(t *testing.T) {
	rng := random.New(3, random.Test)
	data := make([]byte, 3*blockSize+777)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	b := &blocks{src: bytes.NewReader(data), size: int64(len(data))}
	for range 2000 {
		n := rng.IntN(1 << rng.IntN(20))
		at := rng.IntN(len(data) + 1)
		n = min(n, len(data)-at)
		p := make([]byte, n)
		if k, err := b.ReadAt(p, int64(at)); k != n || err != nil && err != io.EOF ||
			!bytes.Equal(p, data[at:at+n]) {
			t.Fatalf("%d bytes at %d: %d, %v", n, at, k, err)
		}
	}
	b = &blocks{src: bytes.NewReader(data[:100]), size: 1000}
	if k, err := b.ReadAt(make([]byte, 200), 0); k != 100 || err == nil {
		t.Errorf("a file that has become shorter: %d bytes, %v", k, err)
	}
}

func isOther(err error) bool { return err != nil && errors.Is(err, runid.ErrOtherRun) }

// TestResumeChecksByTheRules: games of segments that carry the run's identity are known by their
// checksums if the first is legal; others are replayed, and illegal ones are passed over and told.
func TestResumeChecksByTheRules(t *testing.T) {
	rules := game.Must(game.New("tictactoe"))
	for _, c := range []struct {
		name    string
		illegal []uint64
		spoil   bool // the header
		want    string
		told    int
	}{
		{"a checked segment", []uint64{2}, false, "0 1 2 3", 0},
		{"whose first game is illegal", []uint64{0, 2}, false, "1 3", 2},
		{"whose header is damaged", []uint64{2}, true, "0 1 3", 2},
	} {
		fsys := vfstest.NewMemory()
		l, err := OpenLog(fsys, "replay", 100)
		if err != nil {
			t.Fatal(err)
		}
		l.Run = 7
		for n := range uint64(4) {
			g := ticTacToe(n)
			if slices.Contains(c.illegal, n) {
				g.Moves[1].Action = g.Moves[0].Action
			}
			if err := l.Append(g); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if c.spoil {
			data, err := vfs.ReadFile(fsys, "replay/"+segmentName(0))
			if err != nil {
				t.Fatal(err)
			}
			data[13] ^= 1
			rewriteSegment(t, fsys, "replay/"+segmentName(0), data)
		}
		l, err = OpenLog(fsys, "replay", 100)
		if err != nil {
			t.Fatal(err)
		}
		var got []*record.Game
		damages, err := l.Resume(Owner{Run: 7, Seed: ticTacToe(0).Seed}, rules, 0, 100,
			func(p *record.Packed) error {
				got = append(got, p.Game())
				return nil
			})
		if err != nil || numbers(got) != c.want || len(damages) != c.told {
			t.Errorf("%s: games %s, %v, %v", c.name, numbers(got), damages, err)
		}
		if p := l.parts[0]; p.games != 4 || p.whole != (c.told == 0) {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}
