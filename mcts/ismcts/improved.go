package ismcts

import (
	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/internal/gumbel"
)

// improved is the policy of mcts.Improved for information sets: of the actions that are legal in
// the current state, the one with the greatest
//
//	P'(s,a) - N(s,a) / A(s,a)
//
// is selected. P' is the improved policy over these actions, and A(s,a) counts the visits of the
// node in which a was legal, this one included: so visits become proportional to P' among the
// visits in which an action can be chosen. Of mcts.ByPolicy P' is the prior. If all actions are always legal it is Improved as in
// mcts.Tree.
type improved struct {
	*puct
	o     gumbel.Options
	plain bool // mcts.ByPolicy: sigma is 0
	// Of the legal actions: their edges (0 for none), visits, Q, and sigma.
	place  []int32
	visits []int32
	q      []float64
	sigma  []float64
}

func newImproved(g game.Game, o mcts.PUCT) *improved {
	n := g.Actions() + 1
	return &improved{
		puct: newPUCT(g, o), o: gumbelOptions(o.Gumbel), plain: o.Gumbel.Interior == mcts.ByPolicy,
		place: make([]int32, n), visits: make([]int32, n), q: make([]float64, n), sigma: make([]float64, n),
	}
}

func (p *improved) choose(t *Tree, i int32) (best int32) {
	priors := p.priors(t, i)
	nd := &t.nodes[i]
	t.open(nd, priors)
	n := len(t.buf)
	p.place, p.visits, p.q, p.sigma = p.place[:n], p.visits[:n], p.q[:n], p.sigma[:n]
	e := nd.first
	for k, a := range t.buf {
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		p.place[k], p.visits[k], p.q[k] = 0, 0, 0
		if e == 0 || t.edges[e].action != a {
			continue
		}
		ed := &t.edges[e]
		p.place[k], p.visits[k] = e, ed.visits
		if ed.visits > 0 {
			p.q[k] = t.sums[int(e)*t.players+int(nd.mover)] / (float64(ed.visits) + float64(t.virtual*float64(ed.unseen)))
		}
	}
	p.o.Sigma(p.sigma, priors, p.visits, p.q, t.own(i, int(nd.mover)))
	if p.plain {
		clear(p.sigma)
	}
	hi := p.sigma[0]
	for _, x := range p.sigma {
		hi = max(hi, x)
	}
	sum := 0.0
	for k, x := range p.sigma {
		p.sigma[k] = gumbel.Weight(priors[k], x-hi)
		sum += p.sigma[k]
	}
	score := -2.0
	for k, e := range p.place {
		if e == 0 {
			continue
		}
		ed := &t.edges[e]
		if s := p.sigma[k]/sum - float64(ed.visits+ed.unseen)/float64(ed.available); s > score {
			best, score = e, s
		}
	}
	return best
}
