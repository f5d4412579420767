package planning

import (
	"math"
	"math/rand/v2"

	"tengen/game"
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
	noisy       bool      // SetNoise
	active      bool      // Begin has been called since Stop
	simulations int       // of this search; 0: sequential halving in rounds
	gumbel      []float64 // g
	logits      []float64 // ln prior
	before      []int32   // visits when the search began
	base        []int32   // visits, those under way included, when the round began
	arm         []bool    // the action is considered
	arms        int       // number of actions considered
	sigma       []float64
	improved    []float32
	q           []float64 // of one player
}

// NewRoot makes a Root for up to a number of legal actions.
func NewRoot(o Gumbel, actions int) *Root {
	r := &Root{
		o:      o,
		noisy:  true,
		Priors: make([]float32, actions), Visits: make([]int32, actions),
		Under: make([]int32, actions),
		Q:     make([]float64, actions), Closed: make([]bool, actions),
		Known:  make([]bool, actions),
		gumbel: make([]float64, actions), logits: make([]float64, actions),
		sigma: make([]float64, actions), improved: make([]float32, actions),
		q:      make([]float64, actions),
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
	r.improved, r.q = r.improved[:n], r.q[:n]
}

// SetNoise turns g on or off for the searches that begin later. It is on to begin with.
func (r *Root) SetNoise(on bool) { r.noisy = on }

// Stop ends the search: the tree has another root.
func (r *Root) Stop() { r.active = false }

// Active reports whether Begin has been called since Stop, so that there are results.
func (r *Root) Active() bool { return r.active }

// Begin starts a search of a number of simulations. 0 means that the search may end after any
// number: sequential halving is then repeated, each round with the smallest budget (Sagers,
// Winands and Soemers 2024, "Anytime Sequential Halving in Monte-Carlo Tree Search"). It draws g
// from rng; without rng, or noise, g is 0.
//
// The actions considered are those with the greatest g + ln prior + sigma. In a new tree sigma
// is the same for all; visits kept from a search before count here and in Q, but sequential
// halving counts those of this search alone.
func (r *Root) Begin(simulations int, rng *rand.Rand) {
	r.simulations, r.active = simulations, true
	if !r.noisy {
		rng = nil
	}
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
	if r.active && r.simulations > 0 {
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

// Improved returns the improved policy softmax(ln prior + sigma(completed Q)): the policy target of
// training. g is no part of it. It is valid until the next call.
func (r *Root) Improved() []float32 {
	r.o.Sigma(r.sigma, r.Priors, r.Visits, r.Q, r.Raw)
	Improve(r.improved, r.Priors, r.sigma)
	return r.improved
}

// Value writes the expected utility of each player under the improved policy to dst. mean returns
// a player's mean utility by action k, which has visits, and raw that of the root's own evaluation.
// Actions without visits have the mixed value.
func (r *Root) Value(
	dst []float32, mean func(k int, p game.Player) float64, raw func(p game.Player) float64,
) {
	r.Improved()
	for p := range dst {
		for k, n := range r.Visits {
			if r.q[k] = 0; n > 0 {
				r.q[k] = mean(k, game.Player(p))
			}
		}
		dst[p] = r.expect(raw(game.Player(p)))
	}
}

// expect returns the expected utility of the player whose mean utilities are r.q.
func (r *Root) expect(raw float64) float32 {
	mixed := Mixed(r.Priors, r.Visits, r.q, raw)
	all, sum := 0.0, 0.0
	for k, p := range r.improved {
		x := mixed
		if r.Visits[k] > 0 {
			x = r.q[k]
		}
		all += float64(p)
		sum += float64(float64(p) * x)
	}
	return float32(sum / all)
}
