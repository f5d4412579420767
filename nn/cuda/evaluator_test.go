package cuda_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
)

// emulated opens an emulated device, or skips the test if emulation is unavailable.
func emulated(t testing.TB, e emulate.Options, o cuda.Options) *cuda.Device {
	t.Helper()
	api := emulate.ForTest(t, e)
	d, err := cuda.Open(api, 0, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// evaluate evaluates rows on a device.
func evaluate(t testing.TB, w *cuda.Weights, rows int, observations []float32) *nn.Batch {
	t.Helper()
	e := cuda.NewEvaluator(w)
	b := e.NewBatch(rows)
	b.N = copy(b.Observations, observations) / (len(b.Observations) / rows)
	if err := e.Evaluate(b); err != nil {
		t.Fatal(err)
	}
	return b
}

// tolerance of outputs, in units of 1 + |output|: the effect of rounding factors to 8, 11, 11 and
// 24 bits in networks with random parameters and a few layers.
var tolerance = map[kernels.Precision]float64{
	kernels.BF16: 0.04, kernels.FP16: 0.005, kernels.TF32: 0.005, kernels.FP32: 1e-5,
}

func near(t testing.TB, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) < len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i, v := range want {
		if d := math.Abs(float64(got[i]) - v); !(d <= tolerance*(1+math.Abs(v))) {
			t.Fatalf("%s: number %d is %g, want %g", what, i, got[i], v)
		}
	}
}

// compare compares a network on a device with its definition in float64.
func compare(
	t testing.TB, d *cuda.Device, spec nn.Spec, p kernels.Precision, rows int, rng *rand.Rand,
) {
	t.Helper()
	params := nntest.Random(spec, rng)
	observations := nntest.Observations(spec, rows, rng)
	w, err := d.Load(params, p)
	if err != nil {
		var c *driver.CompileError
		if errors.As(err, &c) {
			t.Log(c.Log)
		}
		t.Fatal(err)
	}
	defer w.Close()
	got := evaluate(t, w, rows, observations)
	if cuda.Towers(w, false) { // few rows had a tower of their own
		large := evaluate(t, w, rows, observations)
		same(t, "policy of few rows", got.Policy, large.Policy)
		same(t, "values of few rows", got.Values, large.Values)
	}
	want := nntest.NewReference(params).Forward(nntest.Widen(observations), rows, false)
	near(t, "policy", got.Policy, want.Policy, tolerance[p])
	near(t, "value", got.Values, want.Values, tolerance[p])
}

// way is a precision and a way to compute the trunk in it.
type way struct {
	p kernels.Precision
	w kernels.Way
}

var ways = []way{{kernels.BF16, kernels.WGMMA}, {kernels.BF16, kernels.MMA},
	{kernels.TF32, kernels.MMA}, {kernels.FP32, kernels.Layers},
	{kernels.BF16, kernels.AnyShape}, {kernels.TF32, kernels.AnyShape},
	{kernels.BF16, kernels.AnyWGMMA}, {kernels.FP16, kernels.MMA}, {kernels.FP16, kernels.AnyShape}}

// only opens an emulated device that uses a single way: one of 7.5 for fp16.
func only(t testing.TB, w way) *cuda.Device {
	device := emulate.Hopper()
	if w.p == kernels.FP16 {
		device = emulate.Turing()
	}
	return emulated(t, emulate.Options{Devices: []driver.Device{device}},
		cuda.Options{Ways: []kernels.Way{w.w}, Unchecked: true})
}

// TestEverySpec evaluates each small network of nntest in one or two ways; the slow tests use
// all.
func TestEverySpec(t *testing.T) {
	for i, spec := range nntest.Specs() {
		list := []way{ways[(i+i%2*2+3)%4], ways[i%4], ways[4+i%2]}[1-i%2:]
		if i < 2 {
			list = append(list, ways[7+i])
		}
		for _, w := range list {
			t.Run(fmt.Sprintf("%d %s %s", i, w.p, w.w), func(t *testing.T) {
				compare(t, only(t, w), spec, w.p, 3, random.New(uint64(i), random.Test))
			})
		}
	}
}

// TestPaper evaluates the papers' network with one of its eight blocks.
func TestPaper(t *testing.T) {
	spec := nntest.Presets()["paper-alphazero"]
	spec.Blocks = 1
	compare(t, only(t, ways[0]), spec, kernels.BF16, 2, random.New(1, random.Test))
}

// TestOneCell evaluates a network on a board of one cell, of several stages of weights, in every
// way, and checks that its convolutions multiply one tap.
func TestOneCell(t *testing.T) {
	spec := nntest.Shape(70, 1, 1, 2, 2, 3, 2, 80, 8, nn.PolicyConvPass, nn.ValueCategorical)
	const rows = 3
	for _, w := range ways {
		d := only(t, w)
		trace := d.Trace()
		calls, err := trace.Time(true, func() error {
			compare(t, d, spec, w.p, rows, random.New(1, random.Test))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for i := range calls {
			switch calls[i].Name {
			case "tower", "layer", "product":
				got += kernels.WorkOf(&calls[i]).FLOP
			}
		}
		inputs, filters, evaluations := 80., 80., 1.
		switch w.w {
		case kernels.WGMMA, kernels.MMA:
			inputs, filters = 70, 96
			if w.p.Element() == 2 { // few rows, and again with the large tower
				evaluations = 2
			}
		}
		want := 2 * rows * filters * (inputs + 2*2*filters)
		if inputs == 80 { // the value's hidden layers
			want += 2 * rows * filters * 64
		}
		if want *= evaluations; w.p == kernels.FP16 { // loading evaluates four rows
			want += want / evaluations / rows * 4
		}
		if got != want {
			t.Errorf("%s %s: %v operations, want %v", w.p, w.w, got, want)
		}
	}
}

// TestRowsAreIndependent checks that a row's results have the same bits at any place in any
// batch.
func TestRowsAreIndependent(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(7, random.Test)
	params := nntest.Random(spec, rng)
	const rows = 50 // more than a block of any way has
	x := nntest.Observations(spec, rows, rng)
	length := len(x) / rows
	for _, w := range ways {
		d := only(t, w)
		weights, err := d.Load(params, w.p)
		if err != nil {
			t.Fatal(err)
		}
		all := evaluate(t, weights, rows, x)
		if w.p != kernels.FP16 { // in which NaN is an error
			spoilt := append([]float32(nil), x...)
			for i := 7 * length; i < 8*length; i++ {
				spoilt[i] = float32(math.NaN())
			}
			beside, at := evaluate(t, weights, rows, spoilt), 7*spec.Actions
			same(t, "policy beside NaN", beside.Policy[:at], all.Policy[:at])
			at += spec.Actions
			same(t, "policy beside NaN", beside.Policy[at:], all.Policy[at:])
			at = 8 * spec.Players
			same(t, "values beside NaN", beside.Values[at:], all.Values[at:])
			if v := beside.Values[7*spec.Players]; v == v {
				t.Errorf("%s %s: NaN gives %v", w.p, w.w, v)
			}
		}
		for _, from := range []int{0, 1, 23, 49} {
			for _, n := range []int{1, 26} {
				n = min(n, rows-from)
				part := evaluate(t, weights, n, x[from*length:(from+n)*length])
				same(t, "policy", part.Policy, all.Policy[from*spec.Actions:(from+n)*spec.Actions])
				same(t, "values", part.Values, all.Values[from*spec.Players:(from+n)*spec.Players])
			}
		}
	}
}

// TestRangeOfFP16 checks that a network whose weights or activations fp16 can't hold is refused
// when it is loaded, and that what overflows later is an error, not a value.
func TestRangeOfFP16(t *testing.T) {
	spec := nntest.Specs()[1]
	for _, c := range []struct {
		scale        string // of this parameter
		by           float32
		observed     float32
		load, values string // errors of loading and of evaluating
	}{
		{"stem.gamma", 1, 1, "", ""},
		{"stem.gamma", 1e7, 1, "a weight of layer 0 is", ""},
		{"stem.beta", 1e6, 1, "too large for fp16", ""},
		{"stem.gamma", 1, 1e6, "", "too large for fp16"},
	} {
		rng := random.New(3, random.Test)
		params, x := nntest.Random(spec, rng), nntest.Observations(spec, 2, rng)
		for i := range params.Get(c.scale).Data {
			params.Get(c.scale).Data[i] *= c.by
		}
		for i := range x {
			x[i] *= c.observed
		}
		w, err := only(t, way{kernels.FP16, kernels.MMA}).Load(params, kernels.FP16)
		if (err == nil) != (c.load == "") || err != nil &&
			(!strings.Contains(err.Error(), c.load) || !errors.Is(err, kernels.ErrRange)) {
			t.Errorf("%s × %g: error %v", c.scale, c.by, err)
		}
		if err != nil {
			continue
		}
		e := cuda.NewEvaluator(w)
		b := e.NewBatch(2)
		b.N = 2
		copy(b.Observations, x)
		if err = e.Evaluate(b); (err == nil) != (c.values == "") ||
			err != nil && (!strings.Contains(err.Error(), c.values) ||
				!errors.Is(err, kernels.ErrRange)) {
			t.Errorf("%s × %g, observations × %g: error %v, values %v", c.scale, c.by, c.observed,
				err, b.Values)
		}
		e.Close()
	}
}

// TestOldDevices checks what a device of 7.5 has, and that one of 7.0 is refused.
func TestOldDevices(t *testing.T) {
	spec, old := nntest.Specs()[1], emulate.Turing()
	d := emulated(t, emulate.Options{Devices: []driver.Device{old}}, cuda.Options{})
	for _, p := range []kernels.Precision{kernels.BF16, kernels.TF32} {
		if err := d.Prepare(spec, p); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("compute capability 7.5, and no %s", p)) {
			t.Errorf("%s: error %v", p, err)
		}
	}
	w, err := d.Load(nntest.Random(spec, random.New(1, random.Test)), kernels.FP16)
	if err != nil || w.Way() != kernels.MMA {
		t.Errorf("fp16: %v, error %v", w, err)
	}
	old.Minor = 0
	api := emulate.ForTest(t, emulate.Options{Devices: []driver.Device{old}})
	if _, err := cuda.Open(api, 0, cuda.Options{}); err == nil ||
		!strings.Contains(err.Error(), "compute capability 7.0; at least 7.5 (Turing) is wanted") {
		t.Errorf("7.0: error %v", err)
	}
}

// TestSplitSums checks that results have the same bits whether a launch fills the device or not,
// which decides how the sums of hidden layers are split.
func TestSplitSums(t *testing.T) {
	spec := nntest.Presets()["tcg"]
	spec.Blocks = 1
	rng := random.New(11, random.Test)
	params, x := nntest.Random(spec, rng), nntest.Observations(spec, 5, rng)
	var first *nn.Batch
	for _, sms := range []int{132, 1} {
		device := emulate.Hopper()
		device.SMs = sms
		d := emulated(t, emulate.Options{Devices: []driver.Device{device}},
			cuda.Options{Unchecked: true})
		w, err := d.Load(params, kernels.BF16)
		if err != nil {
			t.Fatal(err)
		}
		if split := w.Plan().Heads.Split(5, device.SMs); (split == 1) != (sms == 1) {
			t.Errorf("%d multiprocessors: sums are split into %d", sms, split)
		}
		b := evaluate(t, w, 5, x)
		if first == nil {
			first = b
		}
		same(t, "policy", b.Policy, first.Policy)
		same(t, "values", b.Values, first.Values)
	}
}

func same(t testing.TB, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: number %d is %v, want %v to the bit", what, i, got[i], want[i])
		}
	}
}

