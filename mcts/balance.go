package mcts

import "tengen/game"

// balance is outcome for PUCT.Balanced: it chooses the outcome that lags the most behind its probability p, the one
// with the greatest p·(N+1) - n. Here n are the visits of the outcome, those under way included, and N is the sum
// of all n. Of outcomes that lag equally, the first in the node's order of turns is chosen.
//
// The tree must not be full: the outcome chosen may be a new edge.
func (t *Tree) balance(i int32) (e int32) {
	nd := &t.nodes[i]
	t.outc = t.work.(game.Chancer).Outcomes(t.outc[:0])
	edges := t.edges[nd.first : nd.first+nd.tried]
	visits := func(k int) int32 {
		if child := edges[k].child; child != 0 {
			return t.started(child)
		}
		return 0 // the edge was added when there was no room for its child
	}
	all := int32(0)
	for k := range edges {
		all += visits(k)
	}
	first, step := turns(t.random, len(t.path), len(t.outc))
	best, chosen, most := -1, nd.tried, 0.0
	for k, at := 0, first; k < len(t.outc); k, at = k+1, (at+step)%len(t.outc) {
		edge, n := nd.tried, int32(0)
		for k := range edges {
			if edges[k].action == t.outc[at].Action {
				edge, n = int32(k), visits(k)
				break
			}
		}
		// The conversion prevents fused multiply-add, so that all processors choose the same.
		lag := float64(t.outc[at].Probability*float64(all+1)) - float64(n)
		if best < 0 || lag > most+leastLag {
			best, chosen, most = at, edge, lag
		}
	}
	if e = nd.first + chosen; chosen == nd.tried {
		t.edges[e], t.terms[e] = edge{action: t.outc[best].Action}, term{}
		nd.tried++
	}
	return e
}

// leastLag is the difference of lags, in visits, that roundings do not make.
const leastLag = 1e-9

// turns returns the order in which n outcomes that lag equally take turns, at a depth of the tree of a search with
// the given random number: the index of the first, and the step from one to the next, modulo n. Nodes of one depth
// have the same order, so that actions beside each other are compared by the same outcomes. The step is near n
// divided by the golden ratio, so that the first few outcomes lie all over the list, and has no factor in common with n.
func turns(random uint64, depth, n int) (first, step int) {
	x := (random + uint64(depth)) * 0x9e3779b97f4a7c15
	for step = max(1, (n*618+500)/1000); gcd(step, n) > 1; {
		step++
	}
	return int((x ^ x>>32) % uint64(n)), step
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}
