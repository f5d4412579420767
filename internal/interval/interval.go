package interval

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a 95 % interval. Without enough samples it is infinite.
type Interval struct{ Low, High float64 }

// None is the interval that says nothing.
var None = Interval{math.Inf(-1), math.Inf(1)}

// Known reports whether both bounds are finite.
func (i Interval) Known() bool { return !math.IsInf(i.Low, 0) && !math.IsInf(i.High, 0) }

// Half is the greater distance of a bound to the mean, infinite without an interval.
func (i Interval) Half(mean float64) float64 { return max(i.High-mean, mean-i.Low) }

// Times returns the interval in another unit, of which one of this is so many, more than 0.
func (i Interval) Times(factor float64) Interval {
	return Interval{factor * i.Low, factor * i.High}
}

// Text is "49 to 63" with the given format of both numbers, "–" without an interval.
func (i Interval) Text(format string) string {
	if !i.Known() {
		return "–"
	}
	return fmt.Sprintf(format+" to "+format, i.Low, i.High)
}

// Bounds are an interval in JSON, null without one.
type Bounds struct {
	Low  *float64 `json:"low"` // of the mean's 95 % interval
	High *float64 `json:"high"`
}

// Bounds returns the interval for JSON.
func (i Interval) Bounds() Bounds { return Bounds{OrNull(i.Low), OrNull(i.High)} }

// Interval returns the interval.
func (b Bounds) Interval() Interval {
	i := None
	if b.Low != nil {
		i.Low = *b.Low
	}
	if b.High != nil {
		i.High = *b.High
	}
	return i
}

// Moments returns what Bounded and Mean need of samples: the mean, and the sum of squared
// deviations from it.
func Moments(samples []float64) (mean, squares float64) {
	for i, x := range samples {
		d := x - mean
		mean += d / float64(i+1) // Welford 1962
		squares += d * (x - mean)
	}
	return mean, squares
}

// Numbers of pseudo-samples at each end of the range.
const (
	// atEnds is half the square of the normal distribution's quantile: Agresti and Coull's.
	atEnds = 1.9207294103470620
	// between is what equal samples want. A result that n equal samples did not show occurs with a
	// probability up to 2.8/n (else one of 17 such series would have shown it); found with the
	// simulations of the test, as the least with which rare results far from the others are allowed
	// for.
	between = 1.3
)

// Bounded is the interval of the mean of n independent samples in [low, high], given their mean and
// the sum of their squared deviations from it. With fewer than two samples there is none.
func Bounded(n int, mean, squares, low, high float64) Interval {
	width := high - low
	if n < 2 || !(width > 0) {
		return None
	}
	x, k := min(1, max(0, (mean-low)/width)), float64(n)
	squares /= width * width
	// dispersion is the share of the greatest spread that samples with this mean can have.
	dispersion := 1.0
	if greatest := k * x * (1 - x); squares < greatest {
		dispersion = squares / greatest
	}
	pseudo := between + (atEnds-between)*dispersion
	all := k + 2*pseudo
	centre := (k*x + pseudo) / all
	spread := squares + k*(x-centre)*(x-centre) + pseudo*(centre*centre+(1-centre)*(1-centre))
	half := Quantile(k+2*atEnds-1) * math.Sqrt(spread/(all-1)/all)
	// Where samples hardly vary the centre may lie farther from the mean than half the width.
	return Interval{
		low + width*max(0, min(x, centre-half)), low + width*min(1, max(x, centre+half)),
	}
}

// Rate is the interval of a share in [0, 1] of n independent samples, of which no more is known
// than that share: as if all were 0 or 1. If some lie between, as draws do, it is a little wide.
func Rate(share float64, n int) Interval {
	return Bounded(n, share, float64(n)*share*(1-share), 0, 1)
}

// Mean is the interval of the mean of n independent samples of unknown range, given their mean and
// the sum of their squared deviations from it, by Student's t (1908). With fewer than two samples
// there is none, nor if all are equal, which says nothing of others.
func Mean(n int, mean, squares float64) Interval {
	if n < 2 || squares <= 0 {
		return None
	}
	k := float64(n)
	half := Quantile(k-1) * math.Sqrt(squares/(k-1)/k)
	return Interval{mean - half, mean + half}
}

// Quantile is the 97.5 % quantile of Student's distribution with the given degrees of freedom.
func Quantile(degrees float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: degrees}.Quantile(0.975)
}

// Sum is the interval of the sum of independent means, given each with its own (Zou and Donner,
// "Construction of confidence limits about effect measures: a general approach", 2008).
func Sum(means []float64, intervals []Interval) Interval {
	sum, below, above := 0.0, 0.0, 0.0
	for i, m := range means {
		sum += m
		below += (m - intervals[i].Low) * (m - intervals[i].Low)
		above += (intervals[i].High - m) * (intervals[i].High - m)
	}
	return Interval{sum - math.Sqrt(below), sum + math.Sqrt(above)}
}

// OrNull returns a pointer to x, or nil if x is NaN or infinite.
func OrNull(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
