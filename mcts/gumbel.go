package mcts

import (
	"fmt"
	"math"

	"tengen/game"
	"tengen/mcts/internal/gumbel"
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
// the visited actions, weighted by their priors. Q is the utility of the node's player, so any number of
// players will do.
//
// The policy softmax(logit + sigma(Q)) over all legal actions is better than the prior, however few
// simulations there are: it is the target of training (search.Child.Improved), and its expected
// utilities are the value of the root (Tree.Value).
//
// If the search is also limited in time, the number of simulations is not known, and sequential
// halving is repeated in rounds of its smallest budget. If the tree is kept when the root moves,
// visits from before count in Q and N, but not as visits of sequential halving.
type Gumbel struct {
	// Considered is the greatest number of actions considered at the root, at most 65536, or
	// AutoConsidered. mctx has 16. With 0 the root is played by PUCT as all nodes are, and the
	// other fields are not used.
	Considered int
	// VisitOffset (c_visit; 50 in mctx) and ValueScale (c_scale; 0.1 in mctx) are at least 0.
	VisitOffset, ValueScale float64
	// Interior selects the actions at the other nodes.
	Interior Interior
	// Unscaled leaves Q as it is: sigma(q) = (VisitOffset + max N) · ValueScale · q. What is gained by an
	// action then counts for what it is; otherwise the best action is preferred to the worst by as
	// much where both are nearly equal.
	Unscaled bool
}

// AutoConsidered, as Gumbel.Considered, follows the number of simulations n: it is the greatest
// power of two m up to 16 with m·log2 m up to n, which is the least budget of sequential halving. If the number is not known
// it is 8. With few simulations it is better to look further at fewer actions: 16 simulations of 16 actions are one
// evaluation each.
const AutoConsidered = gumbel.Auto

// PublishedGumbel returns the constants of mctx.
func PublishedGumbel() Gumbel {
	return Gumbel{Considered: 16, VisitOffset: 50, ValueScale: 0.1}
}

// On reports whether the root is played as o describes.
func (o Gumbel) On() bool { return o.Considered != 0 }

// Interior is the selection of actions at nodes below the root of a Gumbel search.
type Interior uint8

const (
	// Improved selects the action with the greatest
	//
	//	P'(s,a) - N(s,a) / (1 + sum N(s,b)),   P' = softmax(logit + sigma(Q))
	//
	// so that visits become proportional to the improved policy P' (section 5 of the paper: full
	// Gumbel). It has no exploration constant.
	Improved Interior = iota
	// ByPUCT selects by PUCT, with its C and FPU.
	ByPUCT
	// ByPolicy selects as Improved does, with the priors in place of the improved policy: visits become
	// proportional to the priors, so that values are those of the policies as they are.
	ByPolicy
)

// maxConsidered bounds Gumbel.Considered.
const maxConsidered = 1 << 16

// Validate returns an error that names an option out of range.
func (o Gumbel) Validate() error {
	switch {
	case o.Considered < AutoConsidered || o.Considered > maxConsidered:
		return fmt.Errorf("search: considered is %d; a number from 1 to %d is wanted, or 0 for PUCT at the root", o.Considered, maxConsidered)
	case !(o.VisitOffset >= 0) || math.IsInf(o.VisitOffset, 1):
		return fmt.Errorf("search: c_visit is %g; a number of at least 0 is wanted", o.VisitOffset)
	case !(o.ValueScale >= 0) || math.IsInf(o.ValueScale, 1):
		return fmt.Errorf("search: c_scale is %g; a number of at least 0 is wanted", o.ValueScale)
	case o.Interior > ByPolicy:
		return fmt.Errorf("search: interior is %d; 0 (improved), 1 (puct) or 2 (policy) is wanted", o.Interior)
	}
	return nil
}

func (o Gumbel) options() gumbel.Options {
	return gumbel.Options{Considered: o.Considered, VisitOffset: o.VisitOffset, ValueScale: o.ValueScale, Rescale: !o.Unscaled}
}

// gumbelRoot plays the root of a Gumbel search, and leaves the other nodes to another policy.
type gumbelRoot struct {
	policy
	root *gumbel.Root

	noisy  bool
	active bool    // the root is ready, or being searched
	rank   []int32 // [Actions] of the root's actions: their index in root
	place  []int32 // [legal actions] the index of their edges at the root

	improved []float32 // [legal actions]
	q        []float64
}

func newGumbelRoot(g game.Game, o PUCT) *gumbelRoot {
	o.Noise = 0
	r := &gumbelRoot{noisy: true}
	if r.policy = newPUCT(g, o); o.Gumbel.Interior != ByPUCT {
		r.policy = newImproved(g, o)
	}
	n := max(g.Actions(), 1)
	r.root = gumbel.NewRoot(o.Gumbel.options(), n)
	r.rank, r.place = make([]int32, n), make([]int32, n)
	r.improved, r.q = make([]float32, n), make([]float64, n)
	return r
}

func (r *gumbelRoot) setNoise(on bool) { r.noisy = on }

func (r *gumbelRoot) moved() { r.active = false }

func (r *gumbelRoot) extended() {
	if r.active {
		r.root.Extend()
	}
}

func (r *gumbelRoot) ready(t *Tree) {
	if nd := &t.nodes[0]; nd.kind != decision || nd.awaits {
		return
	}
	t.buf = t.root.LegalActions(t.buf[:0])
	for k, a := range t.buf {
		r.rank[a] = int32(k)
	}
	n := len(t.buf)
	r.root.Resize(n)
	r.place, r.improved, r.q = r.place[:n], r.improved[:n], r.q[:n]
	r.tell(t)
	rng := t.rng
	if !r.noisy {
		rng = nil
	}
	r.root.Begin(t.loop.Budget(), rng)
	r.active = true
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

// next returns the edge of the root to follow, -1 if all are known or, in a full tree, untried. One that has not been tried becomes the
// first of these.
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
		t.terms[a], t.terms[b] = t.terms[b], t.terms[a]
		j = nd.tried
	}
	return nd.first + j
}

