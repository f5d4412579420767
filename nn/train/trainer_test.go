package train

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/nntest"
)

// smallConfig enables everything that has state: the optimizer, the moving average, warm-up.
func smallConfig(optimizer Optimizer) Config {
	c := DefaultConfig()
	c.Batch, c.Optimizer, c.LearningRate, c.EMADecay, c.GradClipNorm, c.Workers = 8, optimizer,
		0.01, 0.9, 0.5, 2
	c.Schedule = Schedule{Kind: ScheduleConstant, Warmup: 5}
	c.LabelWeight, c.BeliefWeight = labelWeight, beliefWeight
	return c
}

func newTrainer(t *testing.T, p *nn.Params, c Config) *GraphTrainer {
	t.Helper()
	tr, err := New(p, c)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func step(t *testing.T, tr *GraphTrainer, b *Batch) nn.Losses {
	t.Helper()
	l, err := tr.Step(b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// sameParams compares to the bit and returns a description of the first difference, or "".
func sameParams(a, b *nn.Params) string {
	for i := range a.Tensors {
		for j, v := range a.Tensors[i].Data {
			if w := b.Tensors[i].Data[j]; math.Float32bits(v) != math.Float32bits(w) {
				return fmt.Sprintf("%s[%d] is %g and %g", a.Tensors[i].Name, j, v, w)
			}
		}
	}
	return ""
}

func TestNewTrainerReturnsItsParams(t *testing.T) {
	for index, spec := range nntest.AllSpecs() {
		p := nntest.Random(spec, random.New(seed, random.Test, uint64(index)))
		tr := newTrainer(t, p, smallConfig(OptimizerSGD))
		if d := sameParams(p, must(tr.Params())); d != "" {
			t.Errorf("%+v: %s", spec, d)
		}
		if d := sameParams(p, must(tr.Averaged())); d != "" {
			t.Errorf("%+v: averaged: %s", spec, d)
		}
	}
}

// TestDeterminism checks that two runs agree to the bit with any number of workers.
func TestDeterminism(t *testing.T) {
	for index, spec := range nntest.AllSpecs() {
		run := func(workers int) (*nn.Params, *nn.Params, nn.Losses) {
			rng := random.New(seed, random.Test, uint64(index))
			c := smallConfig(OptimizerAdam)
			c.Batch, c.Workers = 2*chunk+3, workers
			tr := newTrainer(t, nntest.Random(spec, rng), c)
			var l nn.Losses
			for range 3 {
				l = step(t, tr, RandomBatch(spec, c.Batch, rng))
			}
			return must(tr.Params()), must(tr.Averaged()), l
		}
		p1, a1, l1 := run(1)
		for _, workers := range []int{1, 2, 3} {
			p2, a2, l2 := run(workers)
			if d := sameParams(p1, p2); d != "" {
				t.Errorf("%+v, %d workers: %s", spec, workers, d)
			}
			if d := sameParams(a1, a2); d != "" {
				t.Errorf("%+v, %d workers, averaged: %s", spec, workers, d)
			}
			if l1 != l2 {
				t.Errorf("%+v, %d workers: losses %+v and %+v", spec, workers, l1, l2)
			}
		}
	}
}

// TestResume checks that training interrupted by saving a state and restoring it in a new
// trainer gives, to the bit, the results of uninterrupted training.
func TestResume(t *testing.T) {
	for _, optimizer := range []Optimizer{OptimizerSGD, OptimizerAdam} {
		for index, spec := range nntest.AllSpecs() {
			rng := random.New(seed, random.Test, uint64(index))
			p := nntest.Random(spec, rng)
			var batches []*Batch
			for range 6 {
				batches = append(batches, RandomBatch(spec, 8, rng))
			}
			straight := newTrainer(t, p, smallConfig(optimizer))
			first := newTrainer(t, p, smallConfig(optimizer))
			for _, b := range batches[:3] {
				step(t, straight, b)
				step(t, first, b)
			}
			second := newTrainer(t, must(first.Params()), smallConfig(optimizer))
			if err := second.SetState(must(first.State())); err != nil {
				t.Fatal(err)
			}
			for _, b := range batches[3:] {
				l1, l2 := step(t, straight, b), step(t, second, b)
				if l1 != l2 {
					t.Errorf("%s %+v: losses %+v and %+v", optimizer, spec, l1, l2)
				}
			}
			if d := sameParams(must(straight.Params()), must(second.Params())); d != "" {
				t.Errorf("%s %+v: %s", optimizer, spec, d)
			}
			if d := sameParams(must(straight.Averaged()), must(second.Averaged())); d != "" {
				t.Errorf("%s %+v, averaged: %s", optimizer, spec, d)
			}
			if sameParams(must(straight.Params()), must(straight.Averaged())) == "" {
				t.Errorf("%+v: the average equals the current parameters", spec)
			}
		}
	}
}

func TestStateIsIndependentAndChecked(t *testing.T) {
	spec := nntest.Specs()[0]
	rng := random.New(seed, random.Test)
	p := nntest.Random(spec, rng)
	adam := newTrainer(t, p, smallConfig(OptimizerAdam))
	step(t, adam, RandomBatch(spec, 8, rng))
	state := must(adam.State())
	names := map[string][]int{}
	for _, x := range state.Tensors {
		names[x.Name] = x.Shape
	}
	for _, tensor := range p.Tensors {
		learned := !strings.HasSuffix(tensor.Name, ".mean") &&
			!strings.HasSuffix(tensor.Name, ".variance")
		for prefix, want := range map[string]bool{
			"adam.first/": learned, "adam.second/": learned, "average/": true,
		} {
			if shape, ok := names[prefix+tensor.Name]; ok != want ||
				ok && !slices.Equal(shape, tensor.Shape) {
				t.Errorf("state tensor %s%s: present %v with shape %v; want %v with %v",
					prefix, tensor.Name, ok, shape, want, tensor.Shape)
			}
		}
	}
	refuse := func(what string, tr *GraphTrainer, s State, say string) {
		t.Helper()
		before := fmt.Sprint(must(tr.State()))
		if err := tr.SetState(s); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: error %v, want one that says %q", what, err, say)
		}
		if fmt.Sprint(must(tr.State())) != before {
			t.Errorf("%s: the rejected state was partly applied", what)
		}
	}
	refuse("another optimizer", newTrainer(t, p, smallConfig(OptimizerSGD)), state, "missing")
	refuse("a tensor less", adam, State{1, state.Tensors[1:]}, "missing")
	refuse("a tensor more",
		adam, State{1, append(slices.Clone(state.Tensors), nn.Tensor{Name: "x"})}, "tensors")
	refuse("another network",
		newTrainer(t, nntest.Random(nntest.Specs()[1], rng), smallConfig(OptimizerAdam)),
		state, "want [")
	refuse("negative steps", adam, State{-1, state.Tensors}, "steps")
	for _, x := range state.Tensors {
		clear(x.Data)
	}
	if fmt.Sprint(must(adam.State())) == fmt.Sprint(state) {
		t.Error("the state shares memory with the trainer")
	}
}

// TestEvaluationModeIsInference compares the graph in evaluation mode with package nn's
// inference, and its losses with the reference network's.
func TestEvaluationModeIsInference(t *testing.T) {
	for index, spec := range nntest.AllSpecs() {
		rng := random.New(seed, random.Test, uint64(index))
		c := smallConfig(OptimizerSGD)
		c.PolicyWeight, c.ValueWeight, c.L2 = 1.5, 0.7, 0.01
		tr := newTrainer(t, nntest.Random(spec, rng), c)
		for range 3 {
			step(t, tr, RandomBatch(spec, c.Batch, rng))
		}
		p := must(tr.Params())
		const rows = 19 // not a multiple of the trainer's batch
		b := RandomBatch(spec, rows, rng)

		graph, err := NewGraphEvaluator(p, 8)
		if err != nil {
			t.Fatal(err)
		}
		folded := nn.NewEvaluator(nn.Fold(p))
		x, y := graph.NewBatch(rows), folded.NewBatch(rows)
		x.N, y.N = rows, rows
		copy(x.Observations, b.Observations)
		copy(y.Observations, b.Observations)
		graph.Evaluate(x)
		folded.Evaluate(y)
		for i := range y.Policy {
			if d := math.Abs(float64(x.Policy[i] - y.Policy[i])); !(d <=
				2e-5*(1+math.Abs(float64(y.Policy[i])))) {
				t.Fatalf("%+v: logit %d is %g in the graph, %g folded",
					spec, i, x.Policy[i], y.Policy[i])
			}
		}
		for i := range y.Values {
			if d := math.Abs(float64(x.Values[i] - y.Values[i])); !(d <=
				2e-5*(1+math.Abs(float64(y.Values[i])))) {
				t.Fatalf("%+v: value %d is %g in the graph, %g folded",
					spec, i, x.Values[i], y.Values[i])
			}
		}

		before := fmt.Sprint(must(tr.State()))
		got, err := tr.Losses(b)
		if err != nil {
			t.Fatal(err)
		}
		total, policy, value := referenceLoss(nntest.NewReference(p), b, rows, false,
			c.PolicyWeight, c.ValueWeight)
		l2 := 0.0
		for _, tensor := range p.Tensors {
			if strings.HasSuffix(tensor.Name, ".weight") {
				for _, w := range tensor.Data {
					l2 += 0.01 * float64(w) * float64(w)
				}
			}
		}
		for _, v := range []struct {
			name      string
			got, want float64
		}{
			{"policy", got.Policy, policy}, {"value", got.Value, value}, {"l2", got.L2, l2},
			{"total", got.Total, total + l2},
		} {
			if math.Abs(v.got-v.want) > 1e-4*(1+math.Abs(v.want)) {
				t.Errorf("%+v: %s loss %g, the reference gives %g", spec, v.name, v.got, v.want)
			}
		}
		if d := sameParams(p, must(tr.Params())); d != "" ||
			fmt.Sprint(must(tr.State())) != before {
			t.Errorf("%+v: measuring losses changed the trainer: %s", spec, d)
		}
	}
}

// TestStepAgreesWithReference compares a step with the reference network: the losses in
// training mode, and the running statistics after it.
func TestStepAgreesWithReference(t *testing.T) {
	for index, spec := range nntest.AllSpecs() {
		rng := random.New(seed, random.Test, uint64(index))
		c := smallConfig(OptimizerSGD)
		c.L2 = 0
		p := nntest.Random(spec, rng)
		tr := newTrainer(t, p, c)
		b := RandomBatch(spec, c.Batch, rng)
		got := step(t, tr, b)
		total, policy, value := referenceLoss(nntest.NewReference(p), b, c.Batch, true, 1, 1)
		for _, v := range [][2]float64{
			{got.Total, total}, {got.Policy, policy}, {got.Value, value},
		} {
			if math.Abs(v[0]-v[1]) > 1e-4*(1+math.Abs(v[1])) {
				t.Errorf("%+v: losses %+v, the reference gives %g, %g, %g",
					spec, got, total, policy, value)
			}
		}
		after := must(tr.Params())
		out := nntest.NewReference(p).Forward(nntest.Widen(b.Observations), c.Batch, true)
		for layer, mean := range out.Mean {
			for k := range mean {
				for _, s := range []struct {
					name string
					seen float64
				}{{layer + ".mean", mean[k]}, {layer + ".variance", out.Variance[layer][k]}} {
					want := 0.9*float64(p.Get(s.name).Data[k]) + 0.1*s.seen
					if got := float64(after.Get(s.name).Data[k]); math.Abs(got-want) >
						1e-4*(1+math.Abs(want)) {
						t.Errorf("%+v: %s[%d] is %g, want %g", spec, s.name, k, got, want)
					}
				}
			}
		}
	}
}

func TestNonFiniteBatchChangesNothing(t *testing.T) {
	spec := nntest.Specs()[0]
	rng := random.New(seed, random.Test)
	tr := newTrainer(t, nntest.Random(spec, rng), smallConfig(OptimizerAdam))
	good := RandomBatch(spec, 8, rng)
	step(t, tr, good)
	before, state := must(tr.Params()), fmt.Sprint(must(tr.State()))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	huge := float32(1e38) // overflows inside the network
	for _, c := range []struct {
		bad   float32
		place func(b *Batch, v float32)
		say   string
	}{
		{nan, func(b *Batch, v float32) { b.Observations[3] = v }, "nothing was changed"},
		{inf, func(b *Batch, v float32) { b.Observations[3] = v }, "nothing was changed"},
		{huge, func(b *Batch, v float32) {
			b.Observations[3], b.Observations[4] = v, -v
		}, "nothing was changed"},
		{nan, func(b *Batch, v float32) { b.Value[0] = v }, "value loss"},
		{inf, func(b *Batch, v float32) { b.Value[0] = v }, "value loss"},
		{nan, func(b *Batch, v float32) { b.Policy[0] = v }, "policy loss"},
		{inf, func(b *Batch, v float32) { b.Policy[0] = v }, "policy loss"},
		{nan, func(b *Batch, v float32) { b.PolicyWeight[2] = v }, "row 2"},
		{inf, func(b *Batch, v float32) { b.PolicyWeight[2] = v }, "row 2"},
		{-1, func(b *Batch, v float32) { b.PolicyWeight[2] = v }, "row 2"},
	} {
		b := &Batch{
			Observations: slices.Clone(good.Observations), Policy: slices.Clone(good.Policy),
			PolicyWeight: slices.Clone(good.PolicyWeight), Value: slices.Clone(good.Value),
		}
		c.place(b, c.bad)
		if _, err := tr.Step(b); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%g: error %v, want one that says %q", c.bad, err, c.say)
		}
	}
	if d := sameParams(before, must(tr.Params())); d != "" {
		t.Errorf("a rejected step changed %s", d)
	}
	if fmt.Sprint(must(tr.State())) != state {
		t.Error("a rejected step changed the state")
	}
	if l := step(t, tr, good); math.IsNaN(l.Total) {
		t.Error("training cannot continue after a rejected step")
	}
}

func TestWrongBatches(t *testing.T) {
	spec := nntest.Specs()[0]
	rng := random.New(seed, random.Test)
	tr := newTrainer(t, nntest.Random(spec, rng), smallConfig(OptimizerSGD))
	for _, c := range []struct {
		change func(b *Batch)
		say    string
	}{
		{func(b *Batch) {
			b.Observations = b.Observations[:len(b.Observations)-1]
		}, "observations"},
		{func(b *Batch) { b.Policy = b.Policy[1:] }, "policy targets"},
		{func(b *Batch) { b.PolicyWeight = nil }, "policy weights"},
		{func(b *Batch) { b.Value = append(b.Value, 1) }, "value targets"},
	} {
		b := RandomBatch(spec, 8, rng)
		c.change(b)
		if _, err := tr.Step(b); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("error %v, want one about %s", err, c.say)
		}
		if _, err := tr.Losses(b); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("error %v, want one about %s", err, c.say)
		}
	}
	if _, err := tr.Step(RandomBatch(spec, 7, rng)); err == nil ||
		!strings.Contains(err.Error(), "7 rows") {
		t.Errorf("error %v, want one about 7 rows", err)
	}
	if _, err := tr.Losses(NewBatch(spec, 0)); err == nil {
		t.Error("no rows were measured without an error")
	}
}

