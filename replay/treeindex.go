package replay

import (
	"cmp"
	"fmt"
	"slices"

	"tengen/game"
)

// indexedTree is a tree that is legal by the rules, with an index for reaching its
// states without generating legal actions.
type indexedTree struct {
	*Tree
	// links holds, for each state, twice its parent's index; if forced moves follow
	// the state's action, twice the index of its entry in forced, plus one.
	links []uint32
	// forced is a sequence of entries: the parent's index, the number of forced moves,
	// and these moves.
	forced []int32
	from   *snapshot // at the root or before it; nil means the initial position
}

// link returns a state's parent, and the forced moves after the state's action.
func (t *indexedTree) link(state int32) (parent int32, forced []int32) {
	link := t.links[state]
	if link&1 == 0 {
		return int32(link >> 1), nil
	}
	entry := t.forced[link>>1:]
	return entry[0], entry[2 : 2+entry[1]]
}

// snapshot is a position in a game.
type snapshot struct {
	state game.State
	ply   int // the position before this ply
}

// statesPerSnapshot is the minimum number of tree states between snapshots. A snapshot
// of 5×5 Go takes 2 KiB, so at most 8 bytes a state, and saves replaying the moves
// before it, half of the game on average.
const statesPerSnapshot = 256

// indexer checks trees against the rules and indexes them, one record at a time.
type indexer struct {
	game   game.Game
	levels []level // the path from a tree's root to the current state
	order  []int32 // the indices of the record's trees, ordered by ply
	next   int     // index in order
	trees  []indexedTree
	last   *snapshot
	since  int // states since the last snapshot

	forced []int32 // of the current tree
}

// level is a state on a path.
type level struct {
	state game.State
	legal []game.Action // none if the game is over
	index int           // in the tree
}

// start prepares for the trees of a record that has passed Check.
func (x *indexer) start(rec *Game) {
	x.order, x.next, x.last, x.since = x.order[:0], 0, nil, 0
	states := 0
	for k := range rec.Trees {
		x.order = append(x.order, int32(k))
		states += len(rec.Trees[k].Depths)
	}
	slices.SortStableFunc(x.order, func(a, b int32) int { return cmp.Compare(rec.Trees[a].Ply, rec.Trees[b].Ply) })
	// The samples of the record keep these.
	x.trees = make([]indexedTree, len(rec.Trees))
	links := make([]uint32, states)
	for k := range rec.Trees {
		n := len(rec.Trees[k].Depths)
		x.trees[k] = indexedTree{Tree: &rec.Trees[k], links: links[:n:n]}
		links = links[n:]
	}
}

// at indexes the trees whose root is the position before ply; legal are its legal
// actions. It must be called for every ply in order.
func (x *indexer) at(rec *Game, ply int, state game.State, legal []game.Action) error {
	for ; x.next < len(x.order) && rec.Trees[x.order[x.next]].Ply == ply; x.next++ {
		k := x.order[x.next]
		if len(legal) < 2 {
			return fmt.Errorf("game %d, tree %d: there was no choice at its root, before ply %d", rec.Number, k, ply)
		}
		t := &x.trees[k]
		if err := x.index(t, state, legal); err != nil {
			return fmt.Errorf("game %d, tree %d, %w", rec.Number, k, err)
		}
		if x.since += len(t.links); x.since >= statesPerSnapshot {
			x.since = 0
			if x.last == nil || x.last.ply < ply {
				x.last = &snapshot{state: x.game.NewState(), ply: ply}
				x.last.state.CopyFrom(state)
			}
		}
		t.from = x.last
	}
	return nil
}

// index applies every action of a tree once and fills its links.
func (x *indexer) index(t *indexedTree, root game.State, legal []game.Action) error {
	top := x.level(0)
	top.state.CopyFrom(root)
	top.legal = append(top.legal[:0], legal...)
	top.index = 0
	x.forced = x.forced[:0]
	for i := 1; i < len(t.links); i++ {
		own := x.level(int(t.Depths[i]))
		parent, a := &x.levels[t.Depths[i]-1], t.Actions[i]
		if len(parent.legal) == 0 {
			return fmt.Errorf("state %d: its parent, state %d, is the end of the game", i, parent.index)
		}
		if _, found := slices.BinarySearch(parent.legal, a); !found {
			return fmt.Errorf("state %d: action %d is not legal", i, a)
		}
		own.state.CopyFrom(parent.state)
		own.state.Apply(a)
		own.index = i
		t.links[i] = uint32(parent.index) << 1
		before := len(x.forced)
		x.forced = append(x.forced, int32(parent.index), 0)
		x.follow(own)
		if n := len(x.forced) - before - 2; n > 0 {
			x.forced[before+1] = int32(n)
			t.links[i] = uint32(before)<<1 | 1
		} else {
			x.forced = x.forced[:before]
		}
		if own.state.CurrentPlayer() == game.Chance {
			return fmt.Errorf("state %d: chance is to move; a tree has decisions and finished games only", i)
		}
	}
	t.forced = slices.Clone(x.forced)
	return nil
}

// level returns the path's state at a depth, and makes it if necessary.
func (x *indexer) level(depth int) *level {
	for depth >= len(x.levels) {
		x.levels = append(x.levels, level{state: x.game.NewState()})
	}
	return &x.levels[depth]
}

// follow applies forced moves and appends them to forced, until a player has a choice,
// chance is to move, or the game is over.
func (x *indexer) follow(l *level) {
	for l.state.CurrentPlayer() >= 0 {
		if l.legal = l.state.LegalActions(l.legal[:0]); len(l.legal) > 1 {
			return
		}
		x.forced = append(x.forced, int32(l.legal[0]))
		l.state.Apply(l.legal[0])
	}
	l.legal = l.legal[:0]
}
