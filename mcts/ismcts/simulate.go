package ismcts

import (
	"tengen/game"
	"tengen/mcts/internal/simulation"
)

// selectSlot walks from a determinization of the root as selectPath does, and leaves its edges
// and nodes in the slot. A simulation that does not end at once is under way.
func (t *Tree) selectSlot(slot int) simulation.Wait {
	x := &t.slots[slot]
	t.path, t.trail = x.path, x.trail
	w := t.selectPath()
	x.path, x.trail = t.path, t.trail
	for _, e := range x.path {
		t.edges[e].unseen++
	}
	t.keepState(x, w)
	return w
}

// resumeSlot goes on with the simulation of slot from, whose node has been evaluated, in slot to.
func (t *Tree) resumeSlot(to, from int) simulation.Wait {
	t.slots[to], t.slots[from] = t.slots[from], t.slots[to]
	x := &t.slots[to]
	t.path, t.trail = x.path, x.trail
	t.work.CopyFrom(x.state)
	t.sets.load(x.observed)
	last := len(t.trail) - 1
	i := t.trail[last]
	t.trail = t.trail[:last]
	done := len(t.path)
	w := t.walk(i)
	x.path, x.trail = t.path, t.trail
	for _, e := range x.path[done:] {
		t.edges[e].unseen++
	}
	t.keepState(x, w)
	return w
}

// keepState keeps what resumeSlot needs of a simulation that waits.
func (t *Tree) keepState(x *slot, w simulation.Wait) {
	if t.rollouts && w != simulation.Nothing {
		x.state.CopyFrom(t.work)
		x.observed = t.sets.save(x.observed[:0])
	}
}

// onward reports whether the simulation of a slot goes on from the node that has been evaluated: with
// mcts.PUCT.Rollouts, as long as there is room.
func (t *Tree) onward(int) bool { return !t.loop.Stats.Full }

// selectPath walks from a determinization of the root to a new node, to a node that awaits its
// evaluation, or to the end of the game. It leaves its edges in t.path and its nodes in t.trail,
// and either a state to evaluate in t.work or the result in t.loop.Values. At a node that
// awaits its evaluation it is another determinization that is evaluated, for its value alone.
func (t *Tree) selectPath() simulation.Wait {
	t.work.CopyFrom(t.root)
	if t.dealer != nil {
		t.dealer.Deal(t.work, t.observer, t.rng)
	} else {
		t.hidden.Determinize(t.rng, t.observer)
	}
	t.sets.begin(t)
	t.path, t.trail = t.path[:0], t.trail[:0]
	return t.walk(0)
}

// walk is selectPath from node i on, whose state is in t.work.
func (t *Tree) walk(i int32) simulation.Wait {
	for {
		t.trail = append(t.trail, i)
		t.buf = t.work.LegalActions(t.buf[:0])
		e := t.policy.choose(t, i)
		if e == 0 {
			return simulation.Leaf
		}
		t.path = append(t.path, e)
		t.sets.act(t.nodes[i].mover, t.edges[e].action)
		t.work.Apply(t.edges[e].action)
		for t.work.CurrentPlayer() == game.Chance {
			t.work.Apply(t.work.(game.Chancer).Sample(t.rng))
		}
		if t.work.CurrentPlayer() == game.Nobody {
			t.loop.Ended()
			return simulation.Nothing
		}
		key, list := t.sets.find(t, e)
		for i = *list; i != 0 && t.nodes[i].key != key; {
			i = t.nodes[i].next
		}
		if i != 0 {
			if t.nodes[i].awaits {
				t.trail = append(t.trail, i)
				return simulation.Leaf
			}
			continue
		}
		if !t.nodeRoom() {
			t.loop.Stats.Full = true
			return simulation.Leaf
		}
		i = t.addNode(node{key: key, next: *list, mover: t.work.CurrentPlayer(), awaits: t.policy.evaluatesRoot()})
		*list = i
		t.trail = append(t.trail, i)
		return simulation.Expansion
	}
}

// addNode appends a node. There must be room.
func (t *Tree) addNode(nd node) int32 {
	t.nodes = append(t.nodes, nd)
	t.nodeSums = t.nodeSums[:len(t.nodes)*t.players]
	clear(t.nodeSums[(len(t.nodes)-1)*t.players:])
	return int32(len(t.nodes) - 1)
}

// addEdge adds the edge of an action, available once, to the list of a node's
// edges at the given place. There must be room.
func (t *Tree) addEdge(at *int32, a game.Action) int32 {
	e := int32(len(t.edges))
	next := *at
	*at = e
	t.edges = append(t.edges, edge{action: a, available: 1, next: next})
	t.sums = t.sums[:len(t.sums)+t.players]
	clear(t.sums[int(e)*t.players:])
	if t.squared {
		t.edgeSquares = append(t.edgeSquares, 0)
	}
	return e
}

// backup adds the result of a simulation to the nodes and edges of its path. It
// returns the length of the path.
func (t *Tree) backup(slot int) (depth int) {
	x := &t.slots[slot]
	for _, i := range x.trail {
		t.nodes[i].visits++
		for p, v := range t.loop.Values {
			t.nodeSums[int(i)*t.players+p] += v
		}
	}
	for _, e := range x.path {
		t.edges[e].visits++
		t.edges[e].unseen--
		for p, v := range t.loop.Values {
			t.sums[int(e)*t.players+p] += v
		}
	}
	if t.squared {
		for k, e := range x.path {
			v := t.loop.Values[t.nodes[x.trail[k]].mover]
			t.edgeSquares[e] += float64(v * v)
		}
	}
	return len(x.path)
}