// TestL2AndClip takes one step of SGD without momentum, which changes each number by
// −rate·(scale·gradient + 2·L2·w), the last term on weights only.
func TestL2AndClip(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(seed, random.Test)
	p := nntest.Random(spec, rng)
	b := RandomBatch(spec, 8, rng)
	change := func(l2, clip float64) (map[string][]float64, nn.Losses) {
		c := Config{
			Batch: 8, Optimizer: OptimizerSGD, LearningRate: 1, L2: l2, GradClipNorm: clip,
			PolicyWeight: 1, ValueWeight: 1,
		}
		tr := newTrainer(t, p, c)
		l := step(t, tr, b)
		d := map[string][]float64{}
		for i, tensor := range must(tr.Params()).Tensors {
			for j, v := range tensor.Data {
				d[tensor.Name] = append(d[tensor.Name], float64(v)-float64(p.Tensors[i].Data[j]))
			}
		}
		return d, l
	}
	plain, losses := change(0, 0)
	norm := 0.0
	for name, d := range plain {
		if strings.HasSuffix(name, ".mean") || strings.HasSuffix(name, ".variance") {
			continue
		}
		for _, v := range d {
			norm += v * v
		}
	}
	if norm = math.Sqrt(norm); math.Abs(norm-losses.GradientNorm) > 1e-4*norm {
		t.Errorf("gradient norm %g, the step's length is %g", losses.GradientNorm, norm)
	}
	const l2 = 0.05
	clip := norm / 3
	both, _ := change(l2, clip)
	for _, tensor := range p.Tensors {
		for j, w := range tensor.Data {
			want := plain[tensor.Name][j]
			if !strings.HasSuffix(tensor.Name, ".mean") &&
				!strings.HasSuffix(tensor.Name, ".variance") {
				want /= 3
			}
			if strings.HasSuffix(tensor.Name, ".weight") {
				want -= 2 * l2 * float64(w)
			}
			if got := both[tensor.Name][j]; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("%s[%d] changed by %g, want %g", tensor.Name, j, got, want)
			}
		}
	}
	if loose, _ := change(0, 2*norm); fmt.Sprint(loose) != fmt.Sprint(plain) {
		t.Error("a limit above the gradient's norm changed the step")
	}
}

