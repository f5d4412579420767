package planning

import (
	"math"
	"math/rand/v2"
)

// Root selects actions at the root of a search. The tree fills the exported fields, with an
// element for each legal action in ascending order of the actions, before Begin, Next, Best and
// Improved. The legal actions and their priors stay the same between Begin and the next Begin.
type Root struct {
	Priors []float32
	Visits []int32   // completed, those kept from searches before included
	Under  []int32   // visits under way
	Q      []float64 // mean utility for the root's player; read where Visits is not 0
	// Closed marks actions that are not to be simulated: the tree has no room for them, or their Q
	// is known.
	Closed []bool
	// Known marks actions that Begin does not consider and Best does not choose, since their Q is
	// known.
	Known []bool
	Raw   float64 // the root's own evaluation, for its player

	o           Gumbel
	simulations int       // of this search; 0: sequential halving in rounds
	gumbel      []float64 // g
	logits      []float64 // ln prior
	before      []int32   // visits when the search began
	base        []int32   // visits, those under way included, when the round began
	arm         []bool    // the action is considered
	arms        int       // number of actions considered
	sigma       []float64
}

// NewRoot makes a Root for up to a number of legal actions.
func NewRoot(o Gumbel, actions int) *Root {
	r := &Root{
		o:      o,
		Priors: make([]float32, actions), Visits: make([]int32, actions),
		Under: make([]int32, actions),
		Q:     make([]float64, actions), Closed: make([]bool, actions),
		Known:  make([]bool, actions),
		gumbel: make([]float64, actions), logits: make([]float64, actions),
		sigma:  make([]float64, actions),
		before: make([]int32, actions), base: make([]int32, actions), arm: make([]bool, actions),
	}
	return r
}

// Resize sets the number of legal actions, at least 1. The contents of the fields are lost.
func (r *Root) Resize(n int) {
	r.Priors, r.Visits, r.Under, r.Q, r.Closed, r.Known = r.Priors[:n], r.Visits[:n], r.Under[:n],
		r.Q[:n], r.Closed[:n], r.Known[:n]
	r.gumbel, r.logits, r.sigma = r.gumbel[:n], r.logits[:n], r.sigma[:n]
	r.before, r.base, r.arm = r.before[:n], r.base[:n], r.arm[:n]
}

// Begin starts a search of a number of simulations. 0 means that the search may end after any
// number: sequential halving is then repeated, each round with the smallest budget (Sagers,
// Winands and Soemers 2024, "Anytime Sequential Halving in Monte-Carlo Tree Search"). It draws g
// from rng; without rng g is 0.
//
// The actions considered are those with the greatest g + ln prior + sigma. In a new tree sigma
// is the same for all; visits kept from a search before count here and in Q, but sequential
// halving counts those of this search alone.
func (r *Root) Begin(simulations int, rng *rand.Rand) {
	r.simulations = simulations
	for k, p := range r.Priors {
		r.logits[k] = math.Log(Prior(p))
		r.gumbel[k] = 0
		if rng != nil {
			r.gumbel[k] = draw(rng)
		}
	}
	copy(r.before, r.Visits)
	r.rebase()
	r.score()
	r.arms = r.o.Considered
	if r.arms == Auto {
		r.arms = auto(simulations)
	}
	open := 0
	for k := range r.arm {
		if r.arm[k] = false; !r.Known[k] {
			open++
		}
	}
	r.arms = min(r.arms, open)
	for range r.arms {
		best := -1
		for k := range r.arm {
			if !r.arm[k] && !r.Known[k] && (best < 0 || r.sigma[k] > r.sigma[best]) {
				best = k
			}
		}
		r.arm[best] = true
	}
}

// Extend lets the search go on beyond its number of simulations: sequential halving of the same
// actions is repeated in rounds from now on.
func (r *Root) Extend() {
	if r.simulations > 0 {
		r.simulations = 0
		r.rebase()
	}
}

// draw returns a Gumbel(0, 1) variate: minus the logarithm of an exponential one.
func draw(rng *rand.Rand) float64 {
	return -math.Log(max(rng.ExpFloat64(), math.SmallestNonzeroFloat64))
}

// rebase begins a round.
func (r *Root) rebase() {
	for k := range r.base {
		r.base[k] = r.Visits[k] + r.Under[k]
	}
}

// score writes g + ln prior + sigma(completed Q) to r.sigma.
func (r *Root) score() {
	r.o.Sigma(r.sigma, r.Priors, r.Visits, r.Q, r.Raw)
	for k := range r.sigma {
		r.sigma[k] += r.gumbel[k] + r.logits[k]
	}
}

// Next returns the action to simulate: of those considered that have had as many visits as
// sequential halving wants at this point, those under way included, the one with the greatest
// g + ln prior + sigma(completed Q). It returns -1 if all actions are closed.
func (r *Root) Next() int {
	budget := r.simulations
	if budget == 0 {
		if budget = round(r.arms); r.done() >= budget {
			r.rebase()
		}
	}
	r.score()
	want := considered(r.arms, budget, max(0, r.done()))
	best, bestCount := -1, int32(0)
	for _, arm := range [...]bool{true, false} {
		for k, s := range r.sigma {
			if r.arm[k] != arm || r.Closed[k] {
				continue
			}
			// If no action has the wanted count, since visits under way were given up
			// or actions are closed, the nearest one below counts, then the least above.
			n := r.Visits[k] + r.Under[k] - r.base[k]
			if best < 0 || nearer(n, bestCount, want) || n == bestCount && s > r.sigma[best] {
				best, bestCount = k, n
			}
		}
		if best >= 0 {
			break
		}
	}
	return best
}

// nearer reports whether a comes before b: counts up to want in descending order, then those
// above in ascending order.
func nearer(a, b, want int32) bool {
	if a <= want && b <= want {
		return a > b
	}
	return a < b
}

// done returns the number of simulations of this round, those under way included.
func (r *Root) done() int {
	n := 0
	for k := range r.base {
		n += int(r.Visits[k] + r.Under[k] - r.base[k])
	}
	return n
}

// Best returns the choice of the search: the action with the greatest g + ln prior +
// sigma(completed Q) among the considered ones with the most visits in this search, the known ones
// apart. If all that are considered are known, it is chosen among the others in the same way; -1 if
// all are known.
func (r *Root) Best() int {
	r.score()
	best, most := -1, int32(0)
	for _, arm := range [...]bool{true, false} {
		for k, s := range r.sigma {
			n := r.Visits[k] - r.before[k]
			if r.arm[k] == arm && !r.Known[k] &&
				(best < 0 || n > most || n == most && s > r.sigma[best]) {
				best, most = k, n
			}
		}
		if best >= 0 {
			break
		}
	}
	return best
}

// Improved writes the improved policy softmax(ln prior + sigma(completed Q)) to dst: the policy
// target of training. g is no part of it.
func (r *Root) Improved(dst []float32) {
	r.o.Sigma(r.sigma, r.Priors, r.Visits, r.Q, r.Raw)
	Improve(dst, r.Priors, r.sigma)
}

// Expect returns a player's expected utility under a policy, given the mean utility of each
// action, which is read where Visits is not 0, and the root's own evaluation, both for this player.
// Actions without visits have the mixed value.
func (r *Root) Expect(policy []float32, q []float64, raw float64) float32 {
	mixed := Mixed(r.Priors, r.Visits, q, raw)
	all, sum := 0.0, 0.0
	for k, p := range policy {
		x := mixed
		if r.Visits[k] > 0 {
			x = q[k]
		}
		all += float64(p)
		sum += float64(float64(p) * x)
	}
	return float32(sum / all)
}
