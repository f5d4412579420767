package train

import (
	"math/rand/v2"

	"tengen/nn"
)

// RandomBatch draws a batch for checks and tests of trainers: observations as nn.RandomObservations
// has them, targets that are distributions (or utilities for a linear head), and weights of rows of
// which some are 0, but not that of the first row.
func RandomBatch(spec nn.Spec, rows int, rng *rand.Rand) *Batch {
	b := NewBatch(spec, rows)
	nn.RandomObservations(b.Observations, rng)
	for r := range b.PolicyWeight {
		randomDistribution(b.Policy[r*spec.Actions:(r+1)*spec.Actions], rng)
		b.PolicyWeight[r] = float32(rng.IntN(3)) / 2
	}
	for i := 0; i < len(b.Value); i += spec.Outputs() {
		if spec.Value == nn.ValueCategorical {
			randomDistribution(b.Value[i:i+spec.Outputs()], rng)
		} else {
			b.Value[i] = rng.Float32()
		}
	}
	if len(b.PolicyWeight) > 0 {
		b.PolicyWeight[0] = 1
	}
	randomAuxiliary(b, spec, rng)
	return b
}

// randomDistribution draws probabilities, of which some are 0.
func randomDistribution(x []float32, rng *rand.Rand) {
	total := float32(0)
	for i := range x {
		x[i] = rng.Float32()
		if len(x) > 2 && rng.IntN(3) == 0 {
			x[i] = 0
		}
		total += x[i]
	}
	if total == 0 {
		x[0], total = 1, 1
	}
	for i := range x {
		x[i] /= total
	}
}

// randomAuxiliary draws targets of the auxiliary heads. Some cells have no target, in the last row
// none, and some rows weigh nothing.
func randomAuxiliary(b *Batch, spec nn.Spec, rng *rand.Rand) {
	for i := range b.Cells {
		k := i / spec.Cells() % len(spec.Auxiliary.Cells)
		b.Cells[i] = int8(rng.IntN(spec.Auxiliary.Cells[k]+1)) - 1
		if last := len(b.AuxiliaryWeight) - 1; last > 0 &&
			i/spec.Cells()/len(spec.Auxiliary.Cells) == last {
			b.Cells[i] = NoClass
		}
	}
	for i := range b.Seats {
		b.Seats[i] = rng.Float32()
	}
	randomFacts(b, spec, rng)
	for _, weights := range [][]float32{b.AuxiliaryWeight, b.FactWeight} {
		for r := range weights {
			weights[r] = float32(rng.IntN(3)) / 2
		}
		if len(weights) > 0 {
			weights[0] = 1
		}
	}
}

// randomFacts draws targets of the belief head. Some facts are known, and some classes impossible.
func randomFacts(b *Batch, spec nn.Spec, rng *rand.Rand) {
	priors := b.Priors
	for i := range b.Facts {
		own := priors[:spec.Auxiliary.Belief[i%len(spec.Auxiliary.Belief)]]
		priors = priors[len(own):]
		clear(own)
		if rng.IntN(4) == 0 {
			b.Facts[i] = NoClass
			continue
		}
		b.Facts[i] = int8(rng.IntN(len(own)))
		sum := float32(0)
		for c := range own {
			if c == int(b.Facts[i]) || rng.IntN(3) > 0 {
				own[c] = 0.1 + rng.Float32()
				sum += own[c]
			}
		}
		for c := range own {
			own[c] /= sum
		}
	}
}
