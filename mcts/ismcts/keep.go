package ismcts

import "tengen/game"

// keeper has the memory that Follow needs. It is empty unless the tree keeps what it knows.
type keeper struct {
	on    bool
	nodes []int32 // [len(t.nodes)] new places; -1: dropped
	edges []int32 // [len(t.edges)]
}

const dropped = -1

// reserve makes room for a tree of a number of nodes and edges.
func (k *keeper) reserve(nodes, edges int) {
	if k.on {
		k.nodes, k.edges = make([]int32, nodes), make([]int32, edges)
	}
}

// Keep makes Follow keep what is known, and forgets what is known now. A tree that keeps has room
// for the nodes of two searches. Keep returns false, and does nothing, for MultipleObservers: a
// player does not know which of their nodes the others have come to.
func (t *Tree) Keep() bool {
	if _, ok := t.sets.(single); !ok {
		return false
	}
	t.keeper.on = true
	nodes := t.maxNodes
	if !t.bounded {
		nodes = t.nodesFor(t.loop.Simulations())
	}
	t.reserve(nodes)
	return true
}

// nodesFor returns the number of nodes for a number of simulations, each of which adds at most one,
// or with rollouts some.
func (t *Tree) nodesFor(simulations int) int {
	if t.rollouts {
		simulations *= t.depth
	}
	if t.keeper.on {
		return 2 * (simulations + 1)
	}
	return simulations + 1
}

// Follow makes a copy of s, in which a player is to move, the root. A tree that keeps, and that was
// searched for the same player, goes on from what it knows of the player's information set in s, if
// that is below its root; of several such nodes, reached by actions of others that look alike, from
// the one with the most visits. Otherwise Follow forgets all, as Start does. It reports whether
// anything is kept.
//
// The information set is recognised by its key. So what is kept does not depend on what the player
// can't see in s, nor on actions that it has not seen.
func (t *Tree) Follow(s game.State) (kept bool) {
	i := int32(0)
	if t.keeper.on && !t.loop.Waiting() && s.CurrentPlayer() == t.observer {
		i = t.locate(s)
	}
	t.root.CopyFrom(s)
	if i == 0 {
		t.forget()
		return false
	}
	if t.top != nil {
		t.top.root.Stop()
	}
	t.keep(i)
	t.loop.Reset()
	return true
}

// locate returns the node of the searching player's information set in s, 0 if there is none below
// the root.
func (t *Tree) locate(s game.State) (found int32) {
	key := s.(game.ImperfectInformation).InformationStateKey(t.observer)
	for i := 1; i < len(t.nodes); i++ {
		nd := &t.nodes[i]
		if nd.key == key && nd.mover == t.observer &&
			(found == 0 || nd.visits > t.nodes[found].visits) {
			found = int32(i)
		}
	}
	return found
}

// keep makes node root the root and drops all nodes that are not below it. Children come after
// their parents, so one pass finds those that are kept, and they move to the front in order.
func (t *Tree) keep(root int32) {
	if len(t.keeper.nodes) < len(t.nodes) || len(t.keeper.edges) < len(t.edges) {
		t.keeper.reserve(cap(t.nodes), cap(t.edges))
	}
	places, edgePlaces := t.keeper.nodes[:len(t.nodes)], t.keeper.edges[:len(t.edges)]
	for i := range places {
		places[i] = dropped
	}
	for e := range edgePlaces {
		edgePlaces[e] = dropped
	}
	t.nodes[root].next = 0
	places[root], edgePlaces[0] = 0, 0
	nodes, edges := int32(0), int32(1) // edge 0 is none
	for i := root; int(i) < len(t.nodes); i++ {
		if places[i] == dropped {
			continue
		}
		places[i] = nodes
		nodes++
		for e := t.nodes[i].first; e != 0; e = t.edges[e].next {
			edgePlaces[e] = 0 // for now
			for child := t.edges[e].child; child != 0; child = t.nodes[child].next {
				places[child] = 0
			}
		}
	}
	for e := 1; e < len(t.edges); e++ {
		if edgePlaces[e] != dropped {
			edgePlaces[e] = edges
			edges++
		}
	}
	for i, to := range places {
		if to == dropped {
			continue
		}
		nd := t.nodes[i]
		nd.first = edgePlaces[nd.first]
		if nd.next != 0 {
			nd.next = places[nd.next]
		}
		t.nodes[to] = nd
		copy(t.nodeSums[int(to)*t.players:], t.nodeSums[i*t.players:(i+1)*t.players])
		t.policy.move(t, to, int32(i))
	}
	for e, to := range edgePlaces {
		if to == dropped || e == 0 {
			continue
		}
		ed := t.edges[e]
		ed.next = edgePlaces[ed.next]
		if ed.child != 0 {
			ed.child = places[ed.child]
		}
		t.edges[to] = ed
		copy(t.sums[int(to)*t.players:], t.sums[e*t.players:(e+1)*t.players])
		if t.squared {
			t.edgeSquares[to] = t.edgeSquares[e]
		}
	}
	t.nodes, t.nodeSums = t.nodes[:nodes], t.nodeSums[:int(nodes)*t.players]
	t.edges, t.sums = t.edges[:edges], t.sums[:int(edges)*t.players]
	if t.squared {
		t.edgeSquares = t.edgeSquares[:edges]
	}
}