// TestHugeWeights: where finite weights overflow, some output is not finite, in each way to
// compute: no kernel turns it into a number.
func TestHugeWeights(t *testing.T) {
	spec := nntest.Specs()[1]
	for i, w := range ways {
		rng := random.New(8, random.Test, uint64(i))
		params := nntest.Random(spec, rng)
		for _, x := range params.Tensors {
			if strings.HasPrefix(x.Name, "block.") && strings.HasSuffix(x.Name, ".weight") {
				for k := range x.Data {
					x.Data[k] = float32(math.Copysign(3e38, float64(x.Data[k])))
				}
			}
		}
		weights, err := only(t, w).Load(params, w.p)
		if w.p == kernels.FP16 && errors.Is(err, kernels.ErrRange) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		b := evaluate(t, weights, 3, nntest.Observations(spec, 3, rng))
		var not *nn.NotFiniteError
		if err := b.CheckFinite(spec.Actions, spec.Players, 0); !errors.As(err, &not) {
			t.Errorf("%s %s: %v; policy %v, values %v", w.p, w.w, err, b.Policy[:4], b.Values)
		}
	}
}

// TestUnderWay has two batches in flight and changes the weights between them, while the streams
// are interleaved at random.
func TestUnderWay(t *testing.T) {
	spec := nntest.Specs()[2]
	rng := random.New(8, random.Test)
	params := []*nn.Params{nntest.Random(spec, rng), nntest.Random(spec, rng)}
	d := emulated(t, emulate.Options{Reorder: true, Seed: 5}, cuda.Options{Unchecked: true})
	var evaluators []*cuda.Evaluator
	var batches []*nn.Batch
	for _, p := range params {
		w, err := d.Load(p, kernels.FP32)
		if err != nil {
			t.Fatal(err)
		}
		e := cuda.NewEvaluator(w)
		defer e.Close()
		for range 2 {
			evaluators, batches = append(evaluators, e), append(batches, e.NewBatch(5))
		}
	}
	for range 3 {
		var want []*nntest.Output
		for i, b := range batches {
			b.N = 1 + rng.IntN(5)
			x := nntest.Observations(spec, b.N, rng)
			copy(b.Observations, x)
			want = append(want,
				nntest.NewReference(params[i/2]).Forward(nntest.Widen(x), b.N, false))
			evaluators[i].Start(b)
		}
		for i, b := range batches {
			if err := evaluators[i].Wait(b); err != nil {
				t.Fatal(err)
			}
			near(t, "policy", b.Policy, want[i].Policy, 1e-5)
			near(t, "value", b.Values, want[i].Values, 1e-5)
		}
	}
}

