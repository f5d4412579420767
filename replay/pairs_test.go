package replay

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/internal/stream"
)

// pairs is a small game with everything that a record may contain. Chance decides who
// begins; two players fill a board of 2×3 in turn (the last cell is a forced move);
// then the player to move ends the game with action 6, which is not in the policy. A
// player's utility is its share of all pairs of neighbouring cells with one owner.
type pairs struct{}

const (
	pairsRows, pairsColumns = 2, 3
	pairsCells              = pairsRows * pairsColumns
	pairsEnd                = game.Action(pairsCells)
)

func (pairs) Name() string         { return "pairs" }
func (pairs) Players() int         { return 2 }
func (pairs) Actions() int         { return pairsCells }
func (pairs) Planes() game.Shape   { return game.Shape{C: 4, H: pairsRows, W: pairsColumns} }
func (pairs) Support() []float32   { return []float32{0, 0.25, 0.5, 1} }
func (pairs) NewState() game.State { return &pairsState{mover: game.Chance} }

// Symmetries are the rectangle's four, each without and with the two players swapped.
func (pairs) Symmetries() []game.Symmetry {
	var list []game.Symmetry
	for k := range 8 {
		t := game.Symmetry{Planes: []int{0, 1, 2, 3}, Players: []game.Player{0, 1}}
		for y := range pairsRows {
			for x := range pairsColumns {
				v, u := y, x
				if k&1 != 0 {
					v = pairsRows - 1 - y
				}
				if k&2 != 0 {
					u = pairsColumns - 1 - x
				}
				t.Cells = append(t.Cells, v*pairsColumns+u)
				t.Actions = append(t.Actions, game.Action(v*pairsColumns+u))
			}
		}
		if k&4 != 0 {
			t.Planes = []int{1, 0, 3, 2}
			t.Players = []game.Player{1, 0}
		}
		list = append(list, t)
	}
	return list
}

type pairsState struct {
	owner [pairsCells]int8 // 0: empty, 1, 2
	mover game.Player
}

func (s *pairsState) CurrentPlayer() game.Player { return s.mover }

func (s *pairsState) LegalActions(dst []game.Action) []game.Action {
	n := len(dst)
	for i, o := range s.owner {
		if o == 0 {
			dst = append(dst, game.Action(i))
		}
	}
	if len(dst) == n {
		dst = append(dst, pairsEnd)
	}
	return dst
}

func (s *pairsState) Apply(a game.Action) {
	switch {
	case s.mover == game.Chance:
		s.mover = game.Player(a)
	case a == pairsEnd:
		s.mover = game.Nobody
	default:
		if s.owner[a] != 0 {
			panic("pairs: the cell is occupied")
		}
		s.owner[a] = int8(s.mover) + 1
		s.mover = 1 - s.mover
	}
}

func (s *pairsState) Outcomes(dst []game.Outcome) []game.Outcome {
	return append(dst, game.Outcome{Action: 0, Probability: 0.5}, game.Outcome{Action: 1, Probability: 0.5})
}

func (s *pairsState) Sample(rng *rand.Rand) game.Action { return game.Action(rng.IntN(2)) }
func (s *pairsState) CopyFrom(src game.State)           { *s = *src.(*pairsState) }
func (s *pairsState) Hash() uint64                      { return 0 }

func (s *pairsState) Scores(dst []float32) {
	dst[0], dst[1] = 0, 0
	for y := range pairsRows {
		for x := range pairsColumns {
			i := y*pairsColumns + x
			if o := s.owner[i]; o != 0 {
				if x+1 < pairsColumns && s.owner[i+1] == o {
					dst[o-1]++
				}
				if y+1 < pairsRows && s.owner[i+pairsColumns] == o {
					dst[o-1]++
				}
			}
		}
	}
}

func (s *pairsState) Returns(dst []float32) {
	s.Scores(dst)
	sum := dst[0] + dst[1]
	if sum == 0 {
		dst[0], dst[1] = 0.5, 0.5
		return
	}
	dst[0] /= sum
	dst[1] = 1 - dst[0]
}

func (s *pairsState) Observation(dst []float32) {
	clear(dst[:4*pairsCells])
	for i, o := range s.owner {
		if o != 0 {
			dst[(int(o)-1)*pairsCells+i] = 1
		}
		if s.mover >= 0 {
			dst[(2+int(s.mover))*pairsCells+i] = 1
		}
	}
}

