package ismcts

import (
	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// gumbelRoot plays the root as mcts.Gumbel describes, and leaves the other nodes to another
// policy. The root's legal actions are those of the searching player, and so the same in all
// determinizations.
type gumbelRoot struct {
	policy
	root  *planning.Root
	place []int32 // [legal actions] their edges, 0 for none
}

func newGumbelRoot(g game.Game, o mcts.PUCT) *gumbelRoot {
	o.Noise = 0
	r := &gumbelRoot{}
	if r.policy = newPUCT(g, o); o.Gumbel.Interior != mcts.ByPUCT {
		r.policy = newImproved(g, o)
	}
	n := g.Actions() + 1
	r.root = planning.NewRoot(o.Gumbel, n)
	r.place = make([]int32, n)
	return r
}

func (r *gumbelRoot) SetNoise(on bool) { r.root.SetNoise(on) }

func (r *gumbelRoot) ready(t *Tree) {
	t.buf = t.root.LegalActions(t.buf[:0])
	r.root.Resize(len(t.buf))
	r.place = r.place[:len(t.buf)]
	r.tell(t)
	r.root.Begin(t.loop.Budget(), t.rng)
}

// tell tells the root what the tree knows of its actions, which are in t.buf.
func (r *gumbelRoot) tell(t *Tree) {
	x := r.root
	copy(x.Priors, r.priors(t, 0))
	mover := int(t.nodes[0].mover)
	e := t.nodes[0].first
	for k, a := range t.buf {
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		r.place[k], x.Visits[k], x.Under[k], x.Q[k] = 0, 0, 0, 0
		if x.Closed[k] = e == 0 || t.edges[e].action != a; x.Closed[k] {
			continue
		}
		ed := &t.edges[e]
		r.place[k], x.Visits[k], x.Under[k] = e, ed.visits, ed.unseen
		if ed.visits > 0 {
			x.Q[k] = t.sums[int(e)*t.players+mover] / float64(ed.visits)
		}
	}
	x.Raw = t.own(0, mover)
}

// own returns the mean utility of player p in the evaluations of node i itself.
func (t *Tree) own(i int32, p int) float64 {
	visits, sum := t.nodes[i].visits, t.nodeSums[int(i)*t.players+p]
	for e := t.nodes[i].first; e != 0; e = t.edges[e].next {
		visits -= t.edges[e].visits
		sum -= t.sums[int(e)*t.players+p]
	}
	return sum / float64(max(visits, 1))
}

func (r *gumbelRoot) choose(t *Tree, i int32) (e int32) {
	if i != 0 {
		return r.policy.choose(t, i)
	}
	t.open(&t.nodes[0], r.priors(t, 0))
	r.tell(t)
	if k := r.root.Next(); k >= 0 {
		return r.place[k]
	}
	return 0
}

// best returns the action of Tree.Best, game.NoAction if there is none.
func (r *gumbelRoot) best(t *Tree) game.Action {
	if !r.root.Active() {
		return game.NoAction
	}
	t.buf = t.root.LegalActions(t.buf[:0])
	r.tell(t)
	return t.buf[r.root.Best()]
}

// value writes Tree.Value, the expected utilities of the improved policy, if they are known.
func (r *gumbelRoot) value(t *Tree, dst []float32) bool {
	if !r.root.Active() {
		return false
	}
	t.buf = t.root.LegalActions(t.buf[:0])
	r.tell(t)
	r.root.Value(dst[:t.players], func(k int, p game.Player) float64 {
		e := r.place[k]
		return t.sums[int(e)*t.players+int(p)] / float64(t.edges[e].visits)
	}, func(p game.Player) float64 { return t.own(0, int(p)) })
	return true
}

// improve completes the children of the root. The legal actions are in t.buf.
func (r *gumbelRoot) improve(t *Tree, children []search.Child) {
	if !r.root.Active() {
		return
	}
	r.tell(t)
	improved := r.root.Improved()
	for k := range children {
		children[k].Improved = improved[k]
	}
}

// improved is the policy of mcts.Improved for information sets: of the actions that are legal in
// the current state, the one with the greatest
//
//	P'(s,a) - N(s,a) / A(s,a)
//
// is selected. P' is the improved policy over these actions, and A(s,a) counts the visits of the
// node in which a was legal, this one included: so visits become proportional to P' among the
// visits in which an action can be chosen. Of mcts.ByPolicy P' is the prior. If all actions are
// always legal it is Improved as in mcts.Tree.
type improved struct {
	*puct
	o     planning.Gumbel
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
		puct: newPUCT(g, o), o: o.Gumbel, plain: o.Gumbel.Interior == mcts.ByPolicy,
		place: make([]int32, n), visits: make([]int32, n), q: make([]float64, n),
		sigma: make([]float64, n),
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
			p.q[k] = t.sums[int(e)*t.players+int(nd.mover)] /
				(float64(ed.visits) + float64(t.virtual*float64(ed.unseen)))
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
		p.sigma[k] = planning.Weight(priors[k], x-hi)
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
