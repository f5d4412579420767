package replay

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"tengen/game"
	"tengen/internal/testkit"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// segmentBound is what docs/formats/replay-segment.md promises of a file of n bytes.
var segmentBound = testkit.Bound{
	Bytes: 64 << 20, PerByte: 512, Time: time.Second, PerMiB: time.Second,
}

// hostileSegment is a segment with records of these bytes, each with the right checksums.
func hostileSegment(t *testing.T, raw ...[]byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	data := segmentHeader(testRun)
	for _, b := range raw {
		payload := enc.EncodeAll(b, nil)
		head := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
		head = binary.LittleEndian.AppendUint32(head, record.Checksum(payload))
		head = binary.LittleEndian.AppendUint32(head, record.Checksum(head))
		data = append(append(data, head...), payload...)
	}
	return data
}

// TestCostOfSmallSegments: what is small on disk costs little, however well it is compressed.
func TestCostOfSmallSegments(t *testing.T) {
	begin := func(number uint64) []byte {
		b := binary.AppendUvarint([]byte{record.Version}, number)
		b = append(b, 1, 'x')
		b = append(b, make([]byte, 8)...)
		return append(b, 0, 1, byte(record.UCT), 0)
	}
	moves := func(number uint64, n int) []byte {
		b := binary.AppendUvarint(begin(number), uint64(n))
		b = append(b, make([]byte, 2*n)...)
		return append(b, make([]byte, 8+3)...) // neither an outcome nor trees nor facts
	}
	visits := func(number uint64, n int) []byte {
		b := append(binary.AppendUvarint(begin(number), 1), 0x10, 0)
		b = binary.AppendUvarint(b, uint64(n))
		b = append(b, bytes.Repeat([]byte{0, 1}, n)...)
		return append(b, make([]byte, 8+3)...) // neither an outcome nor trees nor facts
	}
	trees := func(number uint64, states int) []byte {
		b := append(binary.AppendUvarint(begin(number), 1), 0, 0)
		b = append(b, make([]byte, 8)...)
		b = append(b, 0, 1, 0)
		b = binary.AppendUvarint(b, uint64(states))
		return append(b, make([]byte, 2*(states-1)+4*states+1)...)
	}
	many := func(n int, record func(uint64) []byte) (list [][]byte) {
		for i := range n {
			list = append(list, record(uint64(i)))
		}
		return list
	}
	const most = record.MaxSize - 100
	for name, raw := range map[string][][]byte{
		"a game of moves":  {moves(0, most/2)},
		"a game of visits": {visits(0, most/2)},
		"a tree":           {trees(0, most/6)},
		"zeros":            {make([]byte, record.MaxSize)},
		"games of moves": many(40, func(n uint64) []byte {
			return moves(n, record.MaxMoves)
		}),
		"games of visits":        many(40, func(n uint64) []byte { return visits(n, 5<<20) }),
		"games of trees":         many(40, func(n uint64) []byte { return trees(n, 1<<20) }),
		"many games of moves":    many(2000, func(n uint64) []byte { return moves(n, 2000) }),
		"many games with a tree": many(2000, func(n uint64) []byte { return trees(n, 2000) }),
	} {
		data := hostileSegment(t, raw...)
		var games []*record.Game
		segmentBound.Check(t, name, len(data), func() { games, _ = ReadSegment("s", data) })
		t.Logf("%s: %d of %d games are read", name, len(games), len(raw))
	}
}

// TestPadding: whatever a Log writes it reads, a game that compresses too well too.
func TestPadding(t *testing.T) {
	games := recordtest.PlayMany(3, 4)
	g := *games[2]
	g.Moves = nil
	for range record.MaxMoves {
		g.Moves = append(g.Moves, record.Move{Mover: 0, Action: 1})
	}
	var long []*record.Game
	for n := range 6 {
		x := g
		x.Number = uint64(100 + n)
		long = append(long, &x)
	}
	all := append(games[:2:2], long...)
	allowed := record.NewAllowance()
	data := segmentHeader(testRun)
	for _, g := range all {
		var err error
		if data, _, err = record.AppendWithin(data, nil, g, &allowed); err != nil {
			t.Fatal(err)
		}
	}
	back, damages := ReadSegment("s", data)
	if len(damages) > 0 || len(back) != len(all) {
		t.Fatalf("%d of %d games, %v", len(back), len(all), damages)
	}
	for i := range all {
		recordtest.Same(t, back[i], all[i])
	}
	if want := 5 * record.MaxMoves / 4; len(data) < want {
		t.Errorf("%d bytes; at least %d with padding", len(data), want)
	}
	g.Moves = append(g.Moves, record.Move{Action: game.Action(1)})
	if _, err := record.AppendEncoded(nil, &g); err == nil {
		t.Error("a game of too many moves is written")
	}
}
