package replay

import (
	"cmp"
	"fmt"
	"slices"

	"tengen/game"
)

// indexedTree is a tree that keeps the rules, and what is needed to reach one
// of its states without listing legal actions on the way.
type indexedTree struct {
	*Tree
	// links holds, for each state, its parent's place in the tree times two;
	// where sole legal actions follow the state's own, the place of its detour
	// times two plus one.
	links []uint32
	// detours are one after the other: the parent's place, the number of sole
	// legal actions, and these.
	detours []int32
	from    *snapshot // at the root or before it; nil: the initial position
}

// link is a state's parent, and the sole legal actions after its own.
func (t *indexedTree) link(state int32) (parent int32, sole []int32) {
	link := t.links[state]
	if link&1 == 0 {
		return int32(link >> 1), nil
	}
	detour := t.detours[link>>1:]
	return detour[0], detour[2 : 2+detour[1]]
}

// snapshot is a position of a game.
type snapshot struct {
	state game.State
	ply   int // the position before this ply
}

// statesPerSnapshot is the least number of a game's tree states for each
// snapshot of it. A snapshot of 5×5 Go takes 2 KiB, so 8 bytes a state at most,
// and saves replaying the moves before it, on average half of the game.
const statesPerSnapshot = 256

// indexer checks the trees of one record after the other against the rules.
type indexer struct {
	game   game.Game
	levels []level // the path from a tree's root to the state looked at
	order  []int32 // the record's trees, by ply
	next   int     // in order
	trees  []indexedTree
	last   *snapshot
	since  int // states since the last snapshot

	detours []int32 // of the tree looked at
}

// level is one state of a path.
type level struct {
	state game.State
	legal []game.Action // none: the game is over
	place int           // in the tree
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
	// They stay with the record: made anew for each.
	x.trees = make([]indexedTree, len(rec.Trees))
	links := make([]uint32, states)
	for k := range rec.Trees {
		n := len(rec.Trees[k].Depths)
		x.trees[k] = indexedTree{Tree: &rec.Trees[k], links: links[:n:n]}
		links = links[n:]
	}
}

// at checks the trees whose root is the position before ply. legal are its
// legal actions. It is called for every ply in turn.
func (x *indexer) at(rec *Game, ply int, state game.State, legal []game.Action) error {
	for ; x.next < len(x.order) && rec.Trees[x.order[x.next]].Ply == ply; x.next++ {
		k := x.order[x.next]
		if len(legal) < 2 {
			return fmt.Errorf("game %d, tree %d: at its root, before ply %d, nobody had a choice", rec.Number, k, ply)
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

// index plays every action of a tree once, and fills its links.
func (x *indexer) index(t *indexedTree, root game.State, legal []game.Action) error {
	top := x.level(0)
	top.state.CopyFrom(root)
	top.legal = append(top.legal[:0], legal...)
	top.place = 0
	x.detours = x.detours[:0]
	for i := 1; i < len(t.links); i++ {
		own := x.level(int(t.Depths[i]))
		parent, a := &x.levels[t.Depths[i]-1], t.Actions[i]
		if len(parent.legal) == 0 {
			return fmt.Errorf("state %d: it follows state %d, where the game is over", i, parent.place)
		}
		if _, found := slices.BinarySearch(parent.legal, a); !found {
			return fmt.Errorf("state %d: action %d is not legal", i, a)
		}
		own.state.CopyFrom(parent.state)
		own.state.Apply(a)
		own.place = i
		t.links[i] = uint32(parent.place) << 1
		before := len(x.detours)
		x.detours = append(x.detours, int32(parent.place), 0)
		x.follow(own)
		if n := len(x.detours) - before - 2; n > 0 {
			x.detours[before+1] = int32(n)
			t.links[i] = uint32(before)<<1 | 1
		} else {
			x.detours = x.detours[:before]
		}
		if own.state.CurrentPlayer() == game.Chance {
			return fmt.Errorf("state %d: chance is to move; a tree holds decisions and finished games only", i)
		}
	}
	t.detours = slices.Clone(x.detours)
	return nil
}

// level is the path's state at a depth, made where it is missing.
func (x *indexer) level(depth int) *level {
	for depth >= len(x.levels) {
		x.levels = append(x.levels, level{state: x.game.NewState()})
	}
	return &x.levels[depth]
}

// follow plays sole legal actions, which it appends to the detours, until
// somebody has a choice, chance is to move, or the game is over.
func (x *indexer) follow(l *level) {
	for l.state.CurrentPlayer() >= 0 {
		if l.legal = l.state.LegalActions(l.legal[:0]); len(l.legal) > 1 {
			return
		}
		x.detours = append(x.detours, int32(l.legal[0]))
		l.state.Apply(l.legal[0])
	}
	l.legal = l.legal[:0]
}
