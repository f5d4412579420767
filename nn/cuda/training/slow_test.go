//go:build slow

package training

import (
	"math"
	"math/rand/v2"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

func init() { everything = true }

// TestTrainerFailuresTwice is TestTrainerFailures of two devices where each second step is taken
// twice.
func TestTrainerFailuresTwice(t *testing.T) {
	every(t, 2)
	testTrainerFailures(t, 2)
}

// TestThousandSteps checks that a network learns as well in bf16 as in fp32: over a thousand steps
// on fresh positions, whose policies and results a teacher of random weights gives, the curve of
// the loss on an emulated device in bf16 is that of the processor's trainer, which has the same
// first weights and the same batches, within the spread of runs that differ in their first weights
// alone. At the start they agree closely; later rounding has made other weights of them.
func TestThousandSteps(t *testing.T) {
	const steps, window, seeds = 1000, 50, 4
	spec := nn.Spec{Planes: 3, Height: 3, Width: 3, Players: 2, Actions: 10, Blocks: 1, Filters: 16,
		Policy: nn.PolicyConvPass, Value: nn.ValueCategorical, Hidden: 8,
		Support: []float32{0, 0.5, 1}}
	config := train.DefaultConfig()
	config.Batch, config.Workers = 16, 1
	for _, optimizer := range []train.Optimizer{train.OptimizerSGD, train.OptimizerAdam} {
		t.Run(string(optimizer), func(t *testing.T) {
			c := config
			c.Optimizer = optimizer
			if optimizer == train.OptimizerSGD {
				c.LearningRate = 0.02
			}
			batches := taught(spec, c.Batch, steps, random.New(trainerSeed, random.Test, 1))
			first := func(seed uint64) *nn.Params {
				p, err := nn.NewParams(spec)
				if err != nil {
					t.Fatal(err)
				}
				p.Init(random.New(seed, random.Test, 2))
				return p
			}
			// curve returns the mean losses, policy's and value's, of each window of steps.
			curve := func(s train.Trainer) []float64 {
				all := make([]float64, steps/window)
				for i, b := range batches {
					l := step(t, s, b)
					all[i/window] += (l.Policy + l.Value) / window
				}
				return all
			}
			var runs [seeds][]float64
			for seed := range runs {
				runs[seed] = curve(hostTrainer(t, first(uint64(seed)), c))
			}
			got := curve(deviceTrainer(t, emulatedDevice(t, emulate.Options{}, true), first(0), c,
				kernels.BF16))
			apart, spread, worst := 0.0, 0.0, 0.0
			for i, want := range runs[0] {
				mean, squares := 0.0, 0.0
				for _, r := range runs {
					mean += r[i] / seeds
				}
				for _, r := range runs {
					squares += (r[i] - mean) * (r[i] - mean)
				}
				apart += math.Abs(got[i]-want) * window / steps
				spread += math.Sqrt(squares/(seeds-1)) * window / steps
				worst = max(worst, math.Abs(got[i]-want))
			}
			last := steps/window - 1
			t.Logf("loss from %.4f to %.4f, in fp32 from %.4f to %.4f; %.4f apart in the mean, at most %.4f; other first weights: %.4f", got[0], got[last], runs[0][0], runs[0][last], apart, worst, spread)
			if apart > spread {
				t.Errorf("the losses are %.4f apart in the mean, those of other first weights %.4f",
					apart, spread)
			}
			if gained := runs[0][0] - runs[0][last]; gained < 0.1 || gained < 3*spread {
				t.Errorf("nothing was learned: the loss went from %g to %g",
					runs[0][0], runs[0][last])
			}
		})
	}
}

// TestFullStepOfDeepNetwork checks how far rounding moves the gradients and the statistics of a
// step of all rows of a deep network from those of a step of few: at most half as far as a device
// may be off.
func TestFullStepOfDeepNetwork(t *testing.T) {
	spec := nn.Spec{Planes: 4, Height: 3, Width: 3, Players: 2, Actions: 10, Blocks: 20,
		Filters: 16, Policy: nn.PolicyConvPass, Value: nn.ValueCategorical, Hidden: 8,
		Support: []float32{0, 0.5, 1}}
	d := emulatedDevice(t, emulate.Options{}, true)
	info, config := d.Info(), train.DefaultConfig()
	config.Batch = 144 // three times 48
	for _, precision := range []kernels.Precision{kernels.FP32, kernels.TF32, kernels.BF16} {
		plan, err := NewPlan(spec, config, precision, &info)
		if err != nil {
			t.Fatal(err)
		}
		like, err := plan.refer(d)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := newTrainer([]*cuda.Device{d}, []*Plan{plan}, like.params, (*Plan).make)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := tr.tryTwice(like); err != nil || r.differs() {
			t.Fatal(precision, err)
		}
		gradient, statistics, err := tr.gradientOf()
		if err != nil {
			t.Fatal(err)
		}
		worst, where, off := 0.0, "", 0.0
		for _, s := range plan.layout.stretches() {
			if by := apart(gradient[s.from:s.to], like.gradient[s.from:s.to],
				size(like.gradient)); by > worst {
				worst, where = by, s.name
			}
		}
		for i := 0; i < len(statistics); i += 16 {
			off = max(off, apart(statistics[i:i+16], like.statistics[i:i+16],
				size(like.statistics)))
		}
		t.Logf("%s: gradients differ by at most %.2g (%s), statistics by %.2g", precision, worst,
			where, off)
		if worst > fullLimits[precision]/2 || off > fullLimit/2 {
			t.Errorf("%s: more than half of what is permitted", precision)
		}
		tr.Close()
	}
}

// taught returns batches of random positions with actions and results drawn as a network of random
// weights gives them.
func taught(spec nn.Spec, rows, n int, rng *rand.Rand) []*train.Batch {
	teacher := nntest.NewReference(nntest.Random(spec, rng))
	batches := make([]*train.Batch, n)
	for i := range batches {
		b := train.NewBatch(spec, rows)
		nn.RandomObservations(b.Observations, rng)
		out := teacher.Forward(nntest.Widen(b.Observations), rows, false)
		draw := func(to []float32, logits []float64) {
			x, sharp := rng.Float64(), make([]float64, len(logits))
			for k, l := range logits {
				sharp[k] = 5 * l // so that there is something to learn
			}
			for k, p := range nntest.Softmax(sharp) {
				if x -= p; x < 0 || k == len(to)-1 {
					to[k] = 1
					return
				}
			}
		}
		for r := range rows {
			b.PolicyWeight[r] = 1
			draw(b.Policy[r*spec.Actions:(r+1)*spec.Actions],
				out.Policy[r*spec.Actions:(r+1)*spec.Actions])
		}
		for k := 0; k < len(b.Value); k += spec.Outputs() {
			draw(b.Value[k:k+spec.Outputs()], out.ValueLogits[k:k+spec.Outputs()])
		}
		batches[i] = b
	}
	return batches
}
