package mcts

import (
	"math"
	"math/rand/v2"

	"tengen/game"
	"tengen/search"
)

// infoPUCT is what PUCT adds to a search by information sets: at a node the action
// with the greatest
//
//	Q(s,a) + C·P(s,a)·sqrt(A(s,a)) / (1 + N(s,a))
//
// is taken among those that are legal in the state at hand. A(s,a) is the number of
// visits in which a was legal, this one included, and P the softmax of the node's logits over
// the actions that are legal now. The logits are those of the state with which the node was
// met first, as its mover sees it. At the observer's own nodes, and with MultipleObservers
// at all nodes, these are the logits of all its states; with SingleObserver at others' nodes
// they are the prior of one hand that was drawn, applied to all that
// may be held. Where all actions are always legal it is PUCT as in Tree.
type infoPUCT struct {
	c     float64
	first FPU
	noise Noise
	noisy bool

	logits []float32 // [nodes, Actions]
	priors []float32 // of the legal actions
	draw   []float64 // noise of the root's legal actions
	mixed  bool      // draw is to be used
}

// NewInfoSetsPUCT makes a search of g by information sets that is guided by an
// evaluator's policy. Reuse is not used: nothing is kept. It panics where
// o.Validate has something to say.
func NewInfoSetsPUCT(g game.Game, o PUCT, rng *rand.Rand) *InfoSets {
	if err := o.Validate(); err != nil {
		panic("mcts: " + err.Error())
	}
	t := newInfoSets(g, o.Simulations, o.MaxNodes, o.Observers, rng)
	n := g.Actions() + 1
	t.policy = &infoPUCT{
		c: o.C, first: o.FPU, noise: o.Noise, noisy: true,
		priors: make([]float32, n), draw: make([]float64, n),
	}
	t.reserve()
	return t
}

// SetNoise turns the root noise of PUCT on or off for the searches that begin later.
func (t *InfoSets) SetNoise(on bool) {
	if t.policy != nil {
		t.policy.noisy = on
	}
}

// expand keeps the logits of node i, just evaluated.
func (p *infoPUCT) expand(t *InfoSets, i int32, evaluations search.Evaluations) {
	end := (int(i) + 1) * t.actions
	p.logits = p.logits[:end]
	copy(p.logits[end-t.actions:], evaluations.Logits(0))
}

// begin draws the root's noise.
func (p *infoPUCT) begin(t *InfoSets) {
	p.mixed = p.noisy && p.noise.Weight > 0
	if p.mixed {
		t.buf = t.root.LegalActions(t.buf[:0])
		p.draw = p.draw[:len(t.buf)]
		dirichlet(p.draw, p.noise.Concentration/float64(len(t.buf)), t.rng)
	}
}

// prior fills p.priors with those of the legal actions in t.buf at node i, without noise.
func (p *infoPUCT) prior(t *InfoSets, i int32) []float32 {
	p.priors = p.priors[:len(t.buf)]
	if len(t.buf) == 1 { // it may have no place in the policy
		p.priors[0] = 1
		return p.priors
	}
	logits := p.logits[int(i)*t.actions:]
	for k, a := range t.buf {
		p.priors[k] = logits[a]
	}
	softmax(p.priors, p.priors)
	return p.priors
}

// choose is InfoSets.choose with PUCT.
func (p *infoPUCT) choose(t *InfoSets, i int32) (best int32) {
	priors := p.prior(t, i)
	if i == 0 && p.mixed {
		w := p.noise.Weight
		for k := range priors {
			priors[k] = float32(float64((1-w)*float64(priors[k])) + float64(w*p.draw[k]))
		}
	}
	nd := &t.nodes[i]
	// Every legal action gets its edge, and is counted.
	full := len(t.edges)+len(t.buf) > cap(t.edges)
	mass := 0.0
	at := &nd.first
	for k, a := range t.buf {
		for *at != 0 && t.edges[*at].action < a {
			at = &t.edges[*at].next
		}
		switch {
		case *at != 0 && t.edges[*at].action == a:
			ed := &t.edges[*at]
			ed.available++
			if ed.visits > 0 {
				mass += float64(priors[k])
			}
		case full:
			t.stats.Full = true
		default:
			t.addEdge(at, a)
		}
	}
	unvisited := 0.0
	if p.first.fromParent {
		mean := t.nodeSums[int(i)*t.players+int(nd.mover)] / float64(nd.visits)
		unvisited = mean - float64(p.first.reduction*math.Sqrt(mass))
	}
	score := math.Inf(-1)
	e := nd.first
	for k, a := range t.buf {
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		if e == 0 || t.edges[e].action != a {
			continue
		}
		ed := &t.edges[e]
		q := unvisited
		if ed.visits > 0 {
			q = t.sums[int(e)*t.players+int(nd.mover)] / float64(ed.visits)
		}
		width := p.c * math.Sqrt(float64(ed.available))
		if s := q + float64(width*(float64(priors[k])/float64(1+ed.visits))); s > score {
			best, score = e, s
		}
	}
	return best
}

// Choose draws an action as Tree.Choose does.
func (t *InfoSets) Choose(temperature float64, rng *rand.Rand) game.Action {
	if !(temperature > 0) {
		return t.Best()
	}
	t.children = t.Children(t.children[:0])
	return drawChild(t.children, temperature, rng, t.Best)
}
