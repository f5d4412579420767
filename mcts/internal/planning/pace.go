package planning

import (
	"fmt"
	"time"
)

// The limits of a batch size.
const (
	maxBatchSize = 256
	// maxAuto is the most that Auto chooses.
	maxAuto = 64
	// share is the number of batches that Auto wants in a search, at least: the actions of a
	// batch are selected without its results.
	share = 8
	// enough is the part of the best rate that makes Auto prefer the smaller number.
	enough = 0.93
	// memory is the weight of the earlier measurements in a mean.
	memory = 0.9
	// outlier is the time of a batch that is the most to count, in means.
	outlier = 3
)

// CheckBatchSize returns an error if n is not a possible batch size.
func CheckBatchSize(n int) error {
	if n != Auto && (n < 0 || n > maxBatchSize) {
		return fmt.Errorf("search: batch size is %d; a number from 1 to %d is wanted", n, maxBatchSize)
	}
	return nil
}

// MaxBatchSize returns the greatest number of evaluations under way for a batch size, at least 1.
func MaxBatchSize(batchSize int) int {
	if batchSize == Auto {
		return maxAuto
	}
	return max(1, batchSize)
}

// pace measures how many simulations a second a search makes in batches of 1, 2, 4, ….
type pace struct {
	tries   [7]int     // batches measured, of 1<<i
	seconds [7]float64 // means a batch, of the time between two calls of Advance
	made    [7]float64 // means a batch, of the simulations

	size   int // index of the batch under way; -1: none, or not measured
	before int // simulations when it began
	began  time.Time
}

// width returns the size of the batch that begins now.
func (l *Loop) width() int {
	switch {
	case l.batchSize != Auto:
		return max(1, l.batchSize)
	case !l.Timed():
		return budgetWidth(l.simulations)
	}
	now := l.Now()
	p := &l.pace
	p.end(now, l.Stats.Simulations)
	p.size = p.next(l.Limit().Seconds(), l.simulations)
	p.began, p.before = now, l.Stats.Simulations
	return 1 << p.size
}

// budgetWidth is the batch size for a search of a number of simulations: the same on every
// machine.
func budgetWidth(simulations int) int {
	n := 1
	for n < 16 && 2*n*share <= simulations {
		n *= 2
	}
	return n
}

// end measures the batch that was under way.
func (p *pace) end(now time.Time, simulations int) {
	made := float64(simulations - p.before)
	if p.size < 0 || made <= 0 || p.began.IsZero() {
		return
	}
	i := p.size
	p.tries[i]++
	s := now.Sub(p.began).Seconds()
	if p.tries[i] <= 2 { // the first is slower: caches are cold
		p.seconds[i], p.made[i] = s, made
		return
	}
	s = min(s, outlier*p.seconds[i]) // another program had the core
	p.seconds[i] += (1 - memory) * (s - p.seconds[i])
	p.made[i] += (1 - memory) * (made - p.made[i])
}

// rate returns the simulations a second that were measured with size i.
func (p *pace) rate(i int) float64 { return p.made[i] / max(p.seconds[i], 1e-9) }

// next returns the size of the next batch in a search of a number of seconds and of simulations
// at most: the smallest that is nearly the fastest, of those with which a search has
// share batches. A size that is not measured is tried if it would be fast enough for that with
// twice the rate of the size before, and if one of the two sizes before was faster than all
// smaller ones.
func (p *pace) next(seconds float64, simulations int) int {
	best := 0
	for i := range p.tries {
		if p.tries[i] < 2 {
			if i == 0 || fits(i, 2*p.rate(i-1)*seconds, simulations) {
				return i
			}
			break
		}
		switch {
		case i == 0 || !fits(i, p.rate(i)*seconds, simulations):
		case p.rate(i)*enough > p.rate(best):
			best = i
		case i > best+1:
			return best
		}
	}
	return best
}

// fits reports whether a search has share batches of size i.
func fits(i int, made float64, simulations int) bool {
	return min(made, float64(simulations)) >= float64(int(share)<<i)
}
