package replay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/runid"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
	"tengen/vfs"
	"tengen/vfs/vfstest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// segment returns a segment of games and the offset of each record; the last offset is
// the segment's end.
func segment(t testing.TB, games []*record.Game) (data []byte, offsets []int) {
	data = segmentHeader(testRun)
	for _, g := range games {
		offsets = append(offsets, len(data))
		var err error
		if data, err = record.Append(data, g); err != nil {
			t.Fatal(err)
		}
	}
	return data, append(offsets, len(data))
}

func TestSegmentGolden(t *testing.T) {
	for name, want := range map[string]*record.Game{
		"plain": recordtest.HandRecord(), "trees": recordtest.HandTreeRecord(),
		"policy": recordtest.HandPolicyRecord(), "facts": recordtest.HandFactsRecord(),
		"opening":      recordtest.HandOpeningRecord(),
		"asynchronous": recordtest.HandAsynchronousRecord(),
		"resign":       recordtest.HandResignRecord(),
	} {
		path := filepath.Join("testdata", name+Extension)
		if *update {
			data, err := record.Append(segmentHeader(testRun), want)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		games, damages := ReadSegment(path, data)
		if len(games) != 1 || len(damages) != 0 {
			t.Fatalf("%s: %d games, damages %v", name, len(games), damages)
		}
		recordtest.Same(t, games[0], want)
		r := NewReader(path, bytes.NewReader(data), int64(len(data)))
		if _, err := r.Next(); err != nil || r.Run() != testRun {
			t.Errorf("%s: run %v, %v", name, r.Run(), err)
		}
	}
}

// testRun is the run that segments of tests belong to.
const testRun runid.ID = 0x0123456789abcdef

// TestSegmentHeader: the header, and what every damage of a bit makes of it.
func TestSegmentHeader(t *testing.T) {
	head := []byte("TENGENRG\x04\x00\x00\x00\xef\xcd\xab\x89\x67\x45\x23\x01")
	if want := binary.LittleEndian.AppendUint32(bytes.Clone(head),
		crc(head)); !bytes.Equal(segmentHeader(testRun), want) {
		t.Fatalf("got %x, want %x", segmentHeader(testRun), want)
	}
	games := recordtest.PlayMany(3, 2)
	data, _ := segment(t, games)
	for bit := range 8 * headerSize {
		damaged := bytes.Clone(data)
		damaged[bit/8] ^= 1 << (bit % 8)
		r := NewReader("s", bytes.NewReader(damaged), int64(len(damaged)))
		_, err := r.Next()
		var d *Damage
		if !errors.As(err, &d) || d.Offset != 0 || d.Length != headerSize || r.Run() != 0 {
			t.Fatalf("bit %d: %v, run %v", bit, err, r.Run())
		}
		for i := range games {
			if g, err := r.Next(); err != nil || g.Number != games[i].Number {
				t.Fatalf("bit %d, game %d: %v", bit, i, err)
			}
		}
	}
}

// crc computes a CRC-32C bit by bit.
func crc(data []byte) uint32 {
	sum := ^uint32(0)
	for _, b := range data {
		sum ^= uint32(b)
		for range 8 {
			if sum&1 != 0 {
				sum = sum>>1 ^ 0x82f63b78
			} else {
				sum >>= 1
			}
		}
	}
	return ^sum
}

func TestTornTailAtEveryByte(t *testing.T) {
	games := append(recordtest.PlayMany(3, 2), recordtest.PlayManyTrees(4, 2)[3])
	data, offsets := segment(t, games)
	for n := range len(data) + 1 {
		got, damages := ReadSegment("dir/000003.games", data[:n])
		whole, boundary := 0, n == offsets[0]
		for i := range games {
			if offsets[i+1] <= n {
				whole = i + 1
			}
			boundary = boundary || offsets[i+1] == n
		}
		if diff := recordtest.Difference(games[:whole], got); diff != "" {
			t.Fatalf("cut to %d bytes: %s", n, diff)
		}
		if boundary {
			if len(damages) != 0 {
				t.Fatalf("cut to %d bytes, at a record's end: %v", n, damages[0])
			}
			continue
		}
		start := int64(offsets[whole])
		if n < headerSize {
			start = 0
		}
		if len(damages) != 1 {
			t.Fatalf("cut to %d bytes: %d damages", n, len(damages))
		}
		d := damages[0]
		if !d.Torn || d.Good != whole || d.Offset != start || d.Offset+d.Length != int64(n) ||
			!strings.HasPrefix(d.Error(), "000003.games: damaged tail at byte ") {
			t.Fatalf("cut to %d bytes, after %d games from byte %d: %+v (%v)",
				n, whole, start, *d, d)
		}
	}
}

func TestEveryFlippedBitIsFound(t *testing.T) {
	games := recordtest.PlayMany(3, 3)
	games[1] = recordtest.HandTreeRecord()
	games[1].Number = 1
	data, offsets := segment(t, games)
	for bit := range 8 * len(data) {
		damaged := bytes.Clone(data)
		damaged[bit/8] ^= 1 << (bit % 8)
		got, damages := ReadSegment("s", damaged)
		hit := -1 // the record of the bit; -1 is the header
		for i := range games {
			if bit/8 >= offsets[i] {
				hit = i
			}
		}
		if len(damages) != 1 {
			t.Fatalf("bit %d (record %d): %d damages", bit, hit, len(damages))
		}
		wantOffset := int64(0)
		var want []*record.Game
		if hit >= 0 {
			wantOffset = int64(offsets[hit])
			want = append(want, games[:hit]...)
		}
		want = append(want, games[hit+1:]...)
		if d := damages[0]; d.Offset != wantOffset || d.Good != max(hit, 0) ||
			d.Torn != (hit == len(games)-1) {
			t.Fatalf("bit %d (record %d): %+v: %v", bit, hit, *d, d)
		}
		if diff := recordtest.Difference(want, got); diff != "" {
			t.Fatalf("bit %d (record %d): %s", bit, hit, diff)
		}
	}
}

func TestReaderDamages(t *testing.T) {
	games := recordtest.PlayMany(3, 4)
	data, offsets := segment(t, games)
	reseal := func(head []byte) {
		binary.LittleEndian.PutUint32(head[8:], record.Checksum(head[:8]))
	}
	for _, c := range []struct {
		name   string
		damage func(b []byte) []byte
		want   string
		good   int
	}{
		{"nothing at all", func([]byte) []byte {
			return nil
		}, "0 bytes; a segment's header has 24", 0},
		{"other version", func(b []byte) []byte {
			b[8] = 2
			binary.LittleEndian.PutUint32(b[20:], record.Checksum(b[:20]))
			return b
		}, "unknown version 2 of a replay segment; this program reads version 4", 0},
		{"another file", func([]byte) []byte {
			return bytes.Repeat([]byte("YAML: yes\n"), 10)
		}, `it begins with "YAML: ye", not "TENGENRG"`, 0},
		{"absurd length", func(b []byte) []byte {
			head := b[offsets[1]:]
			binary.LittleEndian.PutUint32(head, 0xffffffff)
			reseal(head)
			return b
		}, "the record has 4294967295 bytes, but ", 1},
		{"no game", func(b []byte) []byte {
			payload := []byte("text")
			head := make([]byte, record.HeadSize)
			binary.LittleEndian.PutUint32(head, uint32(len(payload)))
			binary.LittleEndian.PutUint32(head[4:], record.Checksum(payload))
			reseal(head)
			return append(append(b, head...), payload...)
		}, "record version 116; this program reads version 6", 3},
		{"game twice", func(b []byte) []byte {
			return append(b, b[offsets[2]:]...)
		}, "game 2 follows game 2", 3},
		{"zeros at the end", func(b []byte) []byte {
			return append(b, make([]byte, 5000)...)
		}, "the record's head fails its checksum", 3},
	} {
		got, damages := ReadSegment("s", c.damage(bytes.Clone(data)))
		if len(damages) == 0 || !strings.Contains(damages[0].Error(), c.want) ||
			len(got) != c.good {
			t.Errorf("%s: %d games, damages %v, want %q", c.name, len(got), damages, c.want)
		}
	}
}

// The distance to the next valid record is greater than the reader's buffer.
func TestReaderFindsARecordFarAway(t *testing.T) {
	games := recordtest.PlayMany(2, 5)
	data, offsets := segment(t, games)
	for _, gap := range []int{1, 11, 12, 1 << 16, 1<<16 + 1, 1<<17 - 5} {
		far := bytes.Clone(data[:offsets[1]])
		far = append(far, bytes.Repeat([]byte{0xab}, gap)...)
		far = append(far, data[offsets[1]:]...)
		got, damages := ReadSegment("s", far)
		if len(got) != 2 || len(damages) != 1 || damages[0].Length != int64(gap) ||
			damages[0].Torn {
			t.Errorf("%d bytes of noise: %d games, damages %v", gap, len(got), damages)
		}
	}
}

// A game that is too large for a record is refused, and the games around it are kept.
func TestTooLargeRecord(t *testing.T) {
	games := recordtest.PlayMany(3, 8)
	const states = record.MaxSize/8 + 1 // two values each
	games[1].Trees = []record.Tree{
		{Depths: make([]int32, states), Actions: make([]game.Action, states),
			Forced: make([]bool, states), Values: make([]float32, 2*states), Ply: 1},
	}
	for i := range states - 1 {
		games[1].Trees[0].Depths[i+1] = 1
		games[1].Trees[0].Values[2*i] = float32(i & 1)
	}
	games[1].Trees[0].Actions[0] = game.NoAction
	l, err := OpenLog(vfs.OS{}, t.TempDir(), 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, g := range games {
		err := l.Append(g)
		if i != 1 && err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(" bytes, with %d moves and 8388609 tree states; the maximum of a record is 67108864 bytes", len(g.Moves))
		if i == 1 && (err == nil || !strings.HasPrefix(err.Error(), "encode game 1: ") ||
			!strings.HasSuffix(err.Error(), want)) {
			t.Fatalf("got error %v, want %q", err, want)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	back, damages, err := Load(vfs.OS{}, l.dir)
	if err != nil || len(damages) > 0 {
		t.Fatal(err, damages)
	}
	if diff := recordtest.Difference([]*record.Game{games[0], games[2]}, back); diff != "" {
		t.Fatal(diff)
	}
}

type brokenDisk struct{ err error }

func (b brokenDisk) ReadAt([]byte, int64) (int, error) { return 0, b.err }

func TestReaderReportsTheDisk(t *testing.T) {
	broken := errors.New("input/output error")
	r := NewReader("s", brokenDisk{broken}, 1000)
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, broken) {
			t.Fatalf("got error %v", err)
		}
	}
	// A file that is shorter than the given size.
	r = NewReader("s", bytes.NewReader(segmentHeader(testRun)), 1000)
	if _, err := r.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got error %v", err)
	}
}

func FuzzSegment(f *testing.F) {
	data, offsets := segment(f, append(recordtest.PlayMany(2, 6), recordtest.HandTreeRecord()))
	f.Add(data)
	f.Add(data[:len(data)-3])
	f.Add(data[:offsets[1]+5])
	f.Add(append(bytes.Clone(data[:offsets[1]+7]), data[offsets[1]:]...))
	f.Add(data[:headerSize])
	flipped, absurd := bytes.Clone(data), bytes.Clone(data)
	flipped[offsets[1]+20] ^= 1
	f.Add(flipped)
	binary.LittleEndian.PutUint32(absurd[offsets[1]:], 0xffffffff)
	f.Add(absurd)
	f.Fuzz(func(t *testing.T, data []byte) {
		games, damages := ReadSegment("s", data)
		// Every byte belongs to the header, a game or a Damage.
		pos := int64(0)
		for i, d := range damages {
			if d.Offset < pos || d.Length < 0 || d.Length == 0 && len(data) > 0 ||
				d.Offset+d.Length > int64(len(data)) {
				t.Fatalf("damage %d: %+v after byte %d", i, *d, pos)
			}
			if d.Torn != (d.Offset+d.Length == int64(len(data))) {
				t.Fatalf("damage %d of %d bytes: %+v", i, len(data), *d)
			}
			pos = d.Offset + d.Length
		}
		for i, g := range games {
			if err := g.Check(); err != nil {
				t.Fatal(err)
			}
			if i > 0 && g.Number <= games[i-1].Number {
				t.Fatalf("game %d follows game %d", g.Number, games[i-1].Number)
			}
		}
	})
}

// TestOwnersReportTheDisk: whichever operation fails, those that read who owns a segment, or which
// games it has, tell of it.
func TestOwnersReportTheDisk(t *testing.T) {
	disk := vfstest.NewMemory()
	l, err := OpenLog(disk, "games", 1)
	if err != nil {
		t.Fatal(err)
	}
	l.Run = 7
	for number := range uint64(3) {
		if err := errors.Join(l.Append(ticTacToe(number)), l.Commit()); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func(fsys vfs.FS) error{
		"Check": func(fsys vfs.FS) error { return resume(fsys, "games", Owner{Run: 7}) },
		"Runs": func(fsys vfs.FS) error {
			runs, err := Runs(fsys, "games")
			if err == nil && !slices.Equal(runs, []runid.ID{7, 7, 7}) {
				t.Errorf("runs %v", runs)
			}
			return err
		},
		"Prune": func(fsys vfs.FS) error {
			_, err := prune(fsys, "games", 0)
			return err
		},
		"Sync": func(fsys vfs.FS) error { return syncFolder(fsys, "games") },
		"Load": func(fsys vfs.FS) error {
			games, _, err := Load(fsys, "games")
			if err == nil && len(games) != 3 {
				t.Errorf("%d games", len(games))
			}
			return err
		},
	} {
		for n := 1; ; n++ {
			fsys := vfstest.NewFaulty(disk, vfstest.At(n, vfstest.Once))
			err := f(fsys)
			if fsys.Failed() == nil {
				if err != nil || n < 3 {
					t.Errorf("%s: %d operations, %v", name, n-1, err)
				}
				break
			}
			if !errors.Is(err, vfstest.ErrInjected) {
				t.Errorf("%s: operation %d, %v, fails, and the error is %v",
					name, n, fsys.Failed(), err)
			}
		}
	}
	// A segment may have no games.
	if err := vfs.WriteBytes(disk, "games/"+segmentName(9), segmentHeader(7)); err != nil {
		t.Fatal(err)
	}
	if err := resume(disk, "games", Owner{Run: 7}); err != nil {
		t.Error(err)
	}
}
