package replay

import (
	"fmt"

	"tengen/game"
)

// Tree is a tree of states that a search has looked at, in preorder (a state,
// then all that follows its first child, then all that follows its second).
//
// Each state is a decision (a player has several legal actions) or, except the
// root, a finished game; what lies between, states with one legal action, is
// implied. No state of chance stands in a tree.
type Tree struct {
	Ply     int           // of the game's moves before its root, where a player had a choice
	Depths  []int32       // of each state below the root: 0 for the first, then 1 to the previous one's + 1
	Actions []game.Action // that leads there from the nearest state before it with a depth one less; sole legal actions that follow it are implied (not listed); game.NoAction for the root
	Values  []float32     // [n·Players] the value of each state for each player, finite
}

// maxStates bounds the states of a tree: no record has room for more.
const maxStates = maxRecord / 4

// check says what in the tree contradicts itself, or the game's number of plies.
func (t *Tree) check(players, plies int) error {
	n := len(t.Depths)
	switch {
	case n < 1 || n > maxStates:
		return fmt.Errorf("%d states; 1 to %d are possible", n, maxStates)
	case len(t.Actions) != n:
		return fmt.Errorf("%d actions for %d states", len(t.Actions), n)
	case len(t.Values) != n*players:
		return fmt.Errorf("%d values for %d states and %d players", len(t.Values), n, players)
	case t.Ply < 0 || t.Ply >= plies:
		return fmt.Errorf("its root stands at ply %d of a game of %d", t.Ply, plies)
	case t.Depths[0] != 0 || t.Actions[0] != game.NoAction:
		return fmt.Errorf("the root has depth %d and action %d; 0 and %d are wanted", t.Depths[0], t.Actions[0], game.NoAction)
	}
	for i := 1; i < n; i++ {
		if d := t.Depths[i]; d < 1 || d > t.Depths[i-1]+1 {
			return fmt.Errorf("state %d has depth %d after one of depth %d; 1 to %d are possible", i, d, t.Depths[i-1], t.Depths[i-1]+1)
		}
		if t.Actions[i] < 0 {
			return fmt.Errorf("state %d: action %d is negative", i, t.Actions[i])
		}
	}
	for i, x := range t.Values {
		if !finite(x) {
			return fmt.Errorf("state %d has the value %v for player %d", i/players, x, i%players)
		}
	}
	return nil
}
