package record

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
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

// IndexedTree is a tree that is legal by the rules, with an index for reaching its
// states without generating legal actions.
type IndexedTree struct {
	*Tree
	// links holds, for each state, twice its parent's index; if forced moves follow
	// the state's action, twice the index of its entry in forced, plus one.
	links []uint32
	// forced is a sequence of entries: the parent's index, the number of forced moves,
	// and these moves.
	forced []int32
	From   *Snapshot // at the root or before it; nil means the initial position
}

// link returns a state's parent, and the forced moves after the state's action.
func (t *IndexedTree) link(state int32) (parent int32, forced []int32) {
	link := t.links[state]
	if link&1 == 0 {
		return int32(link >> 1), nil
	}
	entry := t.forced[link>>1:]
	return entry[0], entry[2 : 2+entry[1]]
}

// States returns the number of states.
func (t *IndexedTree) States() int { return len(t.links) }

// Snapshot is a position in a game.
type Snapshot struct {
	State game.State
	Ply   int // the position before this ply
}

// StatesPerSnapshot is the minimum number of tree states between snapshots. A snapshot
// of 5×5 Go takes 2 KiB, so at most 8 bytes a state, and saves replaying the moves
// before it, half of the game on average.
const StatesPerSnapshot = 256

// Indexer checks trees against the rules and indexes them, one record at a time.
type Indexer struct {
	Game   game.Game
	levels []level // the path from a tree's root to the current state
	order  []int32 // the indices of the record's trees, ordered by ply
	next   int     // index in order
	Trees  []IndexedTree
	last   *Snapshot
	since  int // states since the last snapshot

	forced []int32 // of the current tree
}

// level is a state on a path.
type level struct {
	state game.State
	legal []game.Action // none if the game is over
	index int           // in the tree
}

// Start prepares for the trees of a record that has passed Check.
func (x *Indexer) Start(rec *Game) {
	x.order, x.next, x.last, x.since = x.order[:0], 0, nil, 0
	states := 0
	for k := range rec.Trees {
		x.order = append(x.order, int32(k))
		states += len(rec.Trees[k].Depths)
	}
	slices.SortStableFunc(x.order, func(a, b int32) int {
		return cmp.Compare(rec.Trees[a].Ply, rec.Trees[b].Ply)
	})
	// The samples of the record keep these.
	x.Trees = make([]IndexedTree, len(rec.Trees))
	links := make([]uint32, states)
	for k := range rec.Trees {
		n := len(rec.Trees[k].Depths)
		x.Trees[k] = IndexedTree{Tree: &rec.Trees[k], links: links[:n:n]}
		links = links[n:]
	}
}

// Release forgets the trees of the record, so that only samples keep them.
func (x *Indexer) Release() { x.Trees, x.last = nil, nil }

// At indexes the trees whose root is the position before ply; legal are its legal
// actions. It must be called for every ply in order.
func (x *Indexer) At(rec *Game, ply int, state game.State, legal []game.Action) error {
	for ; x.next < len(x.order) && rec.Trees[x.order[x.next]].Ply == ply; x.next++ {
		k := x.order[x.next]
		if len(legal) < 2 {
			return fmt.Errorf("game %d, tree %d: there was no choice at its root, before ply %d",
				rec.Number, k, ply)
		}
		t := &x.Trees[k]
		if err := x.index(t, state, legal); err != nil {
			return fmt.Errorf("game %d, tree %d, %w", rec.Number, k, err)
		}
		if x.since += len(t.links); x.since >= StatesPerSnapshot {
			x.since = 0
			if x.last == nil || x.last.Ply < ply {
				x.last = &Snapshot{State: x.Game.NewState(), Ply: ply}
				x.last.State.CopyFrom(state)
			}
		}
		t.From = x.last
	}
	return nil
}

// index applies every action of a tree once and fills its links.
func (x *Indexer) index(t *IndexedTree, root game.State, legal []game.Action) error {
	top := x.level(0)
	top.state.CopyFrom(root)
	top.legal = append(top.legal[:0], legal...)
	top.index = 0
	x.forced = x.forced[:0]
	for i := 1; i < len(t.links); i++ {
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
			return fmt.Errorf(
				"state %d: chance is to move; a tree has decisions and finished games only", i)
		}
	}
	t.forced = slices.Clone(x.forced)
	return nil
}

