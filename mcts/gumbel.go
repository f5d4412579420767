package mcts

import (
	"math"

	"tengen/game"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// Gumbel describes a search whose root is played by sampled actions and sequential halving
// (Danihelka et al. 2022, "Policy improvement by planning with Gumbel", with the formulas and
// constants of the authors' library mctx):
//
// At the root g ~ Gumbel(0, 1) is drawn for each legal action, and the Considered actions with
// the greatest g + logit are considered. They share the simulations by sequential halving, which
// simulates next the action with the greatest g + logit + sigma(Q) among those that have had
// the number of visits that is due. The choice is the action with the greatest g + logit +
// sigma(Q) among those with the most visits: a sample of the policy, improved by the search.
// Without noise (Tree.SetNoise) g is 0, and the search is deterministic.
//
//	sigma(q) = (VisitOffset + max N) · ValueScale · (q - least) / (greatest - least)
//
// where least and greatest are taken over the Q of all legal actions. Actions without visits
// have the mixed value of appendix D as Q: of the node's own evaluation and of the Q of
// the visited actions, weighted by their priors. Q is the utility of the node's player, so any
// number of players will do.
//
// The policy softmax(logit + sigma(Q)) over all legal actions is better than the prior, however few
// simulations there are: it is the target of training (search.Child.Improved), and its expected
// utilities are the value of the root (Tree.Value).
//
// If the search is also limited in time, the number of simulations is not known, and sequential
// halving is repeated in rounds of its smallest budget. If the tree is kept when the root moves,
// visits from before count in Q and N, but not as visits of sequential halving.
type Gumbel = planning.Gumbel

// AutoConsidered, as Gumbel.Considered, follows the number of simulations n: it is the greatest
// power of two m up to 16 with m·log2 m up to n, which is the least budget of sequential halving.
// If the number is not known it is 8. With few simulations it is better to look further at fewer
// actions: 16 simulations of 16 actions are one evaluation each.
const AutoConsidered = planning.Auto

// PublishedGumbel returns the constants of mctx.
func PublishedGumbel() Gumbel {
	return Gumbel{Considered: 16, VisitOffset: 50, ValueScale: 0.1}
}

// Interior is the selection of actions at nodes below the root of a Gumbel search.
type Interior = planning.Interior

const (
	Improved = planning.Improved // by the improved policy (full Gumbel)
	ByPUCT   = planning.ByPUCT   // by PUCT, with its C and FPU
	ByPolicy = planning.ByPolicy // by the priors alone
)

// gumbelRoot plays the root of a Gumbel search, and leaves the other nodes to another policy.
type gumbelRoot struct {
	policy
	root  *planning.Root
	rank  []int32 // [Actions] of the root's actions: their index in root
	place []int32 // [legal actions] the index of their edges at the root
}

func newGumbelRoot(g game.Game, o PUCT) *gumbelRoot {
	o.Noise = 0
	r := &gumbelRoot{}
	if r.policy = newPUCT(g, o); o.Gumbel.Interior != ByPUCT {
		r.policy = newImproved(g, o)
	}
	n := max(g.Actions(), 1)
	r.root = planning.NewRoot(o.Gumbel, n)
	r.rank, r.place = make([]int32, n), make([]int32, n)
	return r
}

func (r *gumbelRoot) SetNoise(on bool) { r.root.SetNoise(on) }

func (r *gumbelRoot) ready(t *Tree) {
	if nd := &t.nodes[0]; nd.kind != decision || nd.awaits {
		return
	}
	t.buf = t.root.LegalActions(t.buf[:0])
	for k, a := range t.buf {
		r.rank[a] = int32(k)
	}
	r.root.Resize(len(t.buf))
	r.place = r.place[:len(t.buf)]
	r.tell(t)
	r.root.Begin(t.loop.Budget(), t.rng)
}

// extend lets the search go on beyond its number of simulations. A round of sequential halving
// begins at the visits made until now, whether or not results have been read since the last.
func (r *gumbelRoot) extend(t *Tree) {
	if r.root.Active() {
		r.tell(t)
		r.root.Extend()
	}
}

// tell tells the root what the tree knows of its actions.
func (r *gumbelRoot) tell(t *Tree) {
	x := r.root
	mover := t.nodes[0].mover
	edges := t.edgesOf(0)
	for j := range edges {
		e := &edges[j]
		k := r.rank[e.action]
		r.place[k] = int32(j)
		x.Priors[k], x.Visits[k], x.Under[k], x.Q[k] = e.prior, 0, 0, 0
		x.Closed[k] = e.child == 0 && t.loop.Stats.Full
		x.Known[k] = false
		if e.child != 0 {
			x.Visits[k], x.Q[k] = t.record(e, mover)
			x.Under[k] = t.started(e.child) - x.Visits[k]
			x.Known[k] = t.nodes[e.child].proven
			x.Closed[k] = x.Known[k]
		}
	}
	x.Raw = t.own(0, mover)
}

// own returns the mean utility of player p in the evaluations of node i itself.
func (t *Tree) own(i int32, p game.Player) float64 {
	visits, sum := t.nodes[i].visits, t.of(i)[p]
	for _, e := range t.edgesOf(i) {
		if e.child != 0 {
			visits -= t.nodes[e.child].visits
			sum -= t.of(e.child)[p]
		}
	}
	return sum / float64(max(visits, 1))
}

func (r *gumbelRoot) choose(t *Tree, i int32) (e int32) {
	if i != 0 {
		return r.policy.choose(t, i)
	}
	return r.next(t)
}

func (r *gumbelRoot) follow(t *Tree, i int32) (e int32) {
	if i != 0 {
		return r.policy.follow(t, i)
	}
	return r.next(t)
}

// next returns the edge of the root to follow, -1 if all are known or, in a full tree, untried. One
// that has not been tried becomes the first of these.
func (r *gumbelRoot) next(t *Tree) (e int32) {
	r.tell(t)
	nd := &t.nodes[0]
	k := r.root.Next()
	if k < 0 {
		return -1
	}
	j := r.place[k]
	if j >= nd.tried {
		a, b := nd.first+nd.tried, nd.first+j
		t.edges[a], t.edges[b] = t.edges[b], t.edges[a]
		j = nd.tried
	}
	return nd.first + j
}

// best returns the edge of Tree.Best, nil if there is none.
func (r *gumbelRoot) best(t *Tree) *edge {
	if !r.root.Active() {
		return nil
	}
	r.tell(t)
	k := r.root.Best()
	if k < 0 {
		return nil
	}
	return &t.edgesOf(0)[r.place[k]]
}

// value writes Tree.Value, the expected utilities of the improved policy, if they are known.
func (r *gumbelRoot) value(t *Tree, dst []float32) bool {
	if !r.root.Active() {
		return false
	}
	r.tell(t)
	r.root.Value(dst[:t.players], func(k int, p game.Player) (mean float64) {
		_, mean = t.record(&t.edgesOf(0)[r.place[k]], p)
		return mean
	}, func(p game.Player) float64 { return t.own(0, p) })
	return true
}

// improve completes the children of the root, in ascending order of the actions.
func (r *gumbelRoot) improve(t *Tree, children []search.Child) {
	if !r.root.Active() {
		return
	}
	r.tell(t)
	improved := r.root.Improved()
	if t.nodes[0].proven {
		r.keepBest(t, improved)
	}
	for k := range children {
		children[k].Improved = improved[k]
	}
}

// keepBest makes the improved policy of a proven root its prior among the actions that are proven
// to be the best.
func (r *gumbelRoot) keepBest(t *Tree, improved []float32) {
	_, value := t.record(t.best(0), t.nodes[0].mover)
	edges := t.edgesOf(0)
	sum := 0.0
	for k := range improved {
		improved[k] = 0
		if e := &edges[r.place[k]]; !t.worse(e, value) {
			improved[k] = float32(planning.Prior(e.prior))
		}
		sum += float64(improved[k])
	}
	for k := range improved {
		improved[k] = float32(float64(improved[k]) / sum)
	}
}

// improved is the policy of Improved, and of ByPolicy. The edges of a decision are as PUCT keeps
// them: untried edges have the same Q, so the one with the greatest prior is tried next.
type improved struct {
	*puct
	o       planning.Gumbel
	weights []float64 // [Actions] of the improved policy
	plain   bool      // ByPolicy: sigma is 0
}

func newImproved(g game.Game, o PUCT) *improved {
	return &improved{
		puct: newPUCT(g, o), o: o.Gumbel, weights: make([]float64, max(g.Actions(), 1)),
		plain: o.Gumbel.Interior == ByPolicy,
	}
}

func (p *improved) choose(t *Tree, i int32) (e int32) { return p.pick(t, i, t.nodes[i].edges) }

func (p *improved) follow(t *Tree, i int32) (e int32) { return p.pick(t, i, t.nodes[i].tried) }

// pick returns the best of the first open edges of decision i, or -1 if all of them are lost.
func (p *improved) pick(t *Tree, i, open int32) (e int32) {
	nd := &t.nodes[i]
	edges := t.edges[nd.first : nd.first+nd.edges]
	// Of the visited edges: their visits, priors, and Q.
	visits, most := int32(0), int32(0)
	mass, weighted, below := 0.0, 0.0, 0.0
	lo, hi := math.Inf(1), math.Inf(-1)
	started := int32(0)
	complete := nd.tried == nd.edges // all edges are visited
	for j := range nd.tried {
		child := edges[j].child
		started += t.started(child)
		n := t.nodes[child].visits
		if n == 0 {
			complete = false
			continue
		}
		w, q := planning.Prior(edges[j].prior), edges[j].q()
		visits += n
		most = max(most, n)
		mass += w
		weighted += float64(w * q)
		below += t.sums[int(child)*t.players+int(nd.mover)]
		lo, hi = min(lo, q), max(hi, q)
	}
	// The Q of the others is the mixed value.
	raw := (t.sums[int(i)*t.players+int(nd.mover)] - below) / float64(max(nd.visits-visits, 1))
	mixed := raw
	if visits > 0 {
		mixed = (raw + float64(float64(visits)*(weighted/mass))) / float64(visits+1)
	}
	if !complete {
		lo, hi = min(lo, mixed), max(hi, mixed)
	}
	scale, _ := p.o.Scale(most, lo, hi)
	if p.plain {
		scale = 0
	}

	rest := scale * (mixed - hi)
	sum := 0.0
	for j := range nd.tried {
		x := rest
		if t.nodes[edges[j].child].visits > 0 {
			x = scale * (edges[j].q() - hi)
		}
		p.weights[j] = planning.Weight(edges[j].prior, x)
		sum += p.weights[j]
	}
	if nd.tried < nd.edges {
		p.weights[nd.tried] = planning.Weight(edges[nd.tried].prior, rest)
		sum += max(planning.Weight(float32(1-nd.visitedMass), rest), p.weights[nd.tried])
	}

	best, score := int32(0), lost
	for j := range min(nd.tried+1, open) {
		s := p.weights[j] / sum
		if j < nd.tried {
			if edges[j].mean == lost {
				continue
			}
			s -= float64(t.started(edges[j].child)) / float64(1+started)
		}
		if s > score {
			best, score = j, s
		}
	}
	return nd.follow(best, score)
}
