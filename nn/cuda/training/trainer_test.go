package training

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

const trainerSeed = 5

// emulatedDevice opens an emulated device, or skips the test if emulation is unavailable.
func emulatedDevice(t testing.TB, o emulate.Options, unchecked bool) *cuda.Device {
	t.Helper()
	api := emulate.ForTest(t, o)
	d, err := cuda.Open(api, 0, cuda.Options{Unchecked: unchecked})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func deviceTrainer(
	t testing.TB, d *cuda.Device, p *nn.Params, c train.Config, precision kernels.Precision,
) *Trainer {
	t.Helper()
	tr, err := NewTrainer([]*cuda.Device{d}, p, c, precision)
	var compile *driver.CompileError
	if errors.As(err, &compile) {
		t.Fatal(compile.Log)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

func hostTrainer(t testing.TB, p *nn.Params, c train.Config) *train.GraphTrainer {
	t.Helper()
	tr, err := train.New(p, c)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// smallConfig uses everything that has state.
func smallConfig(optimizer train.Optimizer) train.Config {
	c := train.DefaultConfig()
	c.Batch, c.Optimizer, c.LearningRate, c.EMADecay, c.GradClipNorm, c.Workers = 8, optimizer,
		0.01, 0.9, 0.5, 1
	c.PolicyWeight, c.ValueWeight, c.L2, c.WeightDecay = 1.5, 0.7, 0.01, 2
	c.LabelWeight, c.BeliefWeight = 0.6, 0.2
	c.Schedule = train.Schedule{Kind: train.ScheduleConstant, Warmup: 5}
	return c
}

// difference returns the maximum difference between two sets of tensors, relative to 1 +
// |number|.
func difference(a, b []nn.Tensor) (float64, string) {
	worst, where := 0.0, ""
	for i := range a {
		if a[i].Name != b[i].Name {
			return math.Inf(1), a[i].Name + " in place of " + b[i].Name
		}
		for j, v := range a[i].Data {
			w := float64(b[i].Data[j])
			if d := math.Abs(float64(v)-w) / (1 + math.Abs(w)); !(d <= worst) {
				worst, where = d, fmt.Sprintf("%s[%d] is %g and %g", a[i].Name, j, v, w)
			}
		}
	}
	return worst, where
}

// without removes a tensor by name.
func without(tensors []nn.Tensor, name string) []nn.Tensor {
	return slices.DeleteFunc(slices.Clone(tensors), func(t nn.Tensor) bool {
		return strings.HasSuffix(t.Name, name)
	})
}

// everything makes TestStepIsTheProcessors use all networks, which takes a minute.
var everything bool

// TestStepIsTheProcessors compares steps on the device with train.GraphTrainer's on the same
// batches: losses, parameters, running statistics, averages and the optimizer's state. Tolerances
// are relative to 1 + |n| for a number n. If products are rounded, a ReLU that is active on one
// side only changes a gradient of such a small batch considerably; and Adam's first steps divide
// a gradient by its own size, so one near 0 moves a weight as far as any other, in a direction
// set by rounding.
func TestStepIsTheProcessors(t *testing.T) {
	sgd, adam := train.OptimizerSGD, train.OptimizerAdam
	for _, c := range []struct {
		precision  kernels.Precision
		optimizer  train.Optimizer
		logits     bool // train.Config.PolicyLogits
		specs      []int
		parameters float64
		state      float64
	}{
		{kernels.FP32, sgd, false, []int{1, 2, 5, 8, 9, 10, 11}, 2e-6, 2e-6},
		{kernels.FP32, sgd, true, []int{1, 2}, 2e-6, 2e-6},
		{kernels.FP32, adam, true, []int{1, 5, 8}, 2e-5, 2e-5},
		{kernels.TF32, sgd, false, []int{0, 10}, 1e-3, 2e-2},
		{kernels.BF16, sgd, true, []int{0, 8}, 1e-2, 0.1},
	} {
		if everything {
			c.specs = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
		}
		d := emulatedDevice(t, emulate.Options{}, true)
		for _, index := range c.specs {
			spec := nntest.AllSpecs()[index]
			rng := random.New(trainerSeed, random.Test, uint64(index))
			p, config := nntest.Random(spec, rng), smallConfig(c.optimizer)
			config.PolicyLogits = c.logits
			device, host := deviceTrainer(t, d, p, config, c.precision), hostTrainer(t, p, config)
			what := fmt.Sprintf("%s %s %d, over logits: %v",
				c.precision, c.optimizer, index, c.logits)
			for i := range 3 {
				b := train.RandomBatch(spec, config.Batch, rng)
				if i == 2 {
					// no row has a policy target, or what the auxiliary heads predict
					clear(b.PolicyWeight)
					clear(b.AuxiliaryWeight)
					clear(b.FactWeight)
				}
				got, want := step(t, device, b), step(t, host, b)
				sameLosses(t, what, got, want, c.parameters, c.state)
			}
			if device.Steps() != host.Steps() {
				t.Errorf("%s: %d steps, want %d", what, device.Steps(), host.Steps())
			}
			same(t, what, device, host, c.parameters, c.state)

			held := train.RandomBatch(spec, 2*config.Batch+3, rng)
			got, err := device.Losses(held)
			if err != nil {
				t.Fatal(err)
			}
			want, err := host.Losses(held)
			if err != nil {
				t.Fatal(err)
			}
			sameLosses(t, what+", held out", got, want, c.parameters, c.state)
			same(t, what+", after measuring", device, host, c.parameters, c.state)
			device.Close()
		}
	}
}

func step(t testing.TB, s train.Trainer, b *train.Batch) nn.Losses {
	t.Helper()
	l, err := s.Step(b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// same compares the whole state of two trainers.
func same(t *testing.T, what string, got, want train.Trainer, parameters, state float64) {
	t.Helper()
	for _, x := range []struct {
		what      string
		got, want []nn.Tensor
		tolerance float64
	}{
		{"parameters", must(got.Params()).Tensors, must(want.Params()).Tensors, parameters},
		{"average", must(got.Averaged()).Tensors, must(want.Averaged()).Tensors, parameters},
		{"state", must(got.State()).Tensors, must(want.State()).Tensors, state},
	} {
		if len(x.got) != len(x.want) {
			t.Fatalf("%s: %d tensors of %s, want %d", what, len(x.got), x.what, len(x.want))
		}
		if must(want.Params()).Spec.Policy == nn.PolicyConv {
			// All logits share this bias: its gradient is zero except for rounding, which Adam
			// amplifies to steps.
			x.got, x.want = without(x.got, "policy.bias"), without(x.want, "policy.bias")
		}
		if gap, where := difference(x.got, x.want); !(gap <= x.tolerance) {
			t.Errorf("%s: %s differ by %g: %s", what, x.what, gap, where)
		}
	}
}

// sameLosses compares the losses of two steps; gradients is the tolerance of the gradient's norm.
func sameLosses(t *testing.T, what string, got, want nn.Losses, tolerance, gradients float64) {
	t.Helper()
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"total", got.Total, want.Total}, {"policy", got.Policy, want.Policy},
		{"value", got.Value, want.Value}, {"l2", got.L2, want.L2},
		{"policy entropy", got.PolicyEntropy, want.PolicyEntropy},
		{"target entropy", got.TargetEntropy, want.TargetEntropy},
		{"value target entropy", got.ValueTargetEntropy, want.ValueTargetEntropy},
		{"weight norm", got.WeightNorm, want.WeightNorm},
		{"cells", got.Cells, want.Cells}, {"seats", got.Seats, want.Seats},
		{"belief", got.Belief, want.Belief}, {"belief prior", got.BeliefPrior, want.BeliefPrior},
		{"learning rate", got.LearningRate, want.LearningRate},
	} {
		if d := math.Abs(v.got - v.want); !(d <= tolerance*(1+math.Abs(v.want))) {
			t.Errorf("%s: %s %g, want %g", what, v.name, v.got, v.want)
		}
	}
	if d := math.Abs(got.GradientNorm - want.GradientNorm); !(d <=
		gradients*(1+want.GradientNorm)) {
		t.Errorf("%s: gradient norm %g, want %g", what, got.GradientNorm, want.GradientNorm)
	}
	if tolerance < 1e-4 {
		if math.Abs(got.PolicyAccuracy-want.PolicyAccuracy) > 1e-6 {
			t.Errorf("%s: accuracy %g, want %g", what, got.PolicyAccuracy, want.PolicyAccuracy)
		}
		if math.Abs(got.ValueCalibration-want.ValueCalibration) > tolerance {
			t.Errorf("%s: calibration error %g, want %g",
				what, got.ValueCalibration, want.ValueCalibration)
		}
		if math.Abs(got.BeliefError-want.BeliefError) > tolerance {
			t.Errorf("%s: the belief's calibration error is %g, want %g",
				what, got.BeliefError, want.BeliefError)
		}
		for _, c := range []struct{ got, want nn.Calibration }{
			{got.Calibration, want.Calibration}, {got.BeliefCalibration, want.BeliefCalibration},
		} {
			for i, x := range c.got {
				if w := c.want[i]; x.N != w.N ||
					math.Abs(x.Predicted-w.Predicted)+math.Abs(x.Target-w.Target) >
						tolerance*float64(1+x.N) {
					t.Errorf("%s: calibration %+v, want %+v", what, c.got, c.want)
					break
				}
			}
		}
	}
}

// TestTrainerDeterminism checks that steps have the same bits, whatever the order of threads and
// blocks.
func TestTrainerDeterminism(t *testing.T) {
	spec := nntest.AuxiliarySpecs()[0]
	run := func(o emulate.Options) (*nn.Params, train.State, nn.Losses) {
		rng := random.New(trainerSeed, random.Test)
		c := smallConfig(train.OptimizerAdam)
		c.Batch = 60 // 1500 positions: several parts of every sum
		c.PolicyLogits = true
		tr := deviceTrainer(t, emulatedDevice(t, o, true), nntest.Random(spec, rng), c,
			kernels.TF32)
		b := train.RandomBatch(spec, c.Batch, rng)
		l := step(t, tr, b)
		return must(tr.Params()), must(tr.State()), l
	}
	p1, s1, l1 := run(emulate.Options{})
	p2, s2, l2 := run(emulate.Options{Seed: 9, Reorder: true})
	if d := sameBits(p1.Tensors, p2.Tensors); d != "" {
		t.Error(d)
	}
	if d := sameBits(s1.Tensors, s2.Tensors); d != "" {
		t.Error(d)
	}
	if l1 != l2 {
		t.Errorf("losses %+v and %+v", l1, l2)
	}
}

func sameBits(a, b []nn.Tensor) string {
	for i := range a {
		for j, v := range a[i].Data {
			if w := b[i].Data[j]; math.Float32bits(v) != math.Float32bits(w) {
				return fmt.Sprintf("%s[%d] is %g and %g", a[i].Name, j, v, w)
			}
		}
	}
	return ""
}

// TestStateGoesBothWays checks that steps on one kind of trainer, then on the other, equal steps
// on one.
func TestStateGoesBothWays(t *testing.T) {
	spec := nntest.Specs()[1]
	spec.Auxiliary = nn.Auxiliary{Cells: []int{2, 3}, Seats: 2, Belief: []int{4, 3}}
	d := emulatedDevice(t, emulate.Options{}, true)
	for _, optimizer := range []train.Optimizer{train.OptimizerSGD, train.OptimizerAdam} {
		rng := random.New(trainerSeed, random.Test)
		p, c := nntest.Random(spec, rng), smallConfig(optimizer)
		var batches []*train.Batch
		for range 4 {
			batches = append(batches, train.RandomBatch(spec, c.Batch, rng))
		}
		steps := func(s train.Trainer, batches []*train.Batch) train.Trainer {
			for _, b := range batches {
				step(t, s, b)
			}
			return s
		}
		straight := steps(hostTrainer(t, p, c), batches[:2])
		straight.SetScale(0.5)
		steps(straight, batches[2:])
		for _, first := range []train.Trainer{
			hostTrainer(t, p, c), deviceTrainer(t, d, p, c, kernels.FP32),
		} {
			steps(first, batches[:2])
			var second train.Trainer
			if _, ok := first.(*Trainer); ok {
				second = hostTrainer(t, must(first.Params()), c)
			} else {
				second = deviceTrainer(t, d, must(first.Params()), c, kernels.FP32)
			}
			state := must(first.State())
			if err := second.SetState(state); err != nil {
				t.Fatal(err)
			}
			if gap := sameBits(must(second.State()).Tensors, state.Tensors); gap != "" ||
				second.Steps() != state.Steps {
				t.Errorf("%s: State differs from SetState: %s", optimizer, gap)
			}
			if gap := sameBits(must(second.Params()).Tensors,
				must(first.Params()).Tensors); gap != "" {
				t.Errorf("%s: parameters differ: %s", optimizer, gap)
			}
			second.SetScale(0.5)
			steps(second, batches[2:])
			same(t, string(optimizer), second, straight, 5e-6, 5e-6)
		}
	}
}

// TestNotFiniteChangesNothing checks that a refused step changes nothing and training can
// continue, as on the processor.
func TestNotFiniteChangesNothing(t *testing.T) {
	spec := nntest.AuxiliarySpecs()[0]
	rng := random.New(trainerSeed, random.Test)
	c := smallConfig(train.OptimizerAdam)
	for _, precision := range []kernels.Precision{kernels.TF32} {
		tr := deviceTrainer(t, emulatedDevice(t, emulate.Options{}, true), nntest.Random(spec, rng),
			c, precision)
		good := train.RandomBatch(spec, c.Batch, rng)
		step(t, tr, good)
		before, state := must(tr.Params()), must(tr.State())
		nan, inf, huge := float32(math.NaN()), float32(math.Inf(1)), float32(1e38)
		odd := math.Float32frombits(0x7fffffff) // the NaN that devices produce
		for _, c := range []struct {
			place func(b *train.Batch)
			say   string
		}{
			{func(b *train.Batch) { b.Observations[3] = nan }, "nothing was changed"},
			{func(b *train.Batch) { b.Observations[3] = odd }, "nothing was changed"},
			{func(b *train.Batch) { b.Observations[3] = inf }, "nothing was changed"},
			{func(b *train.Batch) {
				b.Observations[3], b.Observations[4] = huge, -huge
			}, "nothing was changed"},
			{func(b *train.Batch) { b.Value[0] = nan }, "value loss"},
			{func(b *train.Batch) { b.Value[0] = inf }, "value loss"},
			{func(b *train.Batch) { b.Policy[0] = nan }, "policy loss"},
			{func(b *train.Batch) { b.Policy[0] = inf }, "policy loss"},
			{func(b *train.Batch) { b.Seats[0] = nan }, "loss of seats"},
			{func(b *train.Batch) { b.Seats[0] = 1e25 }, "loss of seats"},
			{func(b *train.Batch) { b.AuxiliaryWeight[1] = inf }, "row 1"},
			{func(b *train.Batch) { b.Cells = b.Cells[1:] }, "targets of cells"},
			{func(b *train.Batch) { b.Priors[0] = nan }, "prior"},
			{func(b *train.Batch) { b.PolicyWeight[2] = nan }, "row 2"},
			{func(b *train.Batch) { b.PolicyWeight[2] = -1 }, "row 2"},
			{func(b *train.Batch) { b.Observations = b.Observations[1:] }, "observations"},
			{func(b *train.Batch) { b.Policy = b.Policy[1:] }, "policy targets"},
			{func(b *train.Batch) { b.PolicyWeight = nil }, "policy weights"},
			{func(b *train.Batch) { b.Value = append(b.Value, 1) }, "value targets"},
			{func(b *train.Batch) { *b = *train.RandomBatch(spec, 7, rng) }, "7 rows"},
		} {
			b := train.NewBatch(spec, 8)
			b.Set(good)
			c.place(b)
			if _, err := tr.Step(b); err == nil || !strings.Contains(err.Error(), c.say) {
				t.Errorf("%s: error %v, want one that says %q", precision, err, c.say)
			}
		}
		if gap := sameBits(before.Tensors, must(tr.Params()).Tensors); gap != "" {
			t.Errorf("a refused step changed %s", gap)
		}
		if gap := sameBits(state.Tensors, must(tr.State()).Tensors); gap != "" || tr.Steps() != 1 ||
			tr.err != nil {
			t.Errorf("a refused step changed the state: %s; %d steps, error %v",
				gap, tr.Steps(), tr.err)
		}
		if l := step(t, tr, good); math.IsNaN(l.Total) {
			t.Error("training does not continue after a refused step")
		}
		if _, err := tr.Losses(train.NewBatch(spec, 0)); err == nil {
			t.Error("no error for a batch without rows")
		}
	}
}

// TestKernelsThatDisagree checks that a tiled kernel that computes something else, does not
// compile or loses the device is replaced by the plain one, and that training continues.
func TestKernelsThatDisagree(t *testing.T) {
	spec := nntest.Specs()[3]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerSGD)
	d := emulatedDevice(t, emulate.Options{}, false)
	info := d.Info()
	whole := deviceTrainer(t, d, p, c, kernels.TF32)
	if whole.plan.stem.forward.Plain || whole.plan.stem.gradient.Plain ||
		whole.plan.dense.backward.Plain {
		t.Fatal("a correct kernel was rejected")
	}
	plan, err := NewPlan(spec, c, kernels.TF32, &info)
	if err != nil {
		t.Fatal(err)
	}
	spoil := func(text *string, old, replacement string) {
		if !strings.Contains(*text, old) {
			t.Fatalf("the kernel has no %q", old)
		}
		*text = strings.Replace(*text, old, replacement, 1)
	}
	spoil(&plan.stem.forward.Source.Text, "TAP_OFFSET(tap) : X_ROWS", "TAP_OFFSET(0) : X_ROWS")
	spoil(&plan.stem.gradient.Source.Text, "&& on_board(p + k, window * WINDOW + tap SHAPE)", "")
	spoil(&plan.dense.forward.Source.Text, "KERNEL_BOUNDS(product",
		"nonsense KERNEL_BOUNDS(product")
	// This one loses the device: it writes far out of bounds.
	spoil(&plan.dense.gradient.Source.Text, "float *to = part +", "float *to = part + (1 << 12) +")
	tr, err := newTrainer([]*cuda.Device{d}, []*Plan{plan}, p, (*Plan).begin)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for what, x := range map[string]struct{ got, want bool }{
		"the stem's product":     {plan.stem.forward.Plain, true},
		"the stem's gradient":    {plan.stem.gradient.Plain, true},
		"the dense product":      {plan.dense.forward.Plain, true},
		"the dense gradient":     {plan.dense.gradient.Plain, true},
		"the dense product back": {plan.dense.backward.Plain, false},
	} {
		if x.got != x.want {
			t.Errorf("%s: plain is %v", what, x.got)
		}
	}
	b := train.RandomBatch(spec, c.Batch, rng)
	sameLosses(t, "with plain kernels",
		step(t, tr, b), step(t, hostTrainer(t, p, c), b), 1e-3, 1e-3)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
