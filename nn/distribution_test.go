package nn_test

import (
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

// The mean of each distribution is the value that Evaluate gives, to the rounding of float32; a
// linear head has none; and Evaluate is the same afterwards.
func TestDistributions(t *testing.T) {
	eachPath(t, func(t *testing.T, fold func(*nn.Params) *nn.Weights) {
		for index, spec := range append(nntest.Specs(), paper()) {
			rng := random.New(2, random.Test, uint64(index))
			w := fold(nntest.Random(spec, rng))
			e := nn.NewEvaluator(w)
			observation := nntest.Observations(spec, 1, rng)
			before := evaluate(e, observation, 1)
			list := e.Distributions(observation)
			if spec.Value != nn.ValueCategorical {
				if list != nil {
					t.Errorf("%+v: a linear head gives %v", spec, list)
				}
				continue
			}
			if len(list) != spec.Players {
				t.Fatalf("%+v: %d distributions", spec, len(list))
			}
			for p, dist := range list {
				sum, mean := 0.0, 0.0
				for i, x := range dist {
					sum += x
					mean += x * float64(spec.Support[i])
				}
				if math.Abs(sum-1) > 1e-9 || math.Abs(mean-float64(before.Values[p])) > 1e-6 {
					t.Errorf("%+v, player %d: sum %g, mean %g, value %g",
						spec, p, sum, mean, before.Values[p])
				}
			}
			after := evaluate(e, observation, 1)
			for i := range before.Values {
				if before.Values[i] != after.Values[i] {
					t.Errorf("%+v: values changed", spec)
				}
			}
		}
	})
}
