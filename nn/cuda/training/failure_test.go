package training

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// life makes a trainer, takes two steps, measures, and reads and writes all state. It returns the
// trainer, nil if there is none, the first error, and the error of a further step.
func life(
	devices []*cuda.Device, p *nn.Params, b *train.Batch,
) (t *Trainer, first, after error) {
	t, first = NewTrainer(devices, p, smallConfig(train.OptimizerAdam), kernels.TF32)
	if first != nil {
		return nil, first, nil
	}
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	_, err := t.Step(b)
	keep(err)
	_, err = t.Step(b)
	keep(err)
	_, err = t.Losses(b)
	keep(err)
	_, err = t.Params()
	keep(err)
	_, err = t.Averaged()
	keep(err)
	state, err := t.State()
	keep(err)
	if err == nil {
		keep(t.SetState(state))
	}
	_, after = t.Step(b)
	return t, first, after
}

// TestTrainerFailures makes each use of each driver call fail, once with a plain error and once
// with a lost device. A trainer whose parameters can't have changed continues; any other returns
// the reason; everything is freed. Of two devices neither changes if one of them does not.
func TestTrainerFailures(t *testing.T) {
	for _, n := range []int{1, 2} {
		testTrainerFailures(t, n)
	}
}

func testTrainerFailures(t *testing.T, number int) {
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p := nntest.Random(spec, rng)
	b := train.RandomBatch(spec, 8, rng)
	open := func() (*fake.Driver, []*cuda.Device) {
		f := fake.WithDevices(number)
		return f, box(t, f, number, cuda.Options{Unchecked: true})
	}
	f, d := open()
	before := map[string]int{}
	for _, call := range f.Names() {
		before[call] = f.Calls(call)
	}
	context := fmt.Sprint(f.Left())
	tr, err, after := life(d, p, b)
	if err != nil || after != nil {
		t.Fatal(err, after)
	}
	calls := map[string]int{}
	for _, call := range f.Names() {
		calls[call] = f.Calls(call) - before[call]
	}
	tr.Close()
	tr.Close()
	if left := fmt.Sprint(f.Left()); left != context {
		t.Errorf("a closed trainer leaves %s, before it there was %s", left, context)
	}
	if _, err := tr.Step(b); err == nil {
		t.Error("a closed trainer takes a step")
	}
	if _, err := tr.Params(); err == nil {
		t.Error("a closed trainer has parameters")
	}
	launches := 0
	for call, n := range calls {
		for nth := 1; nth <= n; nth++ {
			for _, failure := range []error{
				&driver.CallError{Call: "cuSomething", Code: 999, Reason: "unknown error"},
				&driver.LostError{
					Device: "fake", Call: "cuSomething", Code: 719,
					Reason: "unspecified launch failure",
				},
			} {
				f, devices := open()
				context := fmt.Sprint(f.Left())
				f.Fail(call, nth, failure)
				tr, err, after := life(devices, p, b)
				what := fmt.Sprintf("%d devices, %s %d of %d, %T", number, call, nth, n, failure)
				lost := errors.As(failure, new(*driver.LostError))
				switch {
				case err == nil:
					// Without a captured graph kernels are launched one by one; where devices
					// can't read one another's memory, they add gradients through the host's.
					ok := tr != nil && (after != nil || number > 1 && !tr.direct)
					for i := 0; tr != nil && i < number; i++ {
						ok = ok || tr.parts[i].plan.ungraphed
					}
					if !ok || lost && after == nil {
						t.Errorf("%s: no error", what)
					}
				case !strings.Contains(err.Error(), failure.Error()) ||
					strings.Contains(err.Error(), "\n"):
					t.Errorf("%s: the error is %q", what, err)
				case tr == nil:
				case lost && (tr.err == nil || after == nil):
					t.Errorf("%s: the device is lost, but the trainer continues", what)
				case !lost && tr.err == nil && after != nil:
					t.Errorf("%s: the trainer should continue, but returns %v", what, after)
				case !lost && tr.err != nil && call == "Launch":
					launches++
				}
				if tr != nil {
					if got, err := tr.Params(); (err == nil) != (tr.err == nil) ||
						err == nil && got.Count() != p.Count() {
						t.Errorf("%s: the trainer's parameters are read with error %v after %v",
							what, err, tr.err)
					}
					tr.Close()
				}
				if left := fmt.Sprint(f.Left()); !lost && left != context &&
					!strings.HasPrefix(call, "Free") {
					t.Errorf("%s: not freed: %s", what, left)
				}
				for _, d := range devices {
					d.Close()
				}
				if left := f.Left(); len(left) > 0 {
					t.Errorf("%s: not freed by the device: %v", what, left)
				}
			}
		}
	}
	// Only launches that change numbers (the optimizer's step, the packed weights) end a trainer,
	// where they are not captured: in the first step.
	if want := 2; number == 1 && launches != want {
		t.Errorf("%d failed launches ended a trainer, want %d", launches, want)
	}
}

