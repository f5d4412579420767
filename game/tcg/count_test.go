package tcg

import (
	"math"
	"math/bits"
	"testing"

	"tengen/game"
)

// leafCounter counts the leaves of full-width search: the sequences of actions
// and draws that end depth turns, or the game. Each card of a deck is a branch of
// its own, copies too, as in the paper's tables.
type leafCounter struct {
	g      *Game
	states []*State
	// naive takes every single step; otherwise the last turn is counted by the
	// shortcut of the heuristic.
	naive   bool
	visited uint64 // leaves that the shortcut has valued
}

func (c *leafCounter) state(ply int) *State {
	for len(c.states) <= ply {
		c.states = append(c.states, c.g.NewState().(*State))
	}
	return c.states[ply]
}

// count is the number of leaves below states[ply] that end turn number last.
func (c *leafCounter) count(ply, last int) uint64 {
	s := c.state(ply)
	if s.Turn() == last || s.phase == over {
		return 1
	}
	var n uint64
	next := c.state(ply + 1)
	s = c.state(ply)
	if s.CurrentPlayer() == game.Chance {
		var outcomes [MostCards]game.Outcome
		for _, o := range s.Outcomes(outcomes[:0]) {
			next.CopyFrom(s)
			next.Apply(o.Action)
			n += c.count(ply+1, last) * uint64(math.Round(o.Probability*float64(bits.OnesCount64(s.sides[s.mover].deck))))
		}
		return n
	}
	if !c.naive && s.Turn() == last-1 {
		if _, leaves, ok := c.g.lastTurn(s, game.Player(s.mover), math.Inf(-1), math.Inf(1)); ok {
			c.visited += uint64(leaves)
			return uint64(leaves)
		}
	}
	var actions [2 * mostCells]game.Action
	for _, a := range s.LegalActions(actions[:0]) {
		next.CopyFrom(s)
		next.Apply(a)
		n += c.count(ply+1, last)
	}
	return n
}

// leaves counts from the initial position.
func leaves(t testing.TB, name string, depth int, naive bool) (n, visited uint64) {
	g := made(t, name)
	c := leafCounter{g: g, naive: naive}
	c.state(0).CopyFrom(g.NewState())
	return c.count(0, c.state(0).Turn()+depth), c.visited
}

// With the paper's hand for both: a player without cards on the field may place
// one of five and let it do one of three things, or place none: 16 leaves. With
// a draw in every turn each of the 20 cards is one more to place; the Removals,
// which have nothing to take, end the turn: 18·(16+3) + 2·(16+1).
//
// The rule as printed, by which a full hand draws nothing, gives 415,999 leaves
// at depth 3; a draw in every turn 263,431,094, within 0.2 % of the 263,836,900
// that the paper's Table 3 has. The last is counted in the slow tests.
func TestLeaves(t *testing.T) {
	for _, c := range []struct {
		name  string
		depth int
		want  uint64
	}{
		{"tcg:deck=benchmark", 1, 16},
		{"tcg:deck=benchmark", 2, 331},
		{"tcg:deck=benchmark", 3, 415999},
		{"tcg:deck=benchmark,draw=always", 1, 18*19 + 2*17},
		{"tcg:deck=benchmark,draw=always", 2, 183148},
	} {
		for _, naive := range []bool{false, true} {
			if n, _ := leaves(t, c.name, c.depth, naive); n != c.want {
				t.Errorf("%s has %d leaves at depth %d (step by step: %v); want %d", c.name, n, c.depth, naive, c.want)
			}
		}
	}
}