// playPairs plays a game at random, with random visits and root values.
func playPairs(number uint64, rng *rand.Rand) *Game {
	rec := &Game{
		Number: number, Name: pairs{}.Name(), Seed: 7, Iteration: int(number / 10),
		Seats:  []SeatRecord{{Kind: Network, Step: 3 + number}, {Kind: UCT}},
		Scores: make([]float32, 2), Returns: make([]float32, 2),
	}
	s := pairs{}.NewState()
	for s.CurrentPlayer() != game.Nobody {
		m := Move{Mover: s.CurrentPlayer()}
		if m.Mover == game.Chance {
			m.Action = s.(game.Chancer).Sample(rng)
		} else {
			legal := s.LegalActions(nil)
			m.Action = legal[rng.IntN(len(legal))]
			if len(legal) > 1 && rng.IntN(4) > 0 {
				for _, a := range legal {
					if n := rng.IntN(50); n > 0 || a == m.Action {
						m.Visits = append(m.Visits, Visit{a, uint32(n) + 1})
					}
				}
			}
			if rng.IntN(2) == 0 {
				m.Value = []float32{rng.Float32(), rng.Float32()}
			}
		}
		rec.Moves = append(rec.Moves, m)
		s.Apply(m.Action)
	}
	s.(game.Scored).Scores(rec.Scores)
	s.Returns(rec.Returns)
	return rec
}

func playMany(n int, seed uint64) []*Game {
	games := make([]*Game, n)
	for i := range games {
		games[i] = playPairs(uint64(i), stream.New(seed, stream.Test, uint64(i)))
	}
	return games
}

// handRecord is a fixed record, written by hand: player 1 begins, the board becomes
//
//	2 1 2
//	1 2 1
//
// and nobody has a pair.
func handRecord() *Game {
	return &Game{
		Number: 300, Name: "pairs", Seed: 0x0102030405060708, Iteration: 5,
		Seats: []SeatRecord{{Kind: Network, Step: 42}, {Kind: UCT}},
		Moves: []Move{
			{Action: 1, Mover: game.Chance},
			{Action: 0, Mover: 1, Visits: []Visit{{0, 3}, {5, 1}}, Value: []float32{0.25, 0.75}},
			{Action: 1, Mover: 0},
			{Action: 2, Mover: 1, Visits: []Visit{{2, 200}}},
			{Action: 3, Mover: 0, Value: []float32{0.5, 0.5}},
			{Action: 4, Mover: 1},
			{Action: 5, Mover: 0},
			{Action: pairsEnd, Mover: 1},
		},
		Scores: []float32{0, 0}, Returns: []float32{0.5, 0.5},
	}
}

// handPolicyRecord is handRecord with policies of two moves.
func handPolicyRecord() *Game {
	g := handRecord()
	g.Moves[1].Visits, g.Moves[1].Policy = []Visit{{0, 3}, {1, 0}, {5, 1}}, []float32{0.5, 0.25, 0.25}
	g.Moves[3].Policy = []float32{1}
	return g
}

// handFactsRecord is handPolicyRecord with a number of evaluations.
func handFactsRecord() *Game {
	g := handPolicyRecord()
	g.Evaluations = 300
	return g
}

// handOpeningRecord is handRecord with an opening of three moves.
func handOpeningRecord() *Game {
	g := handRecord()
	g.Prefix = 3
	g.Moves[1].Visits, g.Moves[1].Value = nil, nil
	return g
}

// handContinuousRecord is a record of a continuous cycle, whose game was the 301st to begin.
func handContinuousRecord() *Game {
	g := handRecord()
	g.EndOrder, g.Stream = true, 300
	return g
}

// handResignRecord is a record of a game that ended when player 0 resigned below a utility of 1/4.
func handResignRecord() *Game {
	g := handRecord()
	g.Moves = g.Moves[:5]
	g.Moves[4].Value = []float32{0.125, 0.75}
	g.Returns = []float32{0, 1}
	g.Resign, g.Resigned = 0.25, true
	return g
}

func same(t *testing.T, got, want *Game) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the record differs (-want +got):\n%s", diff)
	}
}

// difference returns the difference of two lists of records, "" if they are equal. It is
// fast for equal lists.
func difference(want, got []*Game) string {
	equal := len(want) == len(got)
	var a, b []byte
	for i := 0; equal && i < len(want); i++ {
		var errA, errB error
		a, errA = AppendEncoded(a[:0], want[i])
		b, errB = AppendEncoded(b[:0], got[i])
		equal = errA == nil && errB == nil && bytes.Equal(a, b)
	}
	if equal {
		return ""
	}
	return fmt.Sprintf("%d games, want %d (-want +got):\n%s", len(got), len(want), cmp.Diff(want, got))
}