func TestTooLittleMemory(t *testing.T) {
	spec := nntest.Specs()[0]
	spec.Filters = 128
	p, err := nn.NewParams(spec)
	if err != nil {
		t.Fatal(err)
	}
	f := fake.New(nil)
	d, err := cuda.Open(f, 0, cuda.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c := smallConfig(train.OptimizerSGD)
	c.Batch = 16384
	_, err = NewTrainer([]*cuda.Device{d}, p, c, kernels.TF32)
	if err == nil || !strings.Contains(err.Error(), "at most") {
		t.Fatalf("error %v, want one that says which batch fits", err)
	}
	var most int
	if _, err := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "at most"):], "at most %d",
		&most); err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct {
		batch int
		fits  bool
	}{{most, true}, {most + 1, false}} {
		c.Batch = try.batch
		info := d.Info()
		plan, err := NewPlan(spec, c, kernels.TF32, &info)
		if err != nil {
			t.Fatal(err)
		}
		if fits := plan.Bytes() <= 1<<30; fits != try.fits {
			t.Errorf("a batch of %d takes %d bytes: fits %v, want %v",
				try.batch, plan.Bytes(), fits, try.fits)
		}
	}
	// The planned memory must be the allocated memory.
	c.Batch = 64
	tr := deviceTrainer(t, d, p, c, kernels.BF16)
	if took, planned := int64(f.Bytes()), tr.plan.Bytes(); took > planned || planned-took > 256*64 {
		t.Errorf("%d bytes were planned, %d taken", planned, took)
	}
}

// spoiled is a driver whose Compile replaces text in a file of the kernels.
func spoiled(api driver.API, file, old, new string) driver.API {
	return fake.Compiling(api, func(s *driver.Source) error {
		replace := func(text string) string { return strings.Replace(text, old, new, 1) }
		if s.Name == file {
			s.Text = replace(s.Text)
		}
		s.Headers = maps.Clone(s.Headers)
		if h, ok := s.Headers[file]; ok {
			s.Headers[file] = replace(h)
		}
		return nil
	})
}

