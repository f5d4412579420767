package mcts

import (
	"cmp"
	"math"
	"slices"

	"tengen/game"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// pick returns the first of the edges with the greatest score mean + width·weight. The score is
// minus infinity if all of them are lost, or there are none.
func pick(edges []edge, width float64) (best int32, score float64) {
	score = math.Inf(-1)
	for i := range edges {
		// The conversion prevents fused multiply-add, so that all processors choose the same.
		if s := edges[i].mean + float64(width*edges[i].weight); s > score {
			best, score = int32(i), s
		}
	}
	return best, score
}

// score updates the mean and weight of the edge that leads to node i from a decision of parent.
// Visits under way count in its weight, and in its mean only by PUCT.VirtualLoss, which does not
// raise a first-play urgency below 0. What is proven needs no exploration, and a proven loss no
// visits.
func (t *Tree) score(i int32, parent game.Player) {
	nd := &t.nodes[i]
	sum, visits := t.sums[int(i)*t.players+int(parent)], float64(nd.visits)
	started := nd.visits
	if t.overlap {
		f := t.flights[i]
		started += f.n
		if nd.visits == 0 {
			sum, visits = float64(f.q), 1
		}
		if sum > 0 {
			visits += float64(t.virtual * float64(f.n))
		}
	}
	e := &t.edges[nd.in]
	e.mean, e.weight = sum/visits, 0
	switch {
	case !nd.proven:
		e.weight = t.policy.weight(e.prior, started)
	case sum <= 0:
		e.mean = lost
	}
}

// puct is the policy of PUCT. All untried edges of a decision have the same Q, so the one with
// the greatest prior is tried next. It is kept in front of the others: choose reads the tried
// edges, which come first, and one more.
type puct struct {
	planning.RootNoise
	c      float64
	fpu    FPU
	reuse  bool
	order  []int32   // the root's edges by action
	priors []float32 // [Actions] of the node being expanded
}

func newPUCT(g game.Game, o PUCT) *puct {
	n := g.Actions()
	return &puct{
		RootNoise: planning.NewRootNoise(o.Noise, n),
		c:         o.C,
		fpu:       o.FPU,
		reuse:     o.Reuse,
		order:     make([]int32, 0, n),
		priors:    make([]float32, n),
	}
}

func (p *puct) keeps() bool { return p.reuse }

// ready mixes noise into the root's priors.
func (p *puct) ready(t *Tree) {
	nd := &t.nodes[0]
	if !p.Noisy() || t.mixed || nd.kind != decision || nd.edges == 0 {
		return
	}
	t.mixed = true
	edges := t.edgesOf(0)
	p.order = p.order[:0]
	for i := range edges {
		p.order = append(p.order, int32(i))
	}
	slices.SortFunc(p.order, func(i, j int32) int { return int(edges[i].action - edges[j].action) })
	p.Draw(len(edges), t.rng)
	nd.visitedMass = 0
	for k, i := range p.order {
		e := &edges[i]
		t.clean[e.action] = e.prior
		e.prior = p.Mix(k, e.prior)
		visits := int32(0)
		if e.child != 0 {
			visits = t.nodes[e.child].visits
			nd.visitedMass += float64(e.prior)
		}
		if e.weight = p.weight(e.prior, visits); t.proven(e) {
			e.weight = 0
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
	best, bestWeight := 0, edges[0].weight
	for j := range edges {
		if w := edges[j].weight; w > bestWeight ||
			w == bestWeight && edges[j].action < edges[best].action {
			best, bestWeight = j, w
		}
	}
	edges[0], edges[best] = edges[best], edges[0]
}

// opened gives decision i its edges, without priors.
func (p *puct) opened(t *Tree, i int32) {
	edges := t.open(i, len(t.buf))
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
	priors := p.priors[:len(edges)]
	for k := range edges {
		priors[k] = logits[edges[k].action]
	}
	planning.Softmax(priors, priors)
	for k := range edges {
		edges[k].prior, edges[k].weight = priors[k], float64(priors[k])
	}
	t.promote(i)
}

func (p *puct) choose(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	edges := t.edgesOf(i)
	width := p.width(t, i)
	best, score := pick(edges[:nd.tried], width)
	if nd.tried < nd.edges {
		if s := p.unvisited(t, i) + float64(width*edges[nd.tried].weight); s > score {
			best = nd.tried
		}
	}
	return nd.first + best
}

func (p *puct) follow(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	return nd.follow(pick(t.edges[nd.first:nd.first+nd.tried], p.width(t, i)))
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

// uct is the policy of UCT. Scale divides C instead of multiplying the
// utilities, which chooses the same edges.
type uct struct {
	c      float64   // C/Scale
	widths []float64 // c·sqrt(ln n) for small n
	reuse  bool
}

func newUCT(o UCT) *uct {
	u := &uct{c: o.C / cmp.Or(o.Scale, 1), widths: make([]float64, 1024), reuse: o.Reuse}
	for n := 1; n < len(u.widths); n++ {
		u.widths[n] = u.slowWidth(int32(n))
	}
	return u
}

func (u *uct) keeps() bool { return u.reuse }

func (u *uct) SetNoise(bool) {}

func (u *uct) ready(*Tree) {}

// opened gives decision i its edges.
func (u *uct) opened(t *Tree, i int32) {
	edges := t.open(i, len(t.buf))
	for k, a := range t.buf {
		edges[k] = edge{action: a}
	}
}

func (u *uct) expand(*Tree, int32, search.Evaluations, int) {}

// unvisited is 0: an edge that choose returns is visited before the next choice.
func (u *uct) unvisited(*Tree, int32) float64 { return 0 }

// choose returns a random untried edge while there is one.
func (u *uct) choose(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	if nd.tried < nd.edges {
		edges := t.edges[nd.first+nd.tried : nd.first+nd.edges]
		k := t.rng.IntN(len(edges))
		edges[0], edges[k] = edges[k], edges[0]
		return nd.first + nd.tried
	}
	best, _ := pick(t.edgesOf(i), u.width(t, i))
	return nd.first + best
}

func (u *uct) follow(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	return nd.follow(pick(t.edges[nd.first:nd.first+nd.tried], u.width(t, i)))
}

func (u *uct) tried(t *Tree, i int32) { t.nodes[i].tried++ }

// width is C·sqrt(ln N(s)) / Scale.
func (u *uct) width(t *Tree, i int32) float64 {
	visits := t.started(i)
	if int(visits) < len(u.widths) {
		return u.widths[visits]
	}
	return u.slowWidth(visits)
}

func (u *uct) slowWidth(visits int32) float64 {
	return u.c * math.Sqrt(math.Log(float64(visits)))
}

// weight is 1 / sqrt(N(s,a)).
func (u *uct) weight(_ float32, visits int32) float64 {
	return 1 / math.Sqrt(float64(visits))
}
