package mcts

import (
	"math"
	"slices"

	"tengen/game"
	"tengen/mcts/internal/prior"
	"tengen/search"
)

// puct is the policy of PUCT. All untried edges of a decision have the same Q, so the one with
// the greatest prior is tried next. It is kept in front of the others: choose reads the tried
// edges, which come first, and one more.
type puct struct {
	c     float64
	fpu   FPU
	noise float64
	reuse bool

	noisy bool      // noise is on
	order []int32   // the root's edges by action
	draw  []float64 // their noise

	priors []float32 // [Actions] of the node being expanded
}

func newPUCT(g game.Game, o PUCT) *puct {
	n := g.Actions()
	return &puct{
		c:     o.C,
		fpu:   o.FPU,
		noise: o.Noise,
		noisy: true,
		reuse: o.Reuse,

		order: make([]int32, 0, n),
		draw:  make([]float64, n),

		priors: make([]float32, n),
	}
}

func (p *puct) keeps() bool { return p.reuse }

func (p *puct) setNoise(on bool) { p.noisy = on }

// ready mixes noise into the root's priors.
func (p *puct) ready(t *Tree) {
	nd := &t.nodes[0]
	if !p.noisy || t.mixed || p.noise == 0 || nd.kind != decision || nd.edges == 0 {
		return
	}
	t.mixed = true
	edges, terms := t.edgesOf(0), t.terms[nd.first:nd.first+nd.edges]
	p.order = p.order[:0]
	for i := range edges {
		p.order = append(p.order, int32(i))
	}
	slices.SortFunc(p.order, func(i, j int32) int { return int(edges[i].action - edges[j].action) })
	p.draw = p.draw[:len(edges)]
	prior.Noise(p.draw, t.rng)
	nd.visitedMass = 0
	for k, i := range p.order {
		e := &edges[i]
		t.clean[e.action] = e.prior
		e.prior = prior.Mix(e.prior, p.noise, p.draw[k])
		visits := int32(0)
		if e.child != 0 {
			visits = t.nodes[e.child].visits
			nd.visitedMass += float64(e.prior)
		}
		if terms[i].weight = p.weight(e.prior, visits); t.proven(e) {
			terms[i].weight = 0
		}
	}
	t.promote(0)
}

// promote swaps the untried edge of node i with the greatest prior, among equals
// the lowest action, to the front of the untried edges.
func (t *Tree) promote(i int32) {
	nd := &t.nodes[i]
	if nd.tried == nd.edges {
		return
	}
	edges := t.edges[nd.first+nd.tried : nd.first+nd.edges]
	terms := t.terms[nd.first+nd.tried : nd.first+nd.edges]
	terms = terms[:len(edges)]
	best, bestWeight := 0, terms[0].weight
	for j := range terms {
		if w := terms[j].weight; w > bestWeight || w == bestWeight && edges[j].action < edges[best].action {
			best, bestWeight = j, w
		}
	}
	edges[0], edges[best] = edges[best], edges[0]
	terms[0], terms[best] = terms[best], terms[0]
}

// opened gives decision i its edges, without priors.
func (p *puct) opened(t *Tree, i int32) {
	edges, _ := t.open(i, len(t.buf))
	for k, a := range t.buf {
		edges[k] = edge{action: a}
	}
	t.nodes[i].awaits = true
}

// expand gives the edges of decision i their priors.
func (p *puct) expand(t *Tree, i int32, evaluations search.Evaluations, row int) {
	nd := &t.nodes[i]
	nd.awaits = false
	logits := evaluations.Logits(row)
	edges := t.edgesOf(i)
	terms := t.terms[nd.first : nd.first+nd.edges]
	priors := p.priors[:len(edges)]
	for k := range edges {
		priors[k] = logits[edges[k].action]
	}
	prior.Softmax(priors, priors)
	for k := range edges {
		edges[k].prior = priors[k]
		terms[k] = term{weight: float64(priors[k])}
	}
	t.promote(i)
}

func (p *puct) choose(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	terms := t.terms[nd.first : nd.first+nd.edges]
	width := p.width(t, i)
	best, score := pick(terms[:nd.tried], width)
	if nd.tried < nd.edges {
		if s := p.unvisited(t, i) + float64(width*terms[nd.tried].weight); s > score {
			best = nd.tried
		}
	}
	return nd.first + best
}

func (p *puct) follow(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	return nd.follow(pick(t.terms[nd.first:nd.first+nd.tried], p.width(t, i)))
}

// follow returns the best of a node's edges, or -1 if its score is that of a loss.
func (nd *node) follow(best int32, score float64) (e int32) {
	if score == lost {
		return -1
	}
	return nd.first + best
}

func (p *puct) unvisited(t *Tree, i int32) float64 {
	nd := &t.nodes[i]
	return p.fpu.Q(t.sums[int(i)*t.players+int(nd.mover)], nd.visits, nd.visitedMass)
}

func (p *puct) tried(t *Tree, i int32) {
	nd := &t.nodes[i]
	nd.visitedMass += float64(t.edges[nd.first+nd.tried].prior)
	nd.tried++
	t.promote(i)
}

// width is C·sqrt(N(s)), where N(s) includes the visits under way.
func (p *puct) width(t *Tree, i int32) float64 {
	return p.c * math.Sqrt(float64(t.started(i)))
}

// weight is P(s,a) / (1 + N(s,a)).
func (p *puct) weight(prior float32, visits int32) float64 {
	return float64(prior) / float64(1+visits)
}
