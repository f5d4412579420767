package mcts

import "tengen/internal/machine"

// foreseen is the beginning of the path of the next simulation.
type foreseen struct {
	possible bool    // selection at decisions draws nothing at random
	edges    []int32 // of the path
	at       int32   // the node to which they lead; unbegun, or ended
}

const (
	unbegun = -1
	ended   = -2
)

// foreseenEdges are the edges of a node that are loaded. Those tried come first.
const foreseenEdges = 6

// Foresee implements search.Foreseer. It goes from one node of the next simulation's path to the
// next, by the choice that the simulation takes over, and prefetches that node and its edges. It
// ends at the first chance node. With UCT, whose choice draws at random, it does nothing.
func (t *Tree) Foresee() (more bool) {
	f := &t.foreseen
	if f.at == unbegun {
		if !f.possible || t.loop.Stats.Full || !t.loop.Selects() {
			return false
		}
		f.at = 0
		t.prefetch(0, 0)
		return true
	}
	if f.at == ended {
		return false
	}
	nd := &t.nodes[f.at]
	if nd.kind != decision && nd.kind != forced || nd.proven || nd.awaits {
		f.at = ended
		return false
	}
	k := nd.first
	if nd.kind == decision {
		k = t.policy.choose(t, f.at)
	}
	f.edges = append(f.edges, k)
	e := &t.edges[k]
	if e.child == 0 {
		f.at = ended
		return false
	}
	f.at = e.child
	t.prefetch(e.child, e.below)
	return true
}

// prefetch loads node i, whose first edge is given.
func (t *Tree) prefetch(i, first int32) {
	machine.Prefetch(t.nodes[i : i+1])
	machine.Prefetch(t.of(i))
	machine.Prefetch(t.edges[first:min(int(first)+foreseenEdges, len(t.edges))])
}

// take returns the edges foreseen. What is foreseen next is another path.
func (f *foreseen) take() (edges []int32) {
	edges = f.edges
	f.edges, f.at = f.edges[:0], unbegun
	return edges
}
