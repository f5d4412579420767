package rating

import "math"

// Wilson returns the 95 % interval of a rate observed in n independent games, n at
// least 1 (E. B. Wilson, "Probable inference, the law of succession, and
// statistical inference", 1927). If rate counts draws as half a win, the interval
// is too wide, never too narrow.
func Wilson(rate float64, n int) (low, high float64) {
	const z = 1.959963984540054 // the normal distribution's quantile at 0.975
	k := float64(n)
	centre := (rate + z*z/(2*k)) / (1 + z*z/k)
	half := z / (1 + z*z/k) * math.Sqrt(rate*(1-rate)/k+z*z/(4*k*k))
	return max(0, centre-half), min(1, centre+half)
}
