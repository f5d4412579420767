package mcts

import (
	"math"

	"tengen/mcts/internal/pruning"
	"tengen/search"
)

// force returns the edge of the root to follow because it has too few visits, of several the one
// with the greatest score; -1 if there is none. Visits under way count. What is proven needs none.
func (p *puct) force(t *Tree) (e int32) {
	nd := &t.nodes[0]
	edges, terms := t.edges[nd.first:nd.first+nd.tried], t.terms[nd.first:nd.first+nd.tried]
	sum := int32(0)
	for i := range edges {
		sum += t.started(edges[i].child)
	}
	best, score := int32(-1), math.Inf(-1)
	width := p.width(t, 0)
	for i := range edges {
		if t.nodes[edges[i].child].proven || float64(t.started(edges[i].child)) >= pruning.Least(p.forced, edges[i].prior, sum) {
			continue
		}
		// The conversion prevents fused multiply-add.
		if s := terms[i].mean + float64(width*terms[i].weight); s > score {
			best, score = nd.first+int32(i), s
		}
	}
	return best
}

// prune completes the children of the root, which are in the order of its edges.
func (p *puct) prune(t *Tree, children []search.Child) {
	nd := &t.nodes[0]
	edges := t.edgesOf(0)
	sum, most := int32(0), -1
	for i := range edges {
		if edges[i].child == 0 {
			continue
		}
		sum += t.nodes[edges[i].child].visits
		if t.terms[nd.first+int32(i)].mean == lost {
			continue // settle prunes it
		}
		if most < 0 || t.more(0, nd.mover, &edges[i], &edges[most]) {
			most = i
		}
	}
	if sum == 0 || most < 0 {
		return
	}
	child := func(i int) pruning.Child {
		c := pruning.Child{Prior: edges[i].prior, Width: p.width(t, 0)}
		c.Visits, c.Q = t.record(&edges[i], nd.mover)
		return c
	}
	best := child(most).Score()
	for i := range edges {
		if i != most && edges[i].child != 0 {
			children[i].Pruned = int(child(i).Pruned(pruning.Least(p.forced, edges[i].prior, sum), best))
		}
	}
}