func TestAverageByHand(t *testing.T) {
	spec := nntest.Specs()[3]
	rng := random.New(seed, random.Test)
	c := smallConfig(OptimizerSGD)
	c.EMADecay = 0.15
	p := nntest.Random(spec, rng)
	tr := newTrainer(t, p, c)
	step(t, tr, RandomBatch(spec, 8, rng))
	p1 := must(tr.Params())
	step(t, tr, RandomBatch(spec, 8, rng))
	p2, got := must(tr.Params()), must(tr.Averaged())
	// Decays: min(0.15, 1/10) = 0.1, then min(0.15, 2/11) = 0.15.
	for i, tensor := range got.Tensors {
		for j, v := range tensor.Data {
			a1 := 0.1*float64(p.Tensors[i].Data[j]) + 0.9*float64(p1.Tensors[i].Data[j])
			want := 0.15*a1 + 0.85*float64(p2.Tensors[i].Data[j])
			if math.Abs(float64(v)-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("the average of %s[%d] is %g, want %g", tensor.Name, j, v, want)
			}
		}
	}
}

// TestMeasures compares losses, accuracy and entropies with values worked out by hand.
func TestMeasures(t *testing.T) {
	spec := nn.Spec{Planes: 1, Height: 1, Width: 1, Players: 1, Actions: 2, Blocks: 0, Filters: 1,
		Policy: nn.PolicyDense, Value: nn.ValueLinear, Hidden: 1}
	p, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	// the policy is (¾, ¼) for every row
	copy(p.Get("policy.dense.bias").Data, []float32{float32(math.Log(3)), 0})
	p.Get("value.0.output.bias").Data[0] = 0.5
	c := DefaultConfig()
	c.Batch, c.L2, c.ValueWeight = 2, 0, 2
	tr := newTrainer(t, p, c)
	got, err := tr.Losses(&Batch{
		Observations: []float32{0, 1, 2},
		Policy:       []float32{1, 0, 0.5, 0.5, 0, 1},
		PolicyWeight: []float32{3, 0, 1},
		Value:        []float32{0.5, 0.7, 1.5},
	})
	if err != nil {
		t.Fatal(err)
	}
	policy := (3*math.Log(4./3) + math.Log(4)) / 4
	value := (0 + 0.04 + 1) / 3
	want := nn.Losses{Total: policy + 2*value, Policy: policy, Value: value, PolicyAccuracy: 0.75,
		PolicyEntropy: -0.75*math.Log(0.75) - 0.25*math.Log(0.25), TargetEntropy: 0,
		ValueCalibration: 0.9 - 0.5} // all three values are ½; their targets' mean is 0.9
	for _, v := range [][2]float64{{got.Total, want.Total}, {got.Policy, want.Policy},
		{got.Value, want.Value}, {got.L2, 0},
		{got.PolicyAccuracy, want.PolicyAccuracy}, {got.PolicyEntropy, want.PolicyEntropy},
		{got.TargetEntropy, want.TargetEntropy},
		{got.ValueCalibration, want.ValueCalibration}, {got.WeightNorm, 0}} {
		if math.Abs(v[0]-v[1]) > 1e-6 {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
	// Without any policy target the policy's measures are 0.
	if l := step(t, tr, &Batch{
		Observations: []float32{0, 1}, Policy: make([]float32, 4), PolicyWeight: make([]float32, 2),
		Value: make([]float32, 2),
	}); l.Policy != 0 || l.PolicyAccuracy != 0 {
		t.Errorf("losses %+v; no row had a policy target", l)
	}
}

// TestLearns checks that a small network can overfit a small random data set.
func TestLearns(t *testing.T) {
	for _, index := range []int{0, 1, 2} {
		for _, optimizer := range []Optimizer{OptimizerSGD, OptimizerAdam} {
			spec := nntest.Specs()[index]
			spec.Filters, spec.Hidden = 16, 16
			rng := random.New(seed, random.Test, uint64(index))
			p, err := nn.NewParams(spec)
			if err != nil {
				t.Fatal(err)
			}
			p.Init(rng)
			c := DefaultConfig()
			c.Batch, c.Optimizer, c.L2 = 16, optimizer, 0
			c.LearningRate = map[Optimizer]float64{
				OptimizerSGD: 0.05, OptimizerAdam: 0.01,
			}[optimizer]
			tr := newTrainer(t, p, c)
			b := RandomBatch(spec, 16, rng)
			for i := range b.PolicyWeight {
				b.PolicyWeight[i] = 1
			}
			// Definite targets, so that the least loss is zero.
			oneHot := func(x []float32) {
				clear(x)
				x[rng.IntN(len(x))] = 1
			}
			for r := range 16 {
				oneHot(b.Policy[r*spec.Actions : (r+1)*spec.Actions])
			}
			if spec.Value == nn.ValueCategorical {
				for i := 0; i < len(b.Value); i += spec.Outputs() {
					oneHot(b.Value[i : i+spec.Outputs()])
				}
			}
			var first, last nn.Losses
			for i := range 200 {
				last = step(t, tr, b)
				if i == 0 {
					first = last
				}
			}
			if !(last.Policy < 0.05*first.Policy && last.Value < 0.1*first.Value &&
				last.PolicyAccuracy == 1) {
				t.Errorf("%s, %s head: losses %+v after 200 steps, %+v at first",
					optimizer, spec.Policy, last, first)
			}
			held, err := tr.Losses(b)
			if err != nil {
				t.Fatal(err)
			}
			if held.Policy > 0.2*first.Policy {
				t.Errorf("%s, %s head: policy loss %g in evaluation mode, %g in training",
					optimizer, spec.Policy, held.Policy, last.Policy)
			}
		}
	}
}

func paramsOf(t *testing.T, spec nn.Spec) *nn.Params {
	t.Helper()
	return nntest.Random(spec, random.New(seed, random.Test))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
