//go:build slow

package training

import (
	"math"
	"testing"

	"tengen/internal/stream"
	"tengen/nn"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

func init() { everything = true }

// TestHundredSteps checks that a network learns as well on the device as on the processor, in
// each precision. It memorises 64 rows, where rounding matters most.
func TestHundredSteps(t *testing.T) {
	spec := nn.Spec{Planes: 3, Height: 3, Width: 3, Players: 2, Actions: 10, Blocks: 1, Filters: 16,
		Policy: nn.PolicyConvPass, Value: nn.ValueCategorical, Hidden: 8, Support: []float32{0, 0.5, 1}}
	for _, optimizer := range []train.Optimizer{train.OptimizerSGD, train.OptimizerAdam} {
		rng := stream.New(trainerSeed, stream.Test)
		p, err := nn.NewParams(spec)
		if err != nil {
			t.Fatal(err)
		}
		p.Init(rng)
		c := smallConfig(optimizer)
		c.Batch, c.GradClipNorm, c.L2 = 16, 5, 1e-4
		if optimizer == train.OptimizerSGD {
			c.LearningRate = 0.05
		}
		batches := make([]*train.Batch, 4)
		for i := range batches {
			batches[i] = train.RandomBatch(spec, c.Batch, rng)
		}
		curve := func(s train.Trainer) []float64 {
			var all []float64
			for i := range 100 {
				all = append(all, step(t, s, batches[i%4]).Total)
			}
			return all
		}
		want := curve(hostTrainer(t, p, c))
		for precision, tolerance := range map[kernels.Precision]float64{kernels.FP32: 0.02, kernels.TF32: 0.06, kernels.BF16: 0.06} {
			got := curve(deviceTrainer(t, emulatedDevice(t, emulate.Options{}, true), p, c, precision))
			worst := 0.0
			for i := range want {
				worst = max(worst, math.Abs(got[i]-want[i])/want[i])
			}
			t.Logf("%s %s: loss from %.4f to %.4f, on the processor from %.4f to %.4f; at most %.2g apart", optimizer, precision, got[0], got[99], want[0], want[99], worst)
			if worst > tolerance {
				t.Errorf("%s %s: losses differ by up to %g of them", optimizer, precision, worst)
			}
		}
		if want[99] > want[0]-0.2 {
			t.Errorf("%s: nothing was learned: the loss went from %g to %g", optimizer, want[0], want[99])
		}
	}
}
