package mcts

import (
	"fmt"
	"math"
)

// Choice is how a search chooses its best action at the end. It does not change the tree. The
// zero value is MostVisits.
type Choice struct {
	lower       bool
	z, fraction float64
}

// The z and the fraction of LowerBound in KataGo.
const (
	DefaultZ        = 5
	DefaultFraction = 0.15
)

// MostVisits chooses the action with the most visits.
func MostVisits() Choice { return Choice{} }

// LowerBound chooses, of the actions with at least the given fraction of the most visits, the
// one with the greatest Bound: the mean utility of its player less z standard errors. z is at
// least 0, and fraction a number from 0 to 1.
func LowerBound(z, fraction float64) Choice { return Choice{lower: true, z: z, fraction: fraction} }

// ByBound reports whether c is a LowerBound.
func (c Choice) ByBound() bool { return c.lower }

// Parameters returns z and the fraction of a LowerBound.
func (c Choice) Parameters() (z, fraction float64) { return c.z, c.fraction }

// The prior of the variance in Bound.
const (
	halfRange = 0.5 // of utilities
	leastVar  = 2.5e-9
)

// Bound returns the lower confidence bound of an action's utility, given the sum of its utilities
// over a number of visits, and that of their squares. It is minus infinity if the visits are
// none, or fewer than the fraction of most, the most visits of an action at the node.
//
// As in KataGo (Search::getSelfUtilityLCBAndRadius) one utility of weight 1/visits², which lies
// half the range of utilities from the mean, is added to the variance: a few visits with nearly
// equal utilities say little about their spread.
func (c Choice) Bound(sum, squares float64, visits, most int32) float64 {
	n := float64(visits)
	if visits == 0 || n < c.fraction*float64(most) {
		return math.Inf(-1)
	}
	mean, weight := sum/n, 1/(n*n)
	variance := max(squares/n-float64(mean*mean), leastVar) + halfRange*halfRange*weight/(n+weight)
	// The number of visits with equal weights that say as much.
	effective := float64((n+weight)*(n+weight)) / (n + float64(weight*weight))
	return mean - float64(c.z*math.Sqrt(variance/effective))
}

// Decided reports whether the choice at a node is the same however left more simulations end, each of
// which adds a visit to one action. first and second are the most visits of an action, and the most
// of another. By LowerBound it is decided only where no other action can come to have the fraction of
// the most visits: how far left more utilities move two bounds is not known.
func (c Choice) Decided(first, second int32, left int) bool {
	if c.lower {
		return float64(int(second)+left) < c.fraction*float64(first)
	}
	return int(first-second) > left
}

func (c Choice) validate() error {
	switch {
	case !(c.z >= 0) || math.IsInf(c.z, 1):
		return fmt.Errorf("search: z of the lower bound is %g; a number of at least 0 is wanted", c.z)
	case !(c.fraction >= 0 && c.fraction <= 1):
		return fmt.Errorf("search: fraction of the most visits is %g; a number from 0 to 1 is wanted", c.fraction)
	}
	return nil
}
