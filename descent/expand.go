package descent

import (
	"slices"

	"tengen/game"
	"tengen/internal/random"
	"tengen/search"
)

// pending is an expansion whose evaluations have been requested.
type pending struct {
	first, edges int32
	nodes        int     // in the tree before it
	asked        []int32 // [at most Actions] nodes that await their evaluations
}

// walkOn applies sole legal actions up to a decision, whose legal actions it leaves
// in t.legal, or the end of the game. It returns the player to move there and the
// number of actions.
func (t *Tree) walkOn(s game.State) (mover game.Player, forced int) {
	for {
		if mover = s.CurrentPlayer(); mover < 0 {
			return mover, forced
		}
		if t.legal = s.LegalActions(t.legal[:0]); len(t.legal) > 1 {
			return mover, forced
		}
		s.Apply(t.legal[0])
		forced++
	}
}

// keyOf returns the key of a state that was reached after plies actions.
func (t *Tree) keyOf(s game.State, plies int) uint64 {
	key := s.Hash()
	if t.rating.depth {
		key ^= uint64(plies) * random.Gamma
	}
	return random.Mix(key)
}

// child is a state that an expansion has made.
type child struct {
	state  game.State
	key    uint64
	mover  game.Player
	forced int
}

// side is the number of children made together: enough to overlap the memory accesses of their
// table look-ups, few enough to stay in the CPU's cache.
const side = 16

// expand makes the children of node t.at, whose state is t.work and whose legal actions are in
// t.buf, and adds those that must be evaluated to requests. It reports whether there are any.
func (t *Tree) expand(requests search.Requests) (asked bool) {
	p := &t.pending
	p.first, p.edges, p.nodes, p.asked = int32(len(t.edges)), int32(len(t.buf)),
		len(t.nodes), p.asked[:0]
	for actions := range slices.Chunk(t.buf, side) {
		for k, a := range actions {
			c := &t.children[k]
			c.state.CopyFrom(t.work)
			c.state.Apply(a)
			c.mover, c.forced = t.walkOn(c.state)
			c.key = t.keyOf(c.state, t.plies+1+c.forced)
		}
		t.table.touch(t.children[:len(actions)])
		for k, a := range actions {
			t.place(a, &t.children[k], requests)
		}
	}
	t.stats.Evaluations += len(p.asked)
	return len(p.asked) > 0
}

// place adds the edge to a child of node t.at, and the child if it is new.
func (t *Tree) place(a game.Action, c *child, requests search.Requests) {
	i := t.find(c.key)
	if i < 0 {
		i = t.add(c.key, c.mover)
		if c.mover < 0 {
			t.end(i, c.state, t.plies+1+c.forced)
		} else {
			t.nodes[i].is |= valued
			requests.Add(c.state)
			t.pending.asked = append(t.pending.asked, i)
		}
	}
	t.edges = append(t.edges, edge{action: a, child: i, forced: int32(c.forced)})
}

// end values node i, the end of a game, whose state is s.
func (t *Tree) end(i int32, s game.State, plies int) {
	v := t.of(i)
	s.Returns(v)
	nd := &t.nodes[i]
	nd.completion = completionsOf(v)
	nd.is |= valued | over | resolved
	t.rating.finished(s, plies, v)
}

// opened adds the pending expansion to the tree, after its evaluations.
func (t *Tree) opened() {
	nd := &t.nodes[t.at]
	nd.first, nd.edges = t.pending.first, t.pending.edges
	nd.is |= expanded | valued
	t.blocks = append(t.blocks, t.at)
	t.refresh(t.at)
	t.fresh = true
	t.stats.Expanded++
	t.deepen(len(t.path) + 1)
	if t.options.BestFirst {
		t.finish()
	}
}

// abandon undoes the pending expansion, whose evaluations will not be delivered.
func (t *Tree) abandon() {
	t.truncate(t.pending.nodes, int(t.pending.first))
	t.waiting = false
}
