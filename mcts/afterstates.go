package mcts

import "tengen/game"

// spread is the variance of the utilities after the outcomes of chance, in variances of the error of an
// afterstate's evaluation: after a roll of Hypergammon's dice they differ by some 0.3 points, and a network that has learned for an
// hour errs by 0.1.
const spread = 10

// backupAfterstates is backup in a tree whose chance nodes are evaluated. The utility of a chance node is
//
//	(1-w)·v + w·Σ p(o)·Q(o) / Σ p(o),   w = c / (c + (1-c)·spread/n)
//
// where v is its own evaluation, the sums are over the outcomes o that have been visited, c is Σ p(o), and n is the number of all
// outcomes. It is the mean of the evaluation and of the outcomes, weighed by the inverse of their variances: that of a sample without
// replacement falls with the share c that it covers, to 0. The utility is v after the first visit, and
// the exact expectation over the outcomes once all have been visited.
//
// The nodes before it then count the change of that utility times its visits, so that the sum of a
// decision stays that of its own evaluation and of its children.
func (t *Tree) backupAfterstates(path []int32) {
	add := t.loop.Values // to the sums
	var values [game.MaxPlayers]float64
	found := values[:t.players] // the utilities that the simulation has found, for the squares
	copy(found, add)
	for k := len(path) - 1; k >= 0; k-- {
		i := path[k]
		nd := &t.nodes[i]
		if t.overlap {
			t.flights[i].n--
		}
		nd.visits++
		sums := t.of(i)
		if nd.kind == chance {
			t.expect(i, found)
			for p, u := range found {
				add[p] = float64(u*float64(nd.visits)) - sums[p]
			}
		}
		for p, v := range add {
			sums[p] += v
		}
		parent := game.Nobody
		if k > 0 {
			parent = t.nodes[path[k-1]].mover
		}
		if parent >= 0 {
			t.score(i, parent)
		}
		if t.squared {
			t.squares[i].add(found, nd.mover, parent)
		}
	}
}

// expect writes the utilities of chance node i to dst.
func (t *Tree) expect(i int32, dst []float64) {
	nd := &t.nodes[i]
	predicted := t.prediction(i)
	clear(dst)
	covered := 0.0
	for e := nd.first; e < nd.first+nd.tried; e++ {
		child := t.edges[e].child
		if child == 0 || t.nodes[child].visits == 0 {
			continue
		}
		probability, n := t.terms[e].weight, float64(t.nodes[child].visits)
		covered += probability
		for p, sum := range t.of(child) {
			dst[p] += float64(probability * (sum / n))
		}
	}
	if covered == 0 {
		copy(dst, predicted)
		return
	}
	w := covered / (covered + float64(max(0, 1-covered)*(spread/float64(nd.edges))))
	for p, v := range predicted {
		dst[p] = float64((1-w)*v) + float64(w*(dst[p]/covered))
	}
}
