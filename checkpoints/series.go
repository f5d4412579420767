package checkpoints

import "slices"

// PerOctave is the number of checkpoints that a run keeps of those whose distance from the newest
// is between a power of two and the next: enough for a curve of strength, and for some 60 of 20,000
// iterations.
const PerOctave = 4

// Policy says which checkpoints to keep: those that any of its fields selects.
type Policy struct {
	// KeepLast is the number of the newest iterations to keep; the newest is always kept.
	KeepLast int
	// PerOctave is the number to keep of each doubling of the distance from the newest iteration:
	// iteration i is kept if it is a multiple of a power of two that grows with its distance. So
	// what the newest iteration n selects depends on n alone, and what is left out once is never
	// selected again. Half the number selects a part of the same checkpoints. 0 selects none.
	PerOctave int
	// Keep are iterations to keep, such as the best one.
	Keep []int
}

// Keeps reports whether the policy keeps an iteration, at most the newest.
func (p *Policy) Keeps(iteration, newest int) bool {
	distance := newest - iteration
	return distance < max(1, p.KeepLast) ||
		p.PerOctave > 0 && iteration%spacing(distance, p.PerOctave) == 0 ||
		slices.Contains(p.Keep, iteration)
}

// spacing returns the power of two whose multiples are kept at a distance from the newest: 1 up to
// 2·perOctave, and from there twice as much with each doubling of the distance.
func spacing(distance, perOctave int) int {
	s := 1
	for distance >= 2*perOctave*s {
		s *= 2
	}
	return s
}

// Most returns how many checkpoints a run of a number of iterations has at a time at most, if each
// iteration saves one, and then those are removed that the policy does not keep.
func (p *Policy) Most(iterations int) int {
	last := min(iterations, max(1, p.KeepLast))
	n := last + len(p.Keep)
	if p.PerOctave > 0 {
		for from, s := 0, 1; from < iterations; from, s = 2*p.PerOctave*s, 2*s {
			// The multiples of s at distances from from on, but for the last ones.
			to := min(2*p.PerOctave*s, iterations)
			n += (max(0, to-max(from, last)) + s - 1) / s
		}
	}
	return min(n+1, iterations+min(1, len(p.Keep))) // one of them may be iteration 0
}
