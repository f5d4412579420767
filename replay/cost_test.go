package replay

import (
	"encoding/binary"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/testkit"
	"tengen/replay/record"
	"tengen/replay/record/recordtest"
)

// segmentBound is what docs/formats/replay-segment.md promises of a file of n bytes.
var segmentBound = testkit.Bound{
	Bytes: 1 << 20, PerByte: 256, Time: time.Second, PerMiB: time.Second,
}

// hostileSegment is a segment with records of these bytes, each with the right checksums.
func hostileSegment(t *testing.T, payloads ...[]byte) []byte {
	t.Helper()
	data := segmentHeader(testRun)
	for _, payload := range payloads {
		head := binary.LittleEndian.AppendUint32(nil, uint32(len(payload)))
		head = binary.LittleEndian.AppendUint32(head, record.Checksum(payload))
		head = binary.LittleEndian.AppendUint32(head, record.Checksum(head))
		data = append(append(data, head...), payload...)
	}
	return data
}

// TestCostOfSmallSegments: what is small on disk costs little, whatever its bits say.
func TestCostOfSmallSegments(t *testing.T) {
	// The smallest games of as many moves, visited actions and states as a record has.
	moves := func(number uint64, n int) []byte {
		g := smallest(number)
		g.Moves = make([]record.Move, n)
		return encoded(t, g)
	}
	visits := func(number uint64, n int) []byte {
		g := smallest(number)
		g.Moves = []record.Move{{Visits: make([]record.Visit, n)}}
		for i := range n {
			g.Moves[0].Visits[i].Action = game.Action(i)
		}
		g.Moves[0].Visits[0].N = 1
		return encoded(t, g)
	}
	trees := func(number uint64, states int) []byte {
		g := smallest(number)
		g.Moves = make([]record.Move, 1)
		tree := record.Tree{
			Depths: make([]int32, states), Actions: make([]game.Action, states),
			Forced: make([]bool, states), Values: make([]float32, states),
		}
		tree.Actions[0] = game.NoAction
		for i := range states {
			tree.Depths[i] = int32(i)
		}
		g.Trees = []record.Tree{tree}
		return encoded(t, g)
	}
	// claims is a game whose head has a number of moves that do not follow.
	claims := func(number uint64, n int) []byte {
		b := binary.AppendUvarint([]byte{record.Version}, number)
		b = append(b, 1, 'x')
		b = append(b, make([]byte, 8)...)
		b = append(b, 0, 1, byte(record.UCT), 0, 0)
		b = append(b, make([]byte, 8)...)
		return append(binary.AppendUvarint(b, uint64(n)), 0)
	}
	many := func(n int, record func(uint64) []byte) (list [][]byte) {
		for i := range n {
			list = append(list, record(uint64(i)))
		}
		return list
	}
	for name, raw := range map[string][][]byte{
		"a game of moves":  {moves(0, record.MaxMoves)},
		"a game of visits": {visits(0, 4<<20)},
		"a tree":           {trees(0, 4<<20)},
		"zeros":            {make([]byte, 1<<20)},
		"games of moves": many(40, func(n uint64) []byte {
			return moves(n, record.MaxMoves)
		}),
		"games of visits":        many(4, func(n uint64) []byte { return visits(n, 1<<20) }),
		"games of trees":         many(4, func(n uint64) []byte { return trees(n, 1<<20) }),
		"many games of moves":    many(2000, func(n uint64) []byte { return moves(n, 200) }),
		"many games with a tree": many(2000, func(n uint64) []byte { return trees(n, 200) }),
		"claims":                 many(2000, func(n uint64) []byte { return claims(n, 60_000) }),
	} {
		data := hostileSegment(t, raw...)
		var games []*record.Game
		segmentBound.Check(t, name, len(data), func() { games, _ = ReadSegment("s", data) })
		t.Logf("%s: %d bytes, %d of %d games are read", name, len(data), len(games), len(raw))
		if want := name != "zeros" && name != "claims"; want != (len(games) == len(raw)) {
			t.Errorf("%s: %d of %d games are read", name, len(games), len(raw))
		}
	}
}

// smallest is a game without moves, whose record is small.
func smallest(number uint64) *record.Game {
	return &record.Game{
		Number: number, Name: "x", Seats: []record.SeatRecord{{Kind: record.UCT}},
		Scores: make([]float32, 1), Returns: make([]float32, 1),
	}
}

func encoded(t *testing.T, g *record.Game) []byte {
	t.Helper()
	data, err := record.AppendEncoded(nil, g)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestTooManyMoves: a game of too many moves is not written.
func TestTooManyMoves(t *testing.T) {
	g := smallest(0)
	g.Moves = make([]record.Move, record.MaxMoves)
	recordtest.Same(t, first(ReadSegment("s", hostileSegment(t, encoded(t, g))))[0], g)
	g.Moves = append(g.Moves, record.Move{Action: game.Action(1)})
	if _, err := record.AppendEncoded(nil, g); err == nil {
		t.Error("a game of too many moves is written")
	}
}

func first(games []*record.Game, _ []*Damage) []*record.Game { return games }
