package planning

import (
	"math"
	"math/rand/v2"
)

// concentration is the total concentration of the root's noise: each of n actions has the
// parameter concentration/n.
const concentration = 10

// Noise fills dst, an element for each legal action of the root, with Dirichlet noise.
func Noise(dst []float64, rng *rand.Rand) { Dirichlet(dst, concentration/float64(len(dst)), rng) }

// Dirichlet fills dst with a draw from the symmetric Dirichlet distribution
// with parameter alpha: independent Gamma(alpha, 1) variates divided by their sum.
func Dirichlet(dst []float64, alpha float64, rng *rand.Rand) {
	sum := 0.0
	for i := range dst {
		dst[i] = gamma(alpha, rng)
		sum += dst[i]
	}
	if sum == 0 {
		// All variates underflowed to 0. As alpha goes to 0, all mass goes to one element.
		dst[rng.IntN(len(dst))] = 1
		return
	}
	for i := range dst {
		dst[i] /= sum
	}
}

// Mix returns a prior p with noise: (1-weight)·p + weight·noise.
func Mix(p float32, weight, noise float64) float32 {
	// The conversions keep the products from being fused with the sum.
	return float32(float64((1-weight)*float64(p)) + float64(weight*noise))
}

// gamma draws from Gamma(alpha, 1), alpha greater than 0 (Marsaglia and Tsang,
// "A simple method for generating gamma variables", ACM TOMS 26(3), 2000;
// alpha below 1 by the remark in its section 6).
func gamma(alpha float64, rng *rand.Rand) float64 {
	if alpha < 1 {
		// 1-Float64 lies in (0, 1].
		return gamma(alpha+1, rng) * math.Pow(1-rng.Float64(), 1/alpha)
	}
	d := alpha - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := 1 - rng.Float64()
		if u < 1-0.0331*x*x*x*x || math.Log(u) < 0.5*x*x+d*(1-v+math.Log(v)) {
			return d * v
		}
	}
}
