package mcts

import (
	"math"
	"slices"

	"tengen/game"
	"tengen/search"
)

// puct is the variant of PUCT. Among a decision's untried edges the one with
// the greatest prior is always the next to be tried, whatever Q it is given:
// it is kept at the front of them, so that a scan reads the edges tried, which
// come first, and one more.
type puct struct {
	c     float64
	first firstPlay
	noise Noise
	reuse bool

	noisy bool      // noise is on
	order []int32   // the root's edges by action
	draw  []float64 // their noise

	priors []float32 // [Actions] of the node being expanded
}

// firstPlay is Q for the untried edges of node i.
type firstPlay func(t *Tree, i int32) float64

func zeroFirst(*Tree, int32) float64 { return 0 }

func parentFirst(reduction float64) firstPlay {
	return func(t *Tree, i int32) float64 {
		nd := &t.nodes[i]
		mean := t.sums[int(i)*t.players+int(nd.mover)] / float64(nd.visits)
		return mean - float64(reduction*math.Sqrt(nd.mass))
	}
}

func newPUCT(g game.Game, o PUCT) *puct {
	n := g.Actions()
	p := &puct{
		c:     o.C,
		first: zeroFirst,
		noise: o.Noise,
		noisy: true,
		reuse: o.Reuse,
		order: make([]int32, 0, n),
		draw:  make([]float64, n),

		priors: make([]float32, n),
	}
	if o.FPU.fromParent {
		p.first = parentFirst(o.FPU.reduction)
	}
	return p
}

func (p *puct) keeps() bool { return p.reuse }

// begin mixes noise into the root's priors, once they are known.
func (p *puct) begin(t *Tree) {
	nd := &t.nodes[0]
	if !p.noisy || p.noise.Weight == 0 || nd.kind != decision || nd.edges == 0 {
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
	dirichlet(p.draw, p.noise.Concentration/float64(len(edges)), t.rng)
	nd.mass = 0
	for k, i := range p.order {
		e := &edges[i]
		t.clean[e.action] = e.prior
		e.prior = float32(float64((1-p.noise.Weight)*float64(e.prior)) + float64(p.noise.Weight*p.draw[k]))
		visits := int32(0)
		if e.child != 0 {
			visits = t.nodes[e.child].visits
			nd.mass += float64(e.prior)
		}
		terms[i].weight = p.weight(e.prior, visits)
	}
	t.promote(0)
}

// promote swaps the untried edge of node i with the greatest prior, and among
// equals the lowest action, to the front of the untried.
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

// opened leaves the edges for the evaluation, which brings their priors.
func (p *puct) opened(*Tree, int32) {}

// expand gives node i, whose legal actions are in t.buf, its edges.
func (p *puct) expand(t *Tree, i int32, evaluations search.Evaluations) {
	logits := evaluations.Logits(0)
	priors := p.priors[:len(t.buf)]
	for k, a := range t.buf {
		priors[k] = logits[a]
	}
	softmax(priors, priors)
	edges, terms := t.open(i, len(t.buf))
	for k, a := range t.buf {
		edges[k] = edge{action: a, prior: priors[k]}
		terms[k] = term{weight: float64(priors[k])}
	}
	t.promote(i)
}

// choose is the edge to follow from decision i.
func (p *puct) choose(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	terms := t.terms[nd.first : nd.first+nd.edges]
	width := p.width(nd.visits)
	best, score := pick(terms[:nd.tried], width)
	if nd.tried < nd.edges {
		if s := p.first(t, i) + float64(width*terms[nd.tried].weight); s > score {
			best = nd.tried
		}
	}
	return nd.first + best
}

// tried counts the edge just tried of decision i, and readies the next.
func (p *puct) tried(t *Tree, i int32) {
	nd := &t.nodes[i]
	nd.mass += float64(t.edges[nd.first+nd.tried].prior)
	nd.tried++
	t.promote(i)
}

// width is C·sqrt(N(s)).
func (p *puct) width(visits int32) float64 { return p.c * math.Sqrt(float64(visits)) }

// weight is P(s,a) / (1 + N(s,a)).
func (p *puct) weight(prior float32, visits int32) float64 { return float64(prior) / float64(1+visits) }
