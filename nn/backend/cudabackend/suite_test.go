package cudabackend

import (
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// These checks run on an emulated device with small networks and, in builds with the tag gpu, on
// a real device, if there is one, with networks of the sizes in use.

// paper is the network of the multiplayer Go paper.
func paper() nn.Spec {
	s := nn.Spec{
		Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: 8,
		Filters: 128, Hidden: 64,
		Policy: nn.PolicyConv, Value: nn.ValueCategorical,
	}
	for i := range 26 {
		s.Support = append(s.Support, float32(i)/25)
	}
	return s
}

// larger returns the shapes that runs use.
func larger() []nn.Spec {
	quick, seven, nine, values := paper(), paper(), paper(), paper()
	quick.Blocks, quick.Filters = 4, 64
	seven.Height, seven.Width, seven.Actions, seven.Blocks, seven.Filters = 7, 7, 49, 4, 64
	nine.Height, nine.Width, nine.Actions, nine.Policy, nine.Blocks = 9, 9, 82, nn.PolicyConvPass, 2
	values.Policy, values.Value, values.Support, values.Blocks, values.Filters = nn.PolicyNone,
		nn.ValueLinear, nil, 2, 32
	return []nn.Spec{paper(), quick, seven, nine, values}
}

// kernelFolder returns the folder of compiled kernels that all tests share, and tools/gpucheck's
// other parts if TENGEN_KERNELS_CACHE names it; "" stands for none.
func kernelFolder() string { return os.Getenv("TENGEN_KERNELS_CACHE") }

// checkedInference and checkedTraining are the networks that are checked on a real device: each
// kind of head, board and padding, at a cost of about a second of compilation each.
func checkedInference() []nn.Spec { return append(nntest.Specs()[:3:3], larger()...) }

func checkedTraining() []nn.Spec { return nntest.Specs()[:3] }

// The longest training that is checked on a real device: its steps, their rows and its network, of
// the sizes in use.
const (
	longSteps = 100
	longBatch = 128
)

func longSpec() nn.Spec {
	s := larger()[1]
	s.Blocks, s.Filters = 2, 32
	return s
}

// one is the first device, with the given precision of products.
func one(precision string) backend.Spec {
	s := backend.Spec{Kind: backend.CUDA, Ordinals: []int{0}, Inference: precision}
	if precision != backend.FP16 {
		s.Training = precision
	}
	return s
}

// on opens the first device with the given precision of products.
func on(t *testing.T, api driver.API, precision string) backend.Backend {
	t.Helper()
	b, err := New(api, one(precision), Options{Cache: kernelFolder(), Candidates: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// spreads are the root mean square errors, as fractions of the outputs' spread, that rounding
// factors to 8, 11 and 24 bits may leave in networks of random numbers.
var spreads = map[string]float64{
	backend.BF16: 0.1, backend.FP16: 0.01, backend.TF32: 0.01, backend.FP32: 2e-4,
}

// checkInference compares a network on a device with its definition in float64. It also checks
// that a row has the same bits in batches of other sizes, at other places and while other batches
// are in flight.
func checkInference(t *testing.T, api driver.API, precision string, spec nn.Spec, exact, many int) {
	t.Helper()
	b := on(t, api, precision)
	rng := random.New(11, random.Test)
	p := nntest.Random(spec, rng)
	n, err := b.Load(p)
	if err != nil {
		t.Fatalf("%s: %v", name(spec), err)
	}
	e := n.NewEvaluator().(nn.Async)
	defer e.Close()
	length := spec.Planes * spec.Cells()
	observations := nntest.Observations(spec, many, rng)
	whole := e.NewBatch(many)
	whole.N = many
	copy(whole.Observations, observations)
	if err := e.Evaluate(whole); err != nil {
		t.Fatalf("%s: %v", name(spec), err)
	}

	want := nntest.NewReference(p).Forward(nntest.Widen(observations[:exact*length]), exact, false)
	for what, x := range map[string]struct {
		got  []float32
		want []float64
	}{"policy": {whole.Policy, want.Policy}, "values": {whole.Values, want.Values}} {
		got := spreadOf(x.got, x.want)
		// tools/gpucheck reads this
		t.Logf("off by %.3g of at most %g: %s %s, %s",
			got, spreads[precision], precision, what, name(spec))
		if !(got <= spreads[precision]) {
			t.Errorf("%s, %s: the %s are off by %.3g of their spread, want at most %g",
				name(spec), precision, what, got, spreads[precision])
		}
	}

	// Keep two batches in flight, with rows from any place.
	first, second := e.NewBatch(many), e.NewBatch(many)
	places := map[*nn.Batch][]int{}
	start := func(x *nn.Batch) {
		x.N = 1 + rng.IntN(many)
		places[x] = places[x][:0]
		for r := range x.N {
			from := rng.IntN(many)
			places[x] = append(places[x], from)
			copy(x.Observations[r*length:(r+1)*length], observations[from*length:])
		}
		e.Start(x)
	}
	finish := func(x *nn.Batch) {
		if err := e.Wait(x); err != nil {
			t.Fatalf("%s: %v", name(spec), err)
		}
		for r, from := range places[x] {
			policy := len(whole.Policy) == 0 ||
				slices.Equal(x.Policy[r*spec.Actions:(r+1)*spec.Actions],
					whole.Policy[from*spec.Actions:(from+1)*spec.Actions])
			if !policy || !slices.Equal(x.Values[r*spec.Players:(r+1)*spec.Players],
				whole.Values[from*spec.Players:(from+1)*spec.Players]) {
				t.Fatalf("%s, %s: row %d of a batch of %d differs from its result as row %d of %d",
					name(spec), precision, r, x.N, from, many)
			}
		}
	}
	start(first)
	for range 5 {
		start(second)
		finish(first)
		start(first)
		finish(second)
	}
	finish(first)
}

// name describes a network.
func name(s nn.Spec) string {
	return fmt.Sprintf("%d × %d on %d × %d, %s, %s",
		s.Blocks, s.Filters, s.Height, s.Width, s.Policy, s.Value)
}

// spreadOf returns the root mean square of the errors, divided by the standard deviation of want
// (plus a thousandth, in case it is nearly 0).
func spreadOf(got []float32, want []float64) float64 {
	if len(want) == 0 {
		return 0
	}
	mean, off, spread := 0.0, 0.0, 0.0
	for _, v := range want {
		mean += v / float64(len(want))
	}
	for i, v := range want {
		off += (float64(got[i]) - v) * (float64(got[i]) - v)
		spread += (v - mean) * (v - mean)
	}
	return math.Sqrt(off/float64(len(want))) / (math.Sqrt(spread/float64(len(want))) + 1e-3)
}

// checkTraining takes the same steps on a device and on the processor and checks that the losses
// agree and fall.
func checkTraining(
	t *testing.T, api driver.API, precision string, spec nn.Spec, batch, steps int,
	tolerance float64,
) {
	t.Helper()
	b := on(t, api, precision)
	p, c, batches := trainingOf(t, spec, batch)
	device, err := b.NewTrainer(p, c)
	if err != nil {
		t.Fatalf("%s: %v", name(spec), err)
	}
	defer train.Close(device)
	host, err := backend.NewCPU().NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	var neighbours []train.Trainer
	if steps == longSteps {
		neighbours = neighbouringTrainers(t, p, c)
	}
	var begun, ended, worst, rounding float64
	for i := range steps {
		got, err := device.Step(batches[i%2])
		if err != nil {
			t.Fatalf("%s, step %d: %v", name(spec), i, err)
		}
		want, err := host.Step(batches[i%2])
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			begun = got.Total
		}
		ended = got.Total
		for _, n := range neighbours {
			loss, err := n.Step(batches[i%2])
			if err != nil {
				t.Fatal(err)
			}
			rounding = max(rounding, math.Abs(loss.Total-want.Total)/want.Total)
		}
		d, most := math.Abs(got.Total-want.Total)/want.Total, max(tolerance, 3*rounding)
		if worst = max(worst, d); i == steps-1 {
			// tools/gpucheck reads this
			t.Logf("off by %.3g of at most %.3g: %s loss, %s, %d steps",
				worst, most, precision, name(spec), steps)
		}
		if !(d <= most) {
			t.Fatalf("%s, %s: at step %d the loss is %g, on the processor %g; at most %.3g of it apart is wanted", name(spec), precision, i, got.Total, want.Total, most)
		}
	}
	if steps > 5 && !(ended < begun) {
		t.Errorf("%s, %s: the loss goes from %g to %g", name(spec), precision, begun, ended)
	}
	// The processor continues from the device's state.
	if err := host.SetState(must(device.State())); err != nil || host.Steps() != steps {
		t.Errorf("%s: the device's state on the processor: %v, %d steps",
			name(spec), err, host.Steps())
	}
}

// checkShared compares a training whose steps are shared by two parts, both on the first device,
// with the processor's, on batches whose halves have the same rows: BatchNorm's statistics are
// those of the whole then. It also checks that it has the same bits again.
func checkShared(
	t *testing.T, api driver.API, precision string, spec nn.Spec, batch int, tolerance float64,
) {
	t.Helper()
	b := on(t, api, precision)
	p, c, halves := trainingOf(t, spec, batch/2)
	c.Batch = batch
	var whole [2]*train.Batch
	for i, half := range halves {
		whole[i] = train.NewBatch(spec, batch)
		for k, x := range whole[i].Numbers() {
			copy(*x, slices.Concat(*half.Numbers()[k], *half.Numbers()[k]))
		}
		for k, x := range whole[i].Classes() {
			copy(*x, slices.Concat(*half.Classes()[k], *half.Classes()[k]))
		}
	}
	host, err := backend.NewCPU().NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	var first []nn.Losses
	for run := range 2 {
		d := b.(*devices)
		device, err := d.trainer([]*cuda.Device{d.first(), d.first()}, p, c)
		if err != nil {
			t.Fatalf("%s: %v", name(spec), err)
		}
		for i := range 4 {
			got, err := device.Step(whole[i%2])
			if err != nil {
				t.Fatalf("%s, step %d: %v", name(spec), i, err)
			}
			if run == 1 {
				if got != first[i] {
					t.Errorf("%s, %s: step %d has other bits again", name(spec), precision, i)
				}
				continue
			}
			first = append(first, got)
			want, err := host.Step(whole[i%2])
			if err != nil {
				t.Fatal(err)
			}
			if d := math.Abs(got.Total-want.Total) / want.Total; !(d <= tolerance) {
				t.Errorf("%s, %s: at step %d the loss is %g, on the processor %g: %.3g of it apart",
					name(spec), precision, i, got.Total, want.Total, d)
			}
		}
		device.Close()
	}
}

// trainingOf returns the weights, the settings and the two batches, which take turns, of a training
// that is checked.
func trainingOf(t *testing.T, spec nn.Spec, batch int) (*nn.Params, train.Config, [2]*train.Batch) {
	t.Helper()
	rng := random.New(12, random.Test)
	p, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	p.Init(rng)
	c := train.DefaultConfig()
	c.Batch = batch
	return p, c, [2]*train.Batch{
		train.RandomBatch(spec, batch, rng), train.RandomBatch(spec, batch, rng),
	}
}

// neighbouringTrainers returns trainers on the processor whose weights differ from p's in their
// last bit. What they come to differ by from the trainer of p is what rounding alone makes of a
// training: over a hundred steps of a network that learns two batches by heart, differences grow
// from 1e-9 to 3e-3 of the loss.
func neighbouringTrainers(t *testing.T, p *nn.Params, c train.Config) []train.Trainer {
	t.Helper()
	var list []train.Trainer
	for seed := range uint64(3) {
		q, err := nn.NewParams(p.Spec)
		if err != nil {
			t.Fatal(err)
		}
		rng := random.New(seed, random.Test)
		for i, tensor := range p.Tensors {
			for j, w := range tensor.Data {
				q.Tensors[i].Data[j] = math.Nextafter32(w, w+float32(rng.IntN(3)-1))
			}
		}
		n, err := backend.NewCPU().NewTrainer(q, c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { train.Close(n) })
		list = append(list, n)
	}
	return list
}

func TestEmulatedInference(t *testing.T) {
	checkInference(t, fake.Ampere(t, 2), backend.BF16, spec, 3, 9)
}

func TestEmulatedTraining(t *testing.T) {
	checkTraining(t, fake.Ampere(t, 2), backend.TF32, spec, 8, 7, 0.02)
	checkShared(t, fake.Ampere(t, 2), backend.FP32, spec, 16, 1e-3)
}

// TestGPUCheckIsShort counts the modules that the tests of a real device compile: at about half a
// second each they must fit the two minutes that tools/gpucheck gives them, beside the tests' own
// time.
func TestGPUCheckIsShort(t *testing.T) {
	api, cache := fake.New(nil), t.TempDir()
	for _, precision := range []string{backend.BF16, backend.TF32, backend.FP32} {
		b, err := New(api, one(precision), Options{
			Cache: cache, Candidates: 1, Unchecked: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range checkedInference() {
			if i < 3 || precision == backend.BF16 {
				if err := b.(backend.Prepared).Prepare(s); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, s := range append(checkedTraining(), longSpec()) {
			c := train.DefaultConfig()
			c.Batch = 16
			x, err := b.NewTrainer(must(nn.NewParams(s)), c)
			if err != nil {
				t.Fatal(err)
			}
			train.Close(x)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// Training tries each tiled kernel beside the plain one, which is one more module.
	if n := api.Calls("Compile"); n > 104 {
		t.Errorf("the tests compile %d modules, want at most 104", n)
	} else {
		t.Logf("%d modules", n)
	}
}
