package tcg

import (
	"math"
	"math/bits"
	"testing"

	"tengen/game"
)

// leafCounter counts the leaves of full-width search: the sequences of actions and
// draws that end depth turns, or the game. As in the paper's tables, each card of a
// deck is a separate branch, copies too.
type leafCounter struct {
	g      *Game
	states []*State
	// naive counts every single step; otherwise the heuristic's shortcut counts the last
	// turn.
	naive   bool
	visited uint64 // leaves that the shortcut has valued
}

func (c *leafCounter) state(ply int) *State {
	for len(c.states) <= ply {
		c.states = append(c.states, c.g.NewState().(*State))
	}
	return c.states[ply]
}

// count returns the number of leaves below states[ply] at which turn number last ends.
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
			n += c.count(ply+1,
				last) *
				uint64(math.Round(o.Probability*float64(bits.OnesCount64(s.sides[s.mover].deck))))
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

// With the paper's hand for both players: a player without cards on the field may
// place one of five cards, which may then do one of three things, or place none: 16
// leaves. With a draw in every turn each of the 20 cards is one more to place; the
// Removals have no target and end the turn: 18·(16+3) + 2·(16+1).
//
// The rule as printed, by which a full hand draws nothing, gives 415,999 leaves at
// depth 3; a draw in every turn gives 263,431,094, within 0.2 % of the 263,836,900 in
// the paper's Table 3. The slow tests count the latter.
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
				t.Errorf("%s has %d leaves at depth %d (step by step: %v); want %d",
					c.name, n, c.depth, naive, c.want)
			}
		}
	}
}
