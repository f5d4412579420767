package record

import (
	"cmp"
	"fmt"
	"slices"

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
	// Forced[i] says that forced moves follow Actions[i]; false for the root. See Checker.Mark.
	Forced []bool
	Values []float32 // [n·Players] the value of each state for each player, finite
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
	case len(t.Forced) != n || t.Forced[0]:
		return fmt.Errorf("%d states of %d say whether forced moves come before them; the first must not",
			len(t.Forced), n)
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

// walker walks over the trees of a record by the rules.
type walker struct {
	game   game.Game
	mark   bool    // sets Forced, which is otherwise checked
	levels []level // the path from a tree's root to the current state
	order  []int32 // the indices of the record's trees, ordered by ply
	next   int     // index in order
}

// level is a state on a path.
type level struct {
	state game.State
	legal []game.Action // none if the game is over
	index int           // in the tree
}

// start prepares for the trees of a record.
func (x *walker) start(rec *Game, mark bool) {
	x.order, x.next, x.mark = x.order[:0], 0, mark
	for k := range rec.Trees {
		x.order = append(x.order, int32(k))
	}
	slices.SortStableFunc(x.order, func(a, b int32) int {
		return cmp.Compare(rec.Trees[a].Ply, rec.Trees[b].Ply)
	})
}

// at walks over the trees whose root is the position before ply; legal are its legal
// actions. It must be called for every ply in order.
func (x *walker) at(rec *Game, ply int, state game.State, legal []game.Action) error {
	for ; x.next < len(x.order) && rec.Trees[x.order[x.next]].Ply == ply; x.next++ {
		k := x.order[x.next]
		if len(legal) < 2 {
			return fmt.Errorf("game %d, tree %d: there was no choice at its root, before ply %d",
				rec.Number, k, ply)
		}
		if err := x.walk(&rec.Trees[k], state, legal); err != nil {
			return fmt.Errorf("game %d, tree %d, %w", rec.Number, k, err)
		}
	}
	return nil
}

// walk applies every action of a tree once.
func (x *walker) walk(t *Tree, root game.State, legal []game.Action) error {
	top := x.level(0)
	top.state.CopyFrom(root)
	top.legal = append(top.legal[:0], legal...)
	top.index = 0
	for i := 1; i < len(t.Depths); i++ {
		own := x.level(int(t.Depths[i]))
		parent, a := &x.levels[t.Depths[i]-1], t.Actions[i]
		if len(parent.legal) == 0 {
			return fmt.Errorf("state %d: its parent, state %d, is the end of the game",
				i, parent.index)
		}
		if _, found := slices.BinarySearch(parent.legal, a); !found {
			return fmt.Errorf("state %d: action %d is not legal", i, a)
		}
		own.state.CopyFrom(parent.state)
		own.state.Apply(a)
		own.index = i
		forced := own.follow()
		if x.mark {
			t.Forced[i] = forced
		} else if t.Forced[i] != forced {
			return fmt.Errorf("state %d: that forced moves follow action %d is %v; by the rules it is %v",
				i, a, t.Forced[i], forced)
		}
		if own.state.CurrentPlayer() == game.Chance {
			return fmt.Errorf(
				"state %d: chance is to move; a tree has decisions and finished games only", i)
		}
	}
	return nil
}

// level returns the path's state at a depth, and makes it if necessary.
func (x *walker) level(depth int) *level {
	for depth >= len(x.levels) {
		x.levels = append(x.levels, level{state: x.game.NewState()})
	}
	return &x.levels[depth]
}

// follow applies forced moves until a player has a choice, chance is to move, or the game is over.
// It reports whether there were any.
func (l *level) follow() (forced bool) {
	for l.state.CurrentPlayer() >= 0 {
		if l.legal = l.state.LegalActions(l.legal[:0]); len(l.legal) > 1 {
			return forced
		}
		l.state.Apply(l.legal[0])
		forced = true
	}
	l.legal = l.legal[:0]
	return forced
}
