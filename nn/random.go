package nn

import "math/rand/v2"

// RandomObservations draws observations for checks and tests: of the numbers a third are zeros, a
// third ones, and a third normally distributed.
func RandomObservations(x []float32, rng *rand.Rand) {
	clear(x)
	for i := range x {
		switch rng.IntN(3) {
		case 0:
			x[i] = 1
		case 1:
			x[i] = float32(rng.NormFloat64())
		}
	}
}
