package train

import (
	"math"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

// TestWeightDecay: a step with decay multiplies weights by 1 − rate·WeightDecay before it moves
// them as a step without decay does, and leaves biases and norms alone. The loss and the solver's
// state do not know of it.
func TestWeightDecay(t *testing.T) {
	for _, optimizer := range []Optimizer{OptimizerSGD, OptimizerAdam} {
		spec := nntest.Specs()[1]
		rng := random.New(seed, random.Test)
		p := nntest.Random(spec, rng)
		b := RandomBatch(spec, 8, rng)
		after := func(decay float64) (*nn.Params, State, nn.Losses) {
			c := DefaultConfig()
			c.Batch, c.Optimizer, c.LearningRate, c.L2, c.WeightDecay = 8, optimizer, 0.01, 0, decay
			tr := newTrainer(t, p, c)
			l := step(t, tr, b)
			return must(tr.Params()), must(tr.State()), l
		}
		plain, plainState, plainLosses := after(0)
		decayed, state, losses := after(3)
		if losses.Total != plainLosses.Total {
			t.Errorf("%s: the loss is %g with decay, %g without",
				optimizer, losses.Total, plainLosses.Total)
		}
		for i, x := range state.Tensors {
			if !sameNumbers(x.Data, plainState.Tensors[i].Data) {
				t.Errorf("%s: %s depends on the decay", optimizer, x.Name)
			}
		}
		for i, x := range decayed.Tensors {
			for j, got := range x.Data {
				want := float64(plain.Tensors[i].Data[j])
				if strings.HasSuffix(x.Name, ".weight") {
					want -= 0.01 * 3 * float64(p.Tensors[i].Data[j])
				}
				if math.Abs(float64(got)-want) > 1e-6*(1+math.Abs(want)) {
					t.Fatalf("%s: %s[%d] is %g, want %g", optimizer, x.Name, j, got, want)
				}
			}
		}
	}
}

func sameNumbers(a, b []float32) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}
