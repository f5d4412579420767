package mcts

import (
	"math"

	"tengen/game"
)

// balance is outcome for PUCT.Balanced: it chooses the outcome that lags the most behind its
// probability p, the one with the greatest p·(N+1) - n. Here n are the visits of the outcome, those
// under way included, and N is the sum of all n. Of outcomes that lag equally, the first in the
// node's order of turns is chosen.
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
	for k := range t.outc {
		at, edge, n := (first+k*step)%len(t.outc), nd.tried, int32(0)
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
		t.edges[e] = edge{action: t.outc[best].Action}
		nd.tried++
	}
	t.edges[e].prior = float32(t.outc[best].Probability)
	return e
}

// weigh replaces t.change, by which a visit has changed the sums of an outcome, node below, by what
// the sums of the chance node i change by, for PUCT.Balanced. All n visits of its outcomes count
// there with the mean of the outcomes that have visits, each by its probability, whatever number of
// visits it has:
//
//	n · sum of p·Q / sum of p
//
// Visits in whole numbers can't follow probabilities closely: of the first 21 visits of two dice
// each of the 21 rolls has one, a double of probability 1/36 as well as the others of 2/36. Visits
// that ended at node i itself, of which there are only in a full tree, count with their own values.
func (t *Tree) weigh(i, below int32) {
	nd := &t.nodes[i]
	edges := t.edges[nd.first : nd.first+nd.tried]
	for p, change := range t.change {
		before, after := weighted{}, weighted{}
		for k := range edges {
			e := &edges[k]
			if e.child == 0 {
				continue
			}
			sum, visits := t.of(e.child)[p], t.nodes[e.child].visits
			after.add(e.prior, sum, visits)
			if e.child == below {
				sum, visits = sum-change, visits-1
			}
			before.add(e.prior, sum, visits)
		}
		t.change[p] = after.sum() - before.sum()
	}
}

// weighted sums the values of outcomes by their probabilities.
type weighted struct {
	mean, mass float64 // sums of p·Q and of p
	visits     int32
}

// add adds an outcome of probability p with the sum of its values over a number of visits. One
// without visits does not count.
func (w *weighted) add(p float32, sum float64, visits int32) {
	if visits == 0 {
		return
	}
	// The conversion prevents fused multiply-add.
	w.mean += float64(float64(p) * (sum / float64(visits)))
	w.mass += float64(p)
	w.visits += visits
}

// sum returns the weighted mean times the visits. It is rounded to a multiple of 2⁻³², so that
// differences and sums of such values are exact, up to a million visits or so, and equal ones stay
// equal.
func (w *weighted) sum() float64 {
	if w.visits == 0 {
		return 0
	}
	const grid = 1 << 32
	return math.RoundToEven(w.mean/w.mass*float64(w.visits)*grid) / grid
}

// leastLag is the difference of lags, in visits, that roundings do not make.
const leastLag = 1e-9

// turns returns the order in which n outcomes that lag equally take turns, at a depth of the tree
// of a search with the given random number: the index of the first, and the step from one to the
// next, modulo n. Nodes of one depth have the same order, so that actions beside each other are
// compared by the same outcomes. The step is near n divided by the golden ratio, so that the first
// few outcomes lie all over the list, and has no factor in common with n.
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
