package record

import (
	"fmt"

	"tengen/game"
)

// Tree is a tree of the states that a search visited, in preorder (the root, then the
// subtree of its first child, then that of its second, and so on).
//
// Each state is a decision (a player has several legal actions) or, except for the
// root, the end of a game. States with one legal action are implied. A tree has no
// chance nodes.
type Tree struct {
	Ply int // the root is the position before this ply of the game
	// below the root: 0 for the root, then from 1 to the previous state's depth + 1
	Depths []int32
	// Actions[i] leads to state i from its parent; forced moves after it are implied; game.NoAction
	// for the root
	Actions []game.Action
	Values  []float32 // [n·Players] the value of each state for each player, finite
}

// maxStates is the maximum number of states in a tree: more do not fit in a record.
const maxStates = MaxSize / 4

// check returns an error if the tree is inconsistent with itself or the game's number of plies.
func (t *Tree) check(players, plies int) error {
	n := len(t.Depths)
	switch {
	case n < 1 || n > maxStates:
		return fmt.Errorf("%d states; must be 1 to %d", n, maxStates)
	case len(t.Actions) != n:
		return fmt.Errorf("%d actions for %d states", len(t.Actions), n)
	case len(t.Values) != n*players:
		return fmt.Errorf("%d values for %d states and %d players", len(t.Values), n, players)
	case t.Ply < 0 || t.Ply >= plies:
		return fmt.Errorf("its root is at ply %d of a game of %d", t.Ply, plies)
	case t.Depths[0] != 0 || t.Actions[0] != game.NoAction:
		return fmt.Errorf("the root has depth %d and action %d; must be 0 and %d",
			t.Depths[0], t.Actions[0], game.NoAction)
	}
	for i := 1; i < n; i++ {
		if d := t.Depths[i]; d < 1 || d > t.Depths[i-1]+1 {
			return fmt.Errorf("state %d has depth %d after one of depth %d; must be 1 to %d",
				i, d, t.Depths[i-1], t.Depths[i-1]+1)
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