// level returns the path's state at a depth, and makes it if necessary.
func (x *Indexer) level(depth int) *level {
	for depth >= len(x.levels) {
		x.levels = append(x.levels, level{state: x.Game.NewState()})
	}
	return &x.levels[depth]
}

// follow applies forced moves and appends them to forced, until a player has a choice,
// chance is to move, or the game is over.
func (x *Indexer) follow(l *level) {
	for l.state.CurrentPlayer() >= 0 {
		if l.legal = l.state.LegalActions(l.legal[:0]); len(l.legal) > 1 {
			return
		}
		x.forced = append(x.forced, int32(l.legal[0]))
		l.state.Apply(l.legal[0])
	}
	l.legal = l.legal[:0]
}

// appendTrees appends the outcome and the trees. The depths of
// all trees come first, then the actions, then the values: similar data compresses
// better, and a decoder needs only three arrays for all trees of a game.
func appendTrees(b []byte, g *Game) []byte {
	if len(g.Outcome) > 0 {
		b = appendFloats(append(b, 1), g.Outcome)
	} else {
		b = append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(g.Trees)))
	for k := range g.Trees {
		b = binary.AppendUvarint(b, uint64(g.Trees[k].Ply))
		b = binary.AppendUvarint(b, uint64(len(g.Trees[k].Depths)))
	}
	for k := range g.Trees {
		depths := g.Trees[k].Depths
		for i := 1; i < len(depths); i++ {
			// levels above a child of the state before
			b = binary.AppendUvarint(b, uint64(depths[i-1]+1-depths[i]))
		}
	}
	for k := range g.Trees {
		for _, a := range g.Trees[k].Actions[1:] {
			b = binary.AppendUvarint(b, uint64(a))
		}
	}
	for k := range g.Trees {
		b = appendFloats(b, g.Trees[k].Values)
	}
	return b
}

// trees reads what appendTrees wrote.
func (d *decoder) trees(g *Game, players int) {
	switch flag := d.byte(); {
	case flag == 1:
		g.Outcome = d.floats(nil, players)
	case flag != 0:
		d.fail(fmt.Errorf("the flag of an outcome is %d; must be 0 or 1", flag))
	}
	if players < 1 {
		d.fail(errors.New("trees of a game without seats"))
	}
	if d.err != nil {
		return
	}
	room := 4 * players // bytes of a state's values
	n := d.count("the number of trees", 2+room)
	if n > len(g.Moves) {
		d.fail(fmt.Errorf("%d trees of %d moves", n, len(g.Moves)))
	}
	if n == 0 || d.err != nil {
		return
	}
	g.Trees = make([]Tree, n)
	sizes := make([]int, n)
	states := 0
	for k := range g.Trees {
		g.Trees[k].Ply = int(d.uvarint("the ply of a tree", math.MaxInt32))
		sizes[k] = d.count("the number of a tree's states", room)
		if states += sizes[k]; sizes[k] == 0 || states > len(d.data)/room {
			d.fail(fmt.Errorf("tree %d has %d states; must be at least 1 and fit in the record",
				k, sizes[k]))
			return
		}
	}
	depths, actions := make([]int32, 0, states), make([]game.Action, 0, states)
	for _, n := range sizes {
		depths = append(depths, 0)
		for range n - 1 {
			last := depths[len(depths)-1]
			depths = append(depths,
				last+1-int32(d.uvarint("a state's levels above a child", uint64(last))))
		}
	}
	for _, n := range sizes {
		actions = append(actions, game.NoAction)
		for range n - 1 {
			actions = append(actions, d.action())
		}
	}
	values := d.floats(make([]float32, 0, states*players), states*players)
	if d.err != nil {
		return
	}
	for k, n := range sizes {
		t := &g.Trees[k]
		t.Depths, depths = depths[:n:n], depths[n:]
		t.Actions, actions = actions[:n:n], actions[n:]
		t.Values, values = values[:n*players:n*players], values[n*players:]
	}
}
