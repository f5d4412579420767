package planning

import (
	"math"
	"math/rand/v2"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/search"
)

// Controls are the methods that a tree has by its Loop. Trees embed them.
type Controls struct{ loop *Loop }

// Controls returns those of l.
func (l *Loop) Controls() Controls { return Controls{l} }

// SetTime also limits the time of searches that begin later; 0 removes the limit. The clock is
// read after each simulation, so a search makes at least one.
func (c Controls) SetTime(d time.Duration) { c.loop.SetTime(d) }

// SetDeadline sets when searches that begin later end, besides SetTime; the zero value removes
// it. A search makes at least one simulation.
func (c Controls) SetDeadline(d clock.Deadline) { c.loop.SetDeadline(d) }

// SetEarlyStop makes searches that begin later end once the final selection is decided
// (mcts.FinalSelection.Decided). With a limit in simulations Best is the same as without it, though
// not the tree; with one in time the number of simulations left is estimated. It has no effect with
// Gumbel, nor with PUCT.Proofs.
func (c Controls) SetEarlyStop(on bool) { c.loop.SetEarlyStop(on) }

// SetPlayouts mixes results of playouts into the utilities of every evaluation: n playouts from its
// state, whose mean has the given weight in (0, 1]; the evaluation has the rest (Silver et al.
// 2016, "Mastering the game of Go with deep neural networks and tree search"). n 0 plays none. The
// playouts draw from their own source. In searches of information sets they know what the
// determinization at hand has drawn, which a network does not see.
func (c Controls) SetPlayouts(from *search.Playouts, n int, weight float64) {
	c.loop.SetPlayouts(from, n, weight)
}

// Advance makes simulations until as many as PUCT.BatchSize says, or one, wait for an evaluation,
// or the budget is spent. It adds the states to evaluate to requests.
func (c Controls) Advance(requests search.Requests) (done bool) { return c.loop.Advance(requests) }

// Deliver takes the evaluations of the states that Advance added, in their order. It panics if
// a utility or a logit is NaN.
func (c Controls) Deliver(evaluations search.Evaluations) { c.loop.Deliver(evaluations) }

// Leaders are the two most visited actions of a root.
type Leaders struct{ First, Second int32 } // their visits, 0 for none

// Add counts an action with a number of visits.
func (l *Leaders) Add(visits int32) {
	if visits > l.First {
		l.First, l.Second = visits, l.First
	} else {
		l.Second = max(l.Second, visits)
	}
}

// Draw draws an action with probability proportional to visits^(1/temperature), less those
// pruned. If there are none left it draws from the priors of the actions without visits: what is
// pruned is known to be worse. The temperature is greater than 0. Draw returns game.NoAction if
// there are neither visits nor priors.
func Draw(children []search.Child, temperature float64, rng *rand.Rand) game.Action {
	most := 0.0
	weigh := func(c *search.Child) float64 { return float64(c.Visits - c.Pruned) }
	for i := range children {
		most = max(most, weigh(&children[i]))
	}
	if most == 0 {
		weigh = func(c *search.Child) float64 {
			if c.Visits > 0 {
				return 0
			}
			return float64(c.Prior)
		}
		for i := range children {
			most = max(most, weigh(&children[i]))
		}
	}
	if most == 0 {
		return game.NoAction
	}
	sum := 0.0
	power := func(c *search.Child) float64 {
		w := weigh(c)
		if w == 0 {
			return 0
		}
		return math.Pow(w/most, 1/temperature)
	}
	for i := range children {
		sum += power(&children[i])
	}
	x := rng.Float64() * sum
	last := game.NoAction
	for i := range children {
		if w := power(&children[i]); w > 0 {
			last = children[i].Action
			if x -= w; x < 0 {
				break
			}
		}
	}
	return last
}

// Means writes the means of utilities summed over visits, 0 without visits.
func Means(dst []float32, sums []float64, visits int32) {
	for p, sum := range sums {
		dst[p] = 0
		if visits > 0 {
			dst[p] = float32(sum / float64(visits))
		}
	}
}
