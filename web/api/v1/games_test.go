package v1

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run/runtest"
)

// logOf writes segments of games with the numbers given.
func logOf(t *testing.T, dir string, segments ...[]uint64) {
	t.Helper()
	g := game.Must(game.New("tictactoe"))
	rng := random.New(5, random.Test)
	for _, numbers := range segments {
		log, err := replay.OpenLog(runtest.Unsynced{}, dir, 1<<30)
		runtest.Must(t, err)
		for _, n := range numbers {
			r := runtest.RandomGame(g, rng)
			r.Number = n
			runtest.Must(t, log.Append(r))
		}
		runtest.Must(t, log.Close())
	}
}

func numbers(from, to uint64) (list []uint64) {
	for n := from; n < to; n++ {
		list = append(list, n)
	}
	return list
}

// all pages through the list.
func all(t *testing.T, x *games, page int) (list []*record.Game) {
	t.Helper()
	before := uint64(noGame)
	for {
		part, err := x.list(before, page)
		runtest.Must(t, err)
		if len(part) == 0 {
			return list
		}
		list = append(list, part...)
		before = part[len(part)-1].Number
	}
}

// The list is what replay.Load, which reads as resumed runs do, makes of the folder,
// newest first; whatever the page, and whatever was damaged or replaced.
func TestGamesAgainstLoad(t *testing.T) {
	dir := t.TempDir()
	logOf(t, dir, numbers(0, 20), numbers(20, 45), numbers(30, 50), nil, numbers(50, 51))
	damage := func(name string, at int) {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		runtest.Must(t, err)
		if at < 0 {
			data = data[:len(data)+at]
		} else {
			data[at] ^= 0x55
		}
		runtest.Must(t, os.WriteFile(path, data, 0o644))
	}
	check := func(what string) {
		t.Helper()
		want, _, err := replay.Load(runtest.Unsynced{}, dir)
		runtest.Must(t, err)
		slices.Reverse(want)
		for _, page := range []int{1, 7, 1000} {
			x := &games{dir: dir}
			got := all(t, x, page)
			if len(got) != len(want) {
				t.Fatalf("%s, pages of %d: %d games, want %d", what, page, len(got), len(want))
			}
			for i, f := range got {
				if f.Number != want[i].Number {
					t.Fatalf("%s, pages of %d: game %d is number %d, want %d",
						what, page, i, f.Number, want[i].Number)
				}
				again, err := x.read(f.Number)
				runtest.Must(t, err)
				if again.Number != f.Number {
					t.Errorf("%s: game %d is read instead of %d", what, again.Number, f.Number)
				}
			}
			if _, err := x.read(1000); !errors.Is(err, errNoGame) {
				t.Errorf("%s: a game that was never played: %v", what, err)
			}
		}
	}
	check("sound")
	damage("000000.games", 700) // within a record
	check("a damaged record")
	damage("000002.games", -9)
	check("a torn tail")
	damage("000001.games", 17) // the head of the first record
	damage("000000.games", 3)  // the header
	check("damaged heads")
}

// What a segment grows by is found, and what was there is not looked for again.
func TestGamesOfAGrowingSegment(t *testing.T) {
	whole, dir := t.TempDir(), t.TempDir()
	logOf(t, whole, numbers(0, 30))
	data, err := os.ReadFile(filepath.Join(whole, "000000.games"))
	runtest.Must(t, err)
	x := &games{dir: dir}
	seen := 0
	for n := 0; ; n += 333 {
		n = min(n, len(data))
		runtest.Must(t, os.WriteFile(filepath.Join(dir, "000000.games"), data[:n], 0o644))
		list, err := x.list(noGame, 100)
		runtest.Must(t, err)
		if len(list) < seen {
			t.Fatalf("%d games of %d bytes, after %d of fewer", len(list), n, seen)
		}
		seen = len(list)
		want, _ := replay.ReadSegment("cut", data[:n])
		if len(list) != len(want) {
			t.Fatalf("%d games of %d bytes, want %d", len(list), n, len(want))
		}
		if n == len(data) {
			break
		}
	}
	if seen != 30 {
		t.Errorf("%d games in the end", seen)
	}
	// The log may let go of old segments while somebody looks.
	runtest.Must(t, os.Remove(filepath.Join(dir, "000000.games")))
	if _, err := x.read(3); !errors.Is(err, errNoGame) {
		t.Errorf("a game that is gone: %v", err)
	}
	if list, err := x.list(noGame, 10); len(list) > 0 || err != nil {
		t.Errorf("%d games of no segment, %v", len(list), err)
	}
}

// TestGamesOfMergedSegments: whoever has looked at a segment finds its games once another one has
// its place, and pages on where it was.
func TestGamesOfMergedSegments(t *testing.T) {
	dir := t.TempDir()
	for n := range uint64(20) {
		logOf(t, dir, numbers(3*n, 3*n+3))
	}
	x := &games{dir: dir}
	part, err := x.list(noGame, 17)
	runtest.Must(t, err)
	segments, err := replay.Segments(runtest.Unsynced{}, dir)
	runtest.Must(t, err)
	var first [][]byte
	for _, s := range segments {
		data, err := os.ReadFile(s.Path)
		runtest.Must(t, err)
		first = append(first, data)
	}
	const header = 24
	for i := 0; i < len(segments); i += 4 {
		merged := first[i]
		for k := i + 1; k < i+4; k++ {
			merged = append(merged, first[k][header:]...)
			runtest.Must(t, os.Remove(segments[k-1].Path))
		}
		runtest.Must(t, os.WriteFile(segments[i+3].Path, merged, 0o644))
	}
	for len(part) > 0 && part[len(part)-1].Number > 0 {
		more, err := x.list(part[len(part)-1].Number, 7)
		runtest.Must(t, err)
		if len(more) == 0 {
			break
		}
		part = append(part, more...)
	}
	again := all(t, x, 11)
	if len(part) != 60 || len(again) != 60 {
		t.Fatalf("%d and %d games of 60", len(part), len(again))
	}
	for i := range part {
		if n := uint64(59 - i); part[i].Number != n || again[i].Number != n {
			t.Errorf("games %d and %d, not %d", part[i].Number, again[i].Number, n)
		}
	}
}
