package recordtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tengen/game"
	"tengen/internal/random"
	"tengen/replay/record"
)

// Pairs is a small game with everything that a record may contain. Chance decides who
// begins; two players fill a board of 2×3 in turn (the last cell is a forced move);
// then the player to move ends the game with action 6, which is not in the policy. A
// player's utility is its share of all pairs of neighbouring cells with one owner.
type Pairs struct{}

const (
	PairsRows, PairsColumns = 2, 3
	PairsCells              = PairsRows * PairsColumns
	PairsEnd                = game.Action(PairsCells)
)

func (Pairs) Name() string         { return "pairs" }
func (Pairs) Players() int         { return 2 }
func (Pairs) Actions() int         { return PairsCells }
func (Pairs) Planes() game.Shape   { return game.Shape{C: 4, H: PairsRows, W: PairsColumns} }
func (Pairs) Support() []float32   { return []float32{0, 0.25, 0.5, 1} }
func (Pairs) NewState() game.State { return &PairsState{mover: game.Chance} }

// Symmetries are the rectangle's four, each without and with the two players swapped.
func (Pairs) Symmetries() []game.Symmetry {
	var list []game.Symmetry
	for k := range 8 {
		t := game.Symmetry{Planes: []int{0, 1, 2, 3}, Players: []game.Player{0, 1}}
		for y := range PairsRows {
			for x := range PairsColumns {
				v, u := y, x
				if k&1 != 0 {
					v = PairsRows - 1 - y
				}
				if k&2 != 0 {
					u = PairsColumns - 1 - x
				}
				t.Cells = append(t.Cells, v*PairsColumns+u)
				t.Actions = append(t.Actions, game.Action(v*PairsColumns+u))
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

// PairsState is a position of Pairs.
type PairsState struct {
	owner [PairsCells]int8 // 0: empty, 1, 2
	mover game.Player
}

func (s *PairsState) CurrentPlayer() game.Player { return s.mover }

func (s *PairsState) LegalActions(dst []game.Action) []game.Action {
	n := len(dst)
	for i, o := range s.owner {
		if o == 0 {
			dst = append(dst, game.Action(i))
		}
	}
	if len(dst) == n {
		dst = append(dst, PairsEnd)
	}
	return dst
}

func (s *PairsState) Apply(a game.Action) {
	switch {
	case s.mover == game.Chance:
		s.mover = game.Player(a)
	case a == PairsEnd:
		s.mover = game.Nobody
	default:
		if s.owner[a] != 0 {
			panic("pairs: the cell is occupied")
		}
		s.owner[a] = int8(s.mover) + 1
		s.mover = 1 - s.mover
	}
}

func (s *PairsState) Outcomes(dst []game.Outcome) []game.Outcome {
	return append(dst, game.Outcome{Action: 0, Probability: 0.5}, game.Outcome{
		Action: 1, Probability: 0.5,
	})
}

func (s *PairsState) Sample(rng *rand.Rand) game.Action { return game.Action(rng.IntN(2)) }
func (s *PairsState) CopyFrom(src game.State)           { *s = *src.(*PairsState) }
func (s *PairsState) Hash() uint64                      { return 0 }

func (s *PairsState) Scores(dst []float32) {
	dst[0], dst[1] = 0, 0
	for y := range PairsRows {
		for x := range PairsColumns {
			i := y*PairsColumns + x
			if o := s.owner[i]; o != 0 {
				if x+1 < PairsColumns && s.owner[i+1] == o {
					dst[o-1]++
				}
				if y+1 < PairsRows && s.owner[i+PairsColumns] == o {
					dst[o-1]++
				}
			}
		}
	}
}

func (s *PairsState) Returns(dst []float32) {
	s.Scores(dst)
	sum := dst[0] + dst[1]
	if sum == 0 {
		dst[0], dst[1] = 0.5, 0.5
		return
	}
	dst[0] /= sum
	dst[1] = 1 - dst[0]
}

func (s *PairsState) Observation(dst []float32) {
	clear(dst[:4*PairsCells])
	for i, o := range s.owner {
		if o != 0 {
			dst[(int(o)-1)*PairsCells+i] = 1
		}
		if s.mover >= 0 {
			dst[(2+int(s.mover))*PairsCells+i] = 1
		}
	}
}

// PlayPairs plays a game at random, with random visits and root values.
func PlayPairs(number uint64, rng *rand.Rand) *record.Game {
	rec := &record.Game{
		Number: number, Name: Pairs{}.Name(), Seed: 7, Iteration: int(number / 10),
		Seats:  []record.SeatRecord{{Kind: record.Network, Step: 3 + number}, {Kind: record.UCT}},
		Scores: make([]float32, 2), Returns: make([]float32, 2),
	}
	s := Pairs{}.NewState()
	for s.CurrentPlayer() != game.Nobody {
		m := record.Move{Mover: s.CurrentPlayer()}
		if m.Mover == game.Chance {
			m.Action = s.(game.Chancer).Sample(rng)
		} else {
			legal := s.LegalActions(nil)
			m.Action, m.Choice = legal[rng.IntN(len(legal))], len(legal) > 1
			if len(legal) > 1 && rng.IntN(4) > 0 {
				for _, a := range legal {
					if n := rng.IntN(50); n > 0 || a == m.Action {
						m.Visits = append(m.Visits, record.Visit{Action: a, N: uint32(n) + 1})
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

// PlayMany plays games of pairs at random.
func PlayMany(n int, seed uint64) []*record.Game {
	games := make([]*record.Game, n)
	for i := range games {
		games[i] = PlayPairs(uint64(i), random.New(seed, random.Test, uint64(i)))
	}
	return games
}

// HandRecord is a fixed record, written by hand: player 1 begins, the board becomes
//
//	2 1 2
//	1 2 1
//
// and nobody has a pair.
func HandRecord() *record.Game {
	return &record.Game{
		Number: 300, Name: "pairs", Seed: 0x0102030405060708, Iteration: 5,
		Seats: []record.SeatRecord{{Kind: record.Network, Step: 42}, {Kind: record.UCT}},
		Moves: []record.Move{
			{Action: 1, Mover: game.Chance},
			{Action: 0, Mover: 1, Choice: true,
				Visits: []record.Visit{{Action: 0, N: 3}, {Action: 5, N: 1}},
				Value:  []float32{0.25, 0.75}},
			{Action: 1, Mover: 0, Choice: true},
			{Action: 2, Mover: 1, Choice: true, Visits: []record.Visit{{Action: 2, N: 200}}},
			{Action: 3, Mover: 0, Choice: true, Value: []float32{0.5, 0.5}},
			{Action: 4, Mover: 1, Choice: true},
			{Action: 5, Mover: 0},
			{Action: PairsEnd, Mover: 1},
		},
		Scores: []float32{0, 0}, Returns: []float32{0.5, 0.5},
	}
}

// HandPolicyRecord is handRecord with policies of two moves.
func HandPolicyRecord() *record.Game {
	g := HandRecord()
	g.Moves[1].Visits, g.Moves[1].Policy = []record.Visit{
		{Action: 0, N: 3}, {Action: 1, N: 0}, {Action: 5, N: 1},
	}, []uint16{record.MaxWeight, 32768, 4369}
	g.Moves[3].Policy = []uint16{record.MaxWeight}
	return g
}

// HandFactsRecord is handPolicyRecord with a number of evaluations.
func HandFactsRecord() *record.Game {
	g := HandPolicyRecord()
	g.Evaluations = 300
	return g
}

// HandOpeningRecord is handRecord with an opening of three moves.
func HandOpeningRecord() *record.Game {
	g := HandRecord()
	g.Prefix = 3
	g.Moves[1].Visits, g.Moves[1].Value = nil, nil
	return g
}

// HandAsynchronousRecord is a record of an asynchronous cycle, whose game was the 301st to begin.
func HandAsynchronousRecord() *record.Game {
	g := HandRecord()
	g.EndOrder, g.Stream = true, 300
	return g
}

// HandResignRecord is a record of a game that ended when player 0 resigned below a utility of 1/4.
func HandResignRecord() *record.Game {
	g := HandRecord()
	g.Moves = g.Moves[:5]
	g.Moves[4].Value = []float32{0.125, 0.75}
	g.Returns = []float32{0, 1}
	g.Resign, g.Resigned = 0.25, true
	return g
}

// Same fails if two records differ.
func Same(t *testing.T, got, want *record.Game) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("the record differs (-want +got):\n%s", diff)
	}
}

// Difference returns the difference of two lists of records, "" if they are equal. It is
// fast for equal lists.
func Difference(want, got []*record.Game) string {
	equal := len(want) == len(got)
	var a, b []byte
	for i := 0; equal && i < len(want); i++ {
		var errA, errB error
		a, errA = record.AppendEncoded(a[:0], want[i])
		b, errB = record.AppendEncoded(b[:0], got[i])
		equal = errA == nil && errB == nil && bytes.Equal(a, b)
	}
	if equal {
		return ""
	}
	return fmt.Sprintf("%d games, want %d (-want +got):\n%s",
		len(got), len(want), cmp.Diff(want, got))
}

// HandTreeRecord returns handRecord with an outcome and two trees, written by hand.
// Before ply 4 cells 0 to 2 are occupied, and player 0 can choose 3, 4 or 5. Taking the
// last cell and ending the game are forced moves.
func HandTreeRecord() *record.Game {
	g := HandRecord()
	g.Outcome = []float32{-1.5, 3}
	g.Trees = []record.Tree{
		{Ply: 1, Depths: []int32{0}, Actions: []game.Action{game.NoAction},
			Forced: []bool{false}, Values: []float32{0.25, 0.75}},
		{
			Ply:     4,
			Depths:  []int32{0, 1, 2, 2, 1},
			Actions: []game.Action{game.NoAction, 3, 4, 5, 5},
			Forced:  []bool{false, false, true, true, false},
			Values:  []float32{1, 0, 0.5, 0.5, 0, 1, 2, -1, 0.25, 0.25},
		},
	}
	return g
}

// RandomTree plays from the position before a ply to the game's end several times, at
// random but partly on earlier paths, as a Descent search does.
func RandomTree(g game.Game, rec *record.Game, ply, walks int, rng *rand.Rand) record.Tree {
	root := &Node{action: game.NoAction}
	states := 1
	for range walks {
		s, at := PositionBefore(g, rec, ply), root
		for s.CurrentPlayer() >= 0 && rng.IntN(40) > 0 {
			legal := s.LegalActions(nil)
			a := legal[rng.IntN(len(legal))]
			var next *Node
			if k := len(at.children); k > 0 && rng.IntN(3) > 0 {
				next = at.children[rng.IntN(k)]
				a = next.action
			}
			for _, c := range at.children {
				if c.action == a {
					next = c
				}
			}
			if next == nil {
				next = &Node{action: a}
				at.children = append(at.children, next)
				states++
			}
			at = next
			s.Apply(a)
			for s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) == 1 {
				s.Apply(s.LegalActions(nil)[0])
			}
		}
	}
	t := record.Tree{Ply: ply}
	var list func(n *Node, depth int32)
	list = func(n *Node, depth int32) {
		t.Depths, t.Actions = append(t.Depths, depth), append(t.Actions, n.action)
		for _, c := range n.children {
			list(c, depth+1)
		}
	}
	list(root, 0)
	for i := range states * g.Players() {
		if n := i - g.Players(); n >= 0 && rng.IntN(4) > 0 { // often that of the state before
			t.Values = append(t.Values, t.Values[n])
			continue
		}
		t.Values = append(t.Values, float32(rng.IntN(26))/25)
	}
	return t
}

// GrowTrees adds trees to a record at about half of its decisions.
func GrowTrees(g game.Game, rec *record.Game, walks int, rng *rand.Rand) {
	s := g.NewState()
	for ply, m := range rec.Moves {
		if s.CurrentPlayer() >= 0 && len(s.LegalActions(nil)) > 1 && rng.IntN(2) == 0 {
			rec.Trees = append(rec.Trees, RandomTree(g, rec, ply, 1+rng.IntN(walks), rng))
		}
		s.Apply(m.Action)
	}
	Mark(g, rec)
	rec.Outcome = make([]float32, g.Players())
	for p := range rec.Outcome {
		rec.Outcome[p] = 3*rng.Float32() - 1
	}
}

// Mark sets what the rules say in a record of g, which must be legal.
func Mark(g game.Game, rec *record.Game) {
	if err := record.NewChecker(g).Mark(rec); err != nil {
		panic(err)
	}
}

// PlayManyTrees plays games of pairs with trees.
func PlayManyTrees(n int, seed uint64) []*record.Game {
	games := PlayMany(n, seed)
	for i, rec := range games {
		GrowTrees(Pairs{}, rec, 4, random.New(seed, random.Test, uint64(i), 1))
	}
	return games
}

// PositionBefore returns the position before a ply of a record.
func PositionBefore(g game.Game, rec *record.Game, ply int) game.State {
	s := g.NewState()
	for _, m := range rec.Moves[:ply] {
		s.Apply(m.Action)
	}
	return s
}

// Node is a state of a growing tree.
type Node struct {
	action   game.Action
	children []*Node
}
