package gumbel

import "math/bits"

// considered returns the number of visits that an action must have to be simulated next by
// sequential halving, after i of n simulations with m actions considered. It is element i of
// mctx's get_sequence_of_considered_visits(m, n): all m actions are visited
// max(1, n / (ceil(log2 m)·m)) times, then the better half likewise, down to two, which share
// what is left.
func considered(m, n, i int) int32 {
	if m <= 1 {
		return int32(i)
	}
	phases := bits.Len(uint(m - 1)) // ceil(log2 m)
	visits := 0
	for k := m; k > 2; k = max(2, k/2) {
		each := max(1, n/(phases*k))
		if i < each*k {
			return int32(visits + i/k)
		}
		i -= each * k
		visits += each
	}
	return int32(visits + i/2)
}

// round returns the number of simulations in which sequential halving visits each of m actions
// once, then the better half, down to two (to one, if there is only one).
func round(m int) int {
	n := min(m, 2)
	for k := m; k > 2; k = max(2, k/2) {
		n += k
	}
	return n
}