// TestInferenceLeavesTheTrainerAlone loads a network whose fastest kernels lose the device while a
// trainer exists, as at the start of a run: the trainer continues.
func TestInferenceLeavesTheTrainerAlone(t *testing.T) {
	api := emulate.ForTest(t, emulate.Options{Devices: []driver.Device{emulate.Ampere()}})
	d, err := cuda.Open(spoiled(api, "tower.h", "uint4 *to = (uint4 *)trunk +",
		"uint4 *to = (uint4 *)trunk - 256 +"), 0, cuda.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p := nntest.Random(spec, rng)
	tr, err := NewTrainer([]*cuda.Device{d}, p, smallConfig(train.OptimizerSGD), kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	b := train.RandomBatch(spec, 8, rng)
	step(t, tr, b)
	w, err := d.Load(p, kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	if w.Way() != kernels.AnyShape {
		t.Errorf("%s is used", w.Way())
	}
	step(t, tr, b)
}

// TestWrongStepsAreRefused damages kernels that are compared with no other kernel: the step beside
// the processor's must find them.
func TestWrongStepsAreRefused(t *testing.T) {
	api := emulate.ForTest(t, emulate.Options{Devices: []driver.Device{emulate.Ampere()}})
	spec := nntest.Specs()[1]
	spec.Auxiliary = nn.Auxiliary{Cells: []int{2, 3}, Seats: 2, Belief: []int{4, 3}}
	p := nntest.Random(spec, random.New(trainerSeed, random.Test))
	for _, c := range []struct{ file, old, new string }{
		{"", "", ""},
		{kernels.TrainUpdate, "w[i] = x - rate * v;", "w[i] = x + rate * v;"},
		{kernels.TrainNorm, "scale[c + k] * d[k] + (slope", "scale[c + k] * d[k] - (slope"},
		{kernels.TrainHeads, "d[i] = 2 * constant * e;", "d[i] = -2 * constant * e;"},
		{kernels.TrainHeads, "to[i] = factor * x;", "to[i] = factor * t[i];"},
		{kernels.TrainHeads, "loss += x * x / 2;", "loss += x;"},
		{kernels.TrainHeads, "slope * (c == is ? v[c] - 1 : v[c])", "slope * v[c]"},
		{kernels.TrainHeads, "losses[row] = loss / count;", "losses[row] = loss;"},
		{kernels.TrainHeads, "numbers[i] = slope * e;", "numbers[i] = -slope * e;"},
		{kernels.TrainHeads, "factor * (c == is ? b[at + c] - 1 : b[at + c])", "factor * b[at + c]"},
		// loses its context, and nothing else
		{kernels.TrainUpdate, "w[i] = x - rate * v;", "w[i + (1 << 28)] = x - rate * v;"},
	} {
		d, err := cuda.Open(spoiled(api, c.file, c.old, c.new), 0, cuda.Options{})
		if err != nil {
			t.Fatal(err)
		}
		config := smallConfig(train.OptimizerSGD)
		config.PolicyLogits = true
		tr, err := NewTrainer([]*cuda.Device{d}, p, config, kernels.FP32)
		if (err == nil) != (c.file == "") ||
			err != nil && (!errors.As(err, new(*WrongError)) &&
				!strings.Contains(err.Error(), "kernels that can't be trusted") ||
				driver.Lost(err)) {
			t.Errorf("%s with %q: error %v", c.file, c.new, err)
		}
		if err == nil {
			tr.Close()
		}
		d.Close()
	}
}

// TestTrialOfDeepNetwork checks that the step beside the processor's has few of a deep network's
// blocks, whose kernels are all the same: the processor takes minutes for those of the largest.
func TestTrialOfDeepNetwork(t *testing.T) {
	launches := map[int]int{}
	for _, blocks := range []int{2, 3, 5} {
		spec := nn.Spec{Planes: 3, Height: 2, Width: 2, Players: 2, Actions: 4, Blocks: blocks,
			Filters: 16, Policy: nn.PolicyConv, Value: nn.ValueLinear, Hidden: 8}
		rng := random.New(trainerSeed, random.Test)
		p, b := nntest.Random(spec, rng), train.RandomBatch(spec, 8, rng)
		var launched []string
		api := fake.Wrap(emulate.ForTest(t, emulate.Options{}),
			func(c driver.Context) driver.Context {
				return noted{c, map[driver.Function]string{}, &launched}
			})
		d, err := cuda.Open(api, 0, cuda.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tr := deviceTrainer(t, d, p, smallConfig(train.OptimizerAdam), kernels.BF16)
		for _, name := range launched {
			if name == "product" {
				launches[blocks]++
			}
		}
		launches[blocks] -= 4 * (4*blocks + 3) // of the steps of few rows and, three times, of all
		step(t, tr, b)
		if tr.plan.spec.Blocks != blocks {
			t.Errorf("the trainer has %d blocks, want %d", tr.plan.spec.Blocks, blocks)
		}
		tr.Close()
		d.Close()
	}
	if launches[5] != launches[3] || launches[3] <= launches[2] {
		t.Errorf("products launched by a trial, by blocks: %v", launches)
	}
}
