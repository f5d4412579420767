package replay

import (
	"fmt"
	"math"
)

// tilter turns a mean utility into a distribution over the support: of all distributions with
// that mean, the one nearest in relative entropy to a base distribution b. It is b tilted
// exponentially, p_i ∝ b_i·exp(λ·s_i) (Csiszár 1975; the Lagrangian of the minimum has no other
// form), with the λ that gives the mean.
type tilter struct {
	support []float64
	logs    []float64 // ln b_i
	weights []float64 // the last b_i·exp(λ·s_i), up to a factor
}

// tiltTolerance is the error of a tilt's mean, on the scale of its logit, and tiltSteps the
// greatest number of Newton's steps.
const (
	tiltTolerance = 1e-10
	tiltSteps     = 200
)

// newTilter returns a tilter of a support with a uniform base.
func newTilter(support []float32) *tilter {
	t := &tilter{logs: make([]float64, len(support)), weights: make([]float64, len(support))}
	for _, s := range support {
		t.support = append(t.support, float64(s))
	}
	return t
}

// setBase sets the base distribution, up to a factor.
func (t *tilter) setBase(base []float64) error {
	if len(base) != len(t.support) {
		return fmt.Errorf("%d probabilities of results for a support of %d utilities", len(base), len(t.support))
	}
	for i, b := range base {
		if !(b > 0) || math.IsInf(b, 0) {
			return fmt.Errorf("the probability of the result %v is %v; a number above 0 is wanted", t.support[i], b)
		}
		t.logs[i] = math.Log(b)
	}
	return nil
}

// add adds share times the distribution with a mean to dst. A mean outside the support counts as
// its nearest end.
//
// Newton's method finds the root in λ of logit(mean(λ)) - logit(mean), where logit(m) =
// ln((m - s_0)/(s_n - m)): for a support of two utilities it is linear, and otherwise nearly so
// far out, so that λ is found in a few steps even near the ends, where the variance vanishes. A
// bracket of the root keeps the steps safe. The first λ is always 0, so that the result depends on
// nothing but the arguments.
func (t *tilter) add(dst []float32, mean float64, share float32) {
	last := len(t.support) - 1
	low, high := t.support[0], t.support[last]
	switch {
	case mean <= low:
		dst[0] += share
		return
	case mean >= high:
		dst[last] += share
		return
	}
	goal := math.Log((mean - low) / (high - mean))
	lambda, from, to := 0.0, math.Inf(-1), math.Inf(1)
	for range tiltSteps {
		logit, slope := t.tilt(lambda)
		miss := goal - logit
		if math.Abs(miss) <= tiltTolerance {
			break
		}
		if miss > 0 {
			from = lambda
		} else {
			to = lambda
		}
		next := lambda + miss/slope
		if !(next > from && next < to) {
			next = between(from, to, lambda, high-low)
		}
		if next == lambda {
			break
		}
		lambda = next
	}
	total := 0.0
	for _, w := range t.weights {
		total += w
	}
	for i, w := range t.weights {
		dst[i] += share * float32(w/total)
	}
}

// between returns a number inside a bracket of which at most one end is infinite.
func between(from, to, lambda, width float64) float64 {
	switch {
	case math.IsInf(to, 1):
		return lambda + max(1/width, math.Abs(lambda))
	case math.IsInf(from, -1):
		return lambda - max(1/width, math.Abs(lambda))
	}
	return from + (to-from)/2
}

// tilt computes the weights for λ, and returns the logit of their mean and its derivative. Both
// are sums of positive terms, and keep their precision at the ends.
func (t *tilter) tilt(lambda float64) (logit, slope float64) {
	top := math.Inf(-1)
	for i, s := range t.support {
		top = max(top, t.logs[i]+lambda*s)
	}
	low, high := t.support[0], t.support[len(t.support)-1]
	var above, below, aboveMoment, belowMoment float64
	for i, s := range t.support {
		w := math.Exp(t.logs[i] + lambda*s - top)
		t.weights[i] = w
		above += w * (s - low)
		below += w * (high - s)
		aboveMoment += w * (s - low) * (s - low)
		belowMoment += w * (high - s) * (high - s)
	}
	// d ln(above)/dλ - d ln(below)/dλ, moments taken from the near ends.
	return math.Log(above / below), aboveMoment/above + belowMoment/below - (high - low)
}