func (r *gumbelRoot) best(t *Tree) *edge {
	if !r.active {
		return nil
	}
	r.tell(t)
	k := r.root.Best()
	if k < 0 {
		return nil
	}
	return &t.edgesOf(0)[r.place[k]]
}

// value writes the expected utilities of the improved policy.
func (r *gumbelRoot) value(t *Tree, dst []float32) bool {
	if !r.active {
		return false
	}
	r.tell(t)
	x := r.root
	x.Improved(r.improved)
	edges := t.edgesOf(0)
	for p := range t.players {
		for k := range r.q {
			r.q[k] = 0
			if e := &edges[r.place[k]]; e.child != 0 {
				_, r.q[k] = t.record(e, game.Player(p))
			}
		}
		dst[p] = x.Expect(r.improved, r.q, t.own(0, game.Player(p)))
	}
	return true
}

func (r *gumbelRoot) improve(t *Tree, children []search.Child) {
	if !r.active {
		return
	}
	r.tell(t)
	r.root.Improved(r.improved)
	if t.nodes[0].proven {
		r.keepBest(t)
	}
	for k := range children {
		children[k].Improved = r.improved[k]
	}
}

// keepBest makes the improved policy of a proven root its prior among the actions that are proven to be the best.
func (r *gumbelRoot) keepBest(t *Tree) {
	_, value := t.record(t.best(0), t.nodes[0].mover)
	edges := t.edgesOf(0)
	sum := 0.0
	for k := range r.improved {
		r.improved[k] = 0
		if e := &edges[r.place[k]]; !t.worse(e, value) {
			r.improved[k] = float32(gumbel.Prior(e.prior))
		}
		sum += float64(r.improved[k])
	}
	for k := range r.improved {
		r.improved[k] = float32(float64(r.improved[k]) / sum)
	}
}
