package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

// sessions writes the games of a run that was resumed several times from an earlier
// game. The seed of each session's games is the session's number.
func sessions(t testing.TB, fsys vfs.FS, dir string, rng *rand.Rand) (games int) {
	t.Helper()
	for session := range 1 + rng.Uint64N(5) {
		from := games - min(games, rng.IntN(8))
		if rng.IntN(4) == 0 {
			from = games + rng.IntN(4) // games were lost
		}
		var list []*record.Game
		for i := range rng.IntN(15) {
			g := recordtest.PlayPairs(uint64(from+i), random.New(session, random.Test, uint64(i)))
			g.Seed = session
			list = append(list, g)
		}
		if _, err := appendAll(fsys, dir, list, 4, 5); err != nil {
			t.Fatal(err)
		}
		games = from + len(list)
	}
	return games
}

// damage damages a segment: a flipped bit, truncation, noise or another version.
func damage(t testing.TB, fsys vfs.FS, path string, rng *rand.Rand) {
	t.Helper()
	data, err := vfs.ReadFile(fsys, path)
	if err != nil {
		t.Fatal(err)
	}
	switch rng.IntN(5) {
	case 0, 1:
		data[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
	case 2:
		data = data[:rng.IntN(len(data))]
	case 3:
		at := rng.IntN(len(data))
		data = slices.Insert(data, at, bytes.Repeat([]byte{0xab}, 1+rng.IntN(40))...)
	default:
		data[8] = 9
		binary.LittleEndian.PutUint32(data[12:], record.Checksum(data[:12]))
	}
	rewriteSegment(t, fsys, path, data)
}

func rewriteSegment(t testing.TB, fsys vfs.FS, path string, data []byte) {
	t.Helper()
	if err := vfs.WriteFile(fsys, path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// content returns a folder's segments, and the games from a number on that Load
// returns, each with its session.
func content(t testing.TB, fsys vfs.FS, dir string, from uint64) (names []string, games string) {
	t.Helper()
	segments, err := Segments(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range segments {
		names = append(names, filepath.Base(s.Path))
	}
	list, _, err := Load(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, g := range list {
		if g.Number >= from {
			fmt.Fprintf(&b, "%d/%d ", g.Number, g.Seed)
		}
	}
	return names, b.String()
}

// naivePrune returns the segments that Prune should remove, found by reading all games.
func naivePrune(t testing.TB, fsys vfs.FS, dir string, before uint64) (names []string) {
	t.Helper()
	segments, err := Segments(fsys, dir)
	if err != nil {
		t.Fatal(err)
	}
	var unread []string
	for i, s := range segments {
		data, err := vfs.ReadFile(fsys, s.Path)
		if err != nil {
			t.Fatal(err)
		}
		games, damages := ReadSegment(s.Path, data)
		newer := slices.ContainsFunc(damages, func(d *Damage) bool {
			return errors.Is(d, ErrVersion)
		})
		wanted := slices.ContainsFunc(games, func(g *record.Game) bool {
			return g.Number >= before
		})
		if i == len(segments)-1 || newer || wanted {
			break
		}
		unread = append(unread, filepath.Base(s.Path))
		if len(games) > 0 {
			names, unread = append(names, unread...), nil
		}
	}
	return names
}

func TestPruneAgainstNaive(t *testing.T) {
	removals, kept := 0, 0
	for seed := range uint64(400) {
		rng := random.New(seed, random.Test)
		fsys := vfstest.NewMemory()
		total := sessions(t, fsys, "replay", rng)
		segments, err := Segments(fsys, "replay")
		if err != nil {
			t.Fatal(err)
		}
		if seed%2 == 1 {
			for _, s := range segments {
				if rng.IntN(3) == 0 {
					damage(t, fsys, s.Path, rng)
				}
			}
		}
		before := uint64(rng.IntN(total + 3))
		names, games := content(t, fsys, "replay", before)
		want := naivePrune(t, fsys, "replay", before)
		removed, err := prune(fsys, "replay", before)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, path := range removed {
			got = append(got, filepath.Base(path))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d, before %d: removed %v, want %v", seed, before, got, want)
		}
		left, after := content(t, fsys, "replay", before)
		if !slices.Equal(left, names[len(want):]) || after != games {
			t.Fatalf("seed %d, before %d: of %v there are left %v; the games were %s and are %s",
				seed, before, names, left, games, after)
		}
		if removed, err := prune(fsys, "replay", before); len(removed) > 0 || err != nil {
			t.Fatalf("seed %d: a second time, %v go, error %v", seed, removed, err)
		}
		// The run continues in a new segment.
		next := recordtest.PlayPairs(uint64(total), rng)
		if _, err := appendAll(fsys, "replay", []*record.Game{next}, 4, 1); err != nil {
			t.Fatal(err)
		}
		again, _ := content(t, fsys, "replay", before)
		if n := len(again) - 1; n != len(left) ||
			len(names) > 0 && again[n] <= names[len(names)-1] {
			t.Fatalf("seed %d: after %v the segments are %v", seed, names, again)
		}
		removals += len(want)
		kept += len(left)
	}
	if removals < 100 || kept < 100 {
		t.Fatalf("%d segments went, %d stayed: the folders don't test much", removals, kept)
	}
}

// Whichever operation fails, and however the machine stops after it, the games from
// before on are the same, and only the first segments are gone.
func TestPruneSurvivesEveryFault(t *testing.T) {
	build := func() *vfstest.Memory {
		fsys := vfstest.NewMemory()
		for session, part := range [][2]int{{0, 12}, {9, 20}, {20, 21}} {
			var list []*record.Game
			for i := part[0]; i < part[1]; i++ {
				g := recordtest.PlayPairs(uint64(i),
					random.New(uint64(session), random.Test, uint64(i)))
				g.Seed = uint64(session)
				list = append(list, g)
			}
			if _, err := appendAll(fsys, "run/replay", list, 4, 3); err != nil {
				t.Fatal(err)
			}
		}
		return fsys
	}
	const before = 18 // 0–3 4–7 8–11 | 9–12 13–16 | 17–19 20: five segments are removed
	names, games := content(t, build(), "run/replay", before)
	if len(names) != 7 {
		t.Fatalf("segments %v", names)
	}
	for _, mode := range []vfstest.Mode{vfstest.Once, vfstest.Torn, vfstest.Dead} {
		for cut := range 5 {
			for n := 1; ; n++ {
				disk := build()
				fsys := vfstest.NewFaulty(disk, vfstest.At(n, mode))
				removed, err := prune(fsys, "run/replay", before)
				failed := fsys.Failed()
				fsys.Inject(nil)
				where := fmt.Sprintf("mode %d, cut %d, operation %d (%v)", mode, cut, n, failed)
				if (failed == nil) != (err == nil) {
					t.Fatalf("%s: error %v", where, err)
				}
				switch cut {
				case 0:
				case 1:
					disk.PowerCut(nil)
				default:
					disk.PowerCut(random.New(uint64(n), random.Test, uint64(cut)))
				}
				left, after := content(t, fsys, "run/replay", before)
				if after != games {
					t.Fatalf("%s: the games were %s and are %s", where, games, after)
				}
				gone := len(names) - len(left)
				if gone > 5 || !slices.Equal(left, names[gone:]) {
					t.Fatalf("%s: of %v there are left %v", where, names, left)
				}
				// The segments returned are gone, except perhaps the last one, whose
				// removal may not be durable.
				if gone < len(removed)-1 || err == nil && gone != len(removed) {
					t.Fatalf("%s: %d segments were removed, %d are gone", where, len(removed), gone)
				}
				if _, err := prune(fsys, "run/replay", before); err != nil {
					t.Fatalf("%s: again: %v", where, err)
				}
				if left, after := content(t, fsys, "run/replay", before); len(left) != 2 ||
					after != games {
					t.Fatalf("%s: again: there are left %v with %s", where, left, after)
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

// A pruned folder can be loaded.
func TestLoadOfAPrunedFolder(t *testing.T) {
	dir := t.TempDir()
	games := recordtest.PlayMany(20, 6)
	if _, err := appendAll(vfs.OS{}, dir, games, 3, 1); err != nil {
		t.Fatal(err)
	}
	if removed, err := prune(vfs.OS{}, filepath.Join(dir, "none"), 100); len(removed) > 0 ||
		err != nil {
		t.Errorf("no folder: %v, %v", removed, err)
	}
	if removed, err := prune(vfs.OS{}, dir, 0); len(removed) > 0 || err != nil {
		t.Errorf("before game 0: %v, %v", removed, err)
	}
	removed, err := prune(vfs.OS{}, dir, 11) // 0–2 3–5 6–8 9–11 …
	if err != nil || len(removed) != 3 || filepath.Base(removed[2]) != segmentName(2) {
		t.Fatalf("removed %v, error %v", removed, err)
	}
	for _, c := range []struct {
		from, before uint64
		want         string
	}{
		{11, 100, "11 12 13 14 15 16 17 18 19"}, {0, 100, "9 10 11 12 13 14 15 16 17 18 19"},
		{7, 12, "9 10 11"}, {4, 9, ""}, {0, 3, ""},
	} {
		got, damages, err := loadRange(vfs.OS{}, dir, c.from, c.before)
		if err != nil || len(damages) > 0 || numbers(got) != c.want {
			t.Errorf("games from %d, before %d: %q, %v, %v; want %q",
				c.from, c.before, numbers(got), damages, err, c.want)
		}
	}
	if removed, err = prune(vfs.OS{}, dir, math.MaxUint64); err != nil || len(removed) != 3 {
		t.Fatalf("removed %v, error %v", removed, err)
	}
	if got, _, err := Load(vfs.OS{}, dir); err != nil || numbers(got) != "18 19" {
		t.Errorf("of the newest segment there is %q, %v", numbers(got), err)
	}
}

// More records at the end are damaged than Prune remembers.
func TestPruneReadsThroughMuchDamage(t *testing.T) {
	const valid = 3
	fsys := vfstest.NewMemory()
	games := recordtest.PlayMany(remembered+valid+10, 7)
	for _, damaged := range []int{remembered - 1, remembered, remembered + 10} {
		n := valid + damaged
		data, offsets := segment(t, games[:n])
		for i := valid; i < n; i++ {
			data[offsets[i]+record.HeadSize] ^= 1
		}
		rewriteSegment(t, fsys, "a.games", data)
		if last, any, err := lastGame(fsys, "a.games"); last != valid-1 || !any || err != nil {
			t.Errorf("%d damaged records: last game %d, %v, error %v", damaged, last, any, err)
		}
		for i := range valid {
			data[offsets[i]+record.HeadSize] ^= 1
		}
		rewriteSegment(t, fsys, "a.games", data)
		if last, any, err := lastGame(fsys, "a.games"); any || err != nil {
			t.Errorf("all %d records are damaged: last game %d, error %v", n, last, err)
		}
	}
}

// counted counts the bytes read.
type counted struct {
	vfs.FS
	bytes *int
}

type countedFile struct {
	vfs.File
	bytes *int
}

func (c counted) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	f, err := c.FS.OpenFile(name, flag, perm)
	return countedFile{f, c.bytes}, err
}

func (c countedFile) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.File.ReadAt(p, off)
	*c.bytes += n
	return n, err
}

// Prune reads the records' heads and one record, not the games.
func TestPruneReadsLittle(t *testing.T) {
	dir := t.TempDir()
	games := recordtest.PlayManyTrees(60, 3)
	if _, err := appendAll(vfs.OS{}, dir, games, 50, 1); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, segmentName(0)))
	if err != nil {
		t.Fatal(err)
	}
	_, offsets := segment(t, games[:50])
	want := headerSize + offsets[50] - offsets[49] + 49*record.HeadSize + record.HeadSize
	if int64(5*want) > info.Size() {
		t.Fatalf("the games are too small to tell: %d bytes, of which %d are to be read",
			info.Size(), want)
	}
	bytes := 0
	if removed, err := prune(counted{vfs.OS{}, &bytes}, dir, 50); len(removed) != 1 || err != nil {
		t.Fatalf("removed %v, error %v", removed, err)
	}
	if bytes > want {
		t.Errorf("of %d bytes %d were read; %d are enough", info.Size(), bytes, want)
	}
}
