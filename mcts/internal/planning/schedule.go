package planning

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
	phases, visits := phases(m), 0
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

// Auto, as Gumbel.Considered, follows the number of simulations: it is the greatest power of two
// up to 16 of which they are a round, and 8 if their number is not known.
const Auto = -1

// auto returns the number of actions considered with Auto in n simulations, 0 if it is not known.
func auto(n int) int {
	if n == 0 {
		return 8
	}
	m := 1
	for m < 16 && round(2*m) <= n {
		m *= 2
	}
	return m
}

// round returns the least number of simulations that sequential halving of m actions is meant for,
// m·ceil(log2 m): one visit for each action, two for each of the better half, and so on.
func round(m int) int { return max(1, m*phases(m)) }

// phases returns ceil(log2 m), the number of phases of sequential halving of m actions.
func phases(m int) int { return bits.Len(uint(max(m, 1) - 1)) }