// TestWorkers evaluates with the same weights in several goroutines.
func TestWorkers(t *testing.T) {
	spec := nntest.Specs()[5]
	params := nntest.Random(spec, random.New(9, random.Test))
	d := emulated(t, emulate.Options{}, cuda.Options{Unchecked: true})
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			w, err := d.Load(params, kernels.FP32) // the first compiles, the others wait
			if err != nil {
				t.Error(err)
				return
			}
			rng := random.New(uint64(worker), random.Test)
			e := cuda.NewEvaluator(w)
			defer e.Close()
			b := e.NewBatch(6)
			for range 3 {
				b.N = 1 + rng.IntN(6)
				x := nntest.Observations(spec, b.N, rng)
				copy(b.Observations, x)
				if err := e.Evaluate(b); err != nil {
					t.Error(err)
					return
				}
				want := nntest.NewReference(params).Forward(nntest.Widen(x), b.N, false)
				for i, v := range want.Policy {
					if math.Abs(float64(b.Policy[i])-v) > 1e-5*(1+math.Abs(v)) {
						t.Errorf("worker %d: logit %d is %g, want %g", worker, i, b.Policy[i], v)
					}
				}
			}
		})
	}
	group.Wait()
}

// TestNothingToDo evaluates a batch without rows.
func TestNothingToDo(t *testing.T) {
	w, err := only(t, ways[3]).Load(nntest.Random(nntest.Specs()[5], random.New(1, random.Test)),
		kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	e := cuda.NewEvaluator(w)
	b := e.NewBatch(4)
	if err := e.Evaluate(b); err != nil {
		t.Fatal(err)
	}
	e.Close()
	e.Close()
}

// TestNoMemory requests a batch that exceeds the device's memory.
func TestNoMemory(t *testing.T) {
	small := emulate.Hopper()
	small.Memory = 1 << 20
	d := emulated(t, emulate.Options{Devices: []driver.Device{small}}, cuda.Options{
		Unchecked: true,
	})
	spec := nntest.Specs()[0]
	w, err := d.Load(nntest.Random(spec, random.New(1, random.Test)), kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	e := cuda.NewEvaluator(w)
	defer e.Close()
	b := e.NewBatch(16384)
	if len(b.Observations) != 16384*spec.Planes*spec.Cells() ||
		len(b.Policy) != 16384*spec.Actions || len(b.Values) != 16384*spec.Players {
		t.Fatal("the batch does not have its rows")
	}
	b.N = 3
	e.Start(b)
	err = e.Wait(b)
	var memory *driver.MemoryError
	if !errors.As(err, &memory) ||
		!strings.Contains(err.Error(), "make a batch of 16384 rows on emulated Hopper") {
		t.Errorf("the error is %v, want a MemoryError", err)
	}
}
