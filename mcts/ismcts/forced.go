package ismcts

import (
	"math"

	"tengen/mcts/internal/pruning"
	"tengen/search"
)

// due reports whether an action of t.buf, with these priors, has been visited and has too few
// visits at the root. Visits under way count.
func (p *puct) due(t *Tree, priors []float32) bool {
	e := t.nodes[0].first
	for k, a := range t.buf {
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		if e != 0 && t.edges[e].action == a && p.isDue(&t.edges[e], priors[k]) {
			return true
		}
	}
	return false
}

// isDue is due for one action. The visits of all actions are those in which it was legal, without
// this one.
func (p *puct) isDue(ed *edge, prior float32) bool {
	n := ed.visits + ed.unseen
	return n > 0 && float64(n) < pruning.Least(p.forced, prior, ed.available-1)
}

// prune completes the children of the root, whose actions are in t.buf.
func (p *puct) prune(t *Tree, children []search.Child) {
	nd := &t.nodes[0]
	priors := p.priors(t, 0)
	if p.mixed {
		p.mix(priors)
	}
	most := 0
	for k := range children {
		if t.before(&children[k], &children[most]) {
			most = k
		}
	}
	sum := t.nodeSums[int(nd.mover)]
	square := 0.0
	if t.squared {
		square = t.nodeSquares[0]
	}
	c := p.vary.At(p.c, nd.visits, sum, square)
	child := func(e int32, k int) pruning.Child {
		ed := &t.edges[e]
		return pruning.Child{
			Visits: ed.visits, Prior: priors[k], Q: t.sums[int(e)*t.players+int(nd.mover)] / float64(ed.visits),
			Width: c * math.Sqrt(float64(ed.available+1)), // as in the next simulation
		}
	}
	best := 0.0
	for _, round := range []bool{true, false} {
		e := nd.first
		for k, a := range t.buf {
			for e != 0 && t.edges[e].action < a {
				e = t.edges[e].next
			}
			switch {
			case e == 0 || t.edges[e].action != a || t.edges[e].visits == 0:
			case round && k == most:
				best = child(e, k).Score()
			case !round && k != most:
				children[k].Pruned = int(child(e, k).Pruned(pruning.Least(p.forced, priors[k], t.edges[e].available), best))
			}
		}
	}
}
