package cudabackend

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// spec is a tiny network.
var spec = nn.Spec{
	Planes: 3, Height: 3, Width: 3, Players: 2, Actions: 9, Blocks: 1, Filters: 16, Hidden: 8,
	Policy: nn.PolicyConv, Value: nn.ValueLinear,
}

// reader has readings of the first device only.
type reader struct{ closed bool }

func (r *reader) Read(uuid string) (driver.Reading, error) {
	if uuid != "GPU-0" {
		return driver.Reading{}, errors.New("no such device")
	}
	return driver.Reading{
		Use: 0.7, MemoryUsed: 2, MemoryTotal: 8, Power: 300, Temperature: 60, Clock: 9,
	}, nil
}

func (r *reader) Close() error {
	r.closed = true
	return nil
}

// TestTuring checks that a device of 7.5 evaluates in fp16 and trains in fp32 unless told
// otherwise, which the log says once, agrees with the definition, and refuses what it does not
// have.
func TestTuring(t *testing.T) {
	api, log := fake.Turing(t), &bytes.Buffer{}
	for _, s := range []backend.Spec{
		{Kind: backend.Auto}, {Kind: backend.CUDA, Ordinals: []int{0}},
	} {
		log.Reset()
		b, err := New(api, s, Options{
			Log: slog.New(slog.NewTextHandler(log, nil)), Unchecked: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		inference, training := b.(backend.Measured).Precisions()
		if n := strings.Count(log.String(), "neither bf16 nor tf32"); inference != backend.FP16 ||
			training != backend.FP32 || n != 1 {
			t.Errorf("%s: inference %s, training %s\n%s", s, inference, training, log)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	checkInference(t, api, backend.FP16, spec, 3, 9)
	checkTraining(t, api, "", spec, 8, 3, 1e-3)
	for text, want := range map[string]string{
		"cuda:0,inference=bf16": "capability 7.5, and no bf16, which is there from 8.0 on; fp16",
		"cuda:0,training=tf32":  "capability 7.5, and no tf32, which is there from 8.0 on; fp16",
	} {
		s := must(backend.Parse(text))
		if _, err := New(api, s, Options{}); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestTwoDevices checks that evaluators use the devices in turn and agree with each other and, up
// to rounding, with the processor; that the first device trains; and that each device is read.
func TestTwoDevices(t *testing.T) {
	read := &reader{}
	b, err := New(fake.New(fake.Ampere(t, 2)),
		backend.Spec{
			Kind: backend.CUDA, Ordinals: []int{0, 1}, Inference: backend.FP32,
			Training: backend.FP32,
		}, Options{Reader: read, Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	if b.Name() != "cuda:0,1,inference=fp32,training=fp32" ||
		!strings.Contains(b.Kernels(), "fp32") || b.Rows() < 2 ||
		strings.Count(b.Describe(), "Ampere") != 2 {
		t.Errorf("%s, %s, %s, batches of %d", b.Name(), b.Describe(), b.Kernels(), b.Rows())
	}
	rng := rand.New(rand.NewPCG(1, 2))
	p := nntest.Random(spec, rng)
	n, err := b.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	observations := nntest.Observations(spec, 5, rng)
	run := func(e nn.Evaluator) *nn.Batch {
		x := e.NewBatch(5)
		x.N = 5
		copy(x.Observations, observations)
		if err := e.Evaluate(x); err != nil {
			t.Fatal(err)
		}
		return x
	}
	want := run(nn.NewEvaluator(nn.Fold(p)))
	first, second := n.NewEvaluator(), n.NewEvaluator()
	one, two := run(first), run(second)
	if !slices.Equal(one.Policy, two.Policy) || !slices.Equal(one.Values, two.Values) {
		t.Error("two equal devices have different results")
	}
	for i, v := range want.Values {
		if math.Abs(float64(v-one.Values[i])) > 1e-4 {
			t.Errorf("value %d is %v, the processor's %v", i, one.Values[i], v)
		}
	}
	nn.Close(first)
	nn.Close(second)

	got := backend.Readings(b)
	if len(got) != 2 ||
		got[0] != (backend.Reading{
			Name: "cuda:0", Utilization: 0.7, MemoryUsed: 2, MemoryTotal: 8, Power: 300,
			Temperature: 60,
		}) ||
		got[1].Name != "cuda:1" || !math.IsNaN(got[1].Power) {
		t.Errorf("readings %+v", got)
	}

	c := train.DefaultConfig()
	c.Batch = 8
	s, err := b.NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	if got := must(s.Params()); !slices.Equal(got.Get("stem.weight").Data,
		p.Get("stem.weight").Data) {
		t.Error("a new trainer has other weights")
	}
	train.Close(s)
	if err := b.Close(); err != nil || !read.closed {
		t.Errorf("%v, the reader is closed: %v", err, read.closed)
	}
}

// TestRefusals checks that a failure to open says why and leaves nothing open.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		spec backend.Spec
		api  *fake.Driver
		want string
	}{
		{backend.Spec{Kind: backend.CUDA, Ordinals: []int{0, 7}}, fake.New(nil),
			"there is no CUDA device 7"},
		{backend.Spec{Kind: backend.CUDA}, failing("Devices"), "broken"},
		{backend.Spec{Kind: backend.CUDA, Ordinals: []int{0}}, failing("Open"), "broken"},
	} {
		b, err := New(c.api, c.spec, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") || b != nil {
			t.Errorf("%+v: %v, %v; want %s", c.spec, b, err, c.want)
		}
		if left := c.api.Left(); len(left) > 0 {
			t.Errorf("%+v: left open: %v", c.spec, left)
		}
	}
}

// TestAuxiliaryHeadsAreTrained checks that devices train networks with auxiliary heads, one as
// several, and evaluate them without.
func TestAuxiliaryHeadsAreTrained(t *testing.T) {
	for n := 1; n <= 2; n++ {
		b, err := New(fake.New(fake.Ampere(t, n)), backend.Spec{Kind: backend.Auto}, Options{
			Unchecked: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		for _, spec := range nntest.AuxiliarySpecs() {
			p := nntest.Random(spec, rand.New(rand.NewPCG(1, 2)))
			trainer, err := b.NewTrainer(p, train.DefaultConfig())
			if err != nil {
				t.Fatal(err)
			}
			if _, host := trainer.(*train.GraphTrainer); host {
				t.Errorf("%+v: the processor trains", spec.Auxiliary)
			}
			network, err := b.Load(must(trainer.Params()))
			if err != nil {
				t.Fatal(err)
			}
			if s := network.Spec(); !s.Auxiliary.IsZero() {
				t.Errorf("the evaluated network is %+v", s)
			}
			train.Close(trainer)
		}
	}
}

// failing returns a driver whose first use of the given call fails.
func failing(name string) *fake.Driver {
	d := fake.New(nil)
	d.Fail(name, 1, errors.New("broken"))
	return d
}

// TestOneDevice checks what a backend of the only device says of itself.
func TestOneDevice(t *testing.T) {
	b, err := New(fake.New(nil), backend.Spec{Kind: backend.CUDA}, Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	inference, training := b.(backend.Measured).Precisions()
	if b.Name() != "cuda:0" || inference != backend.BF16 || training != backend.BF16 {
		t.Errorf("%s, %s, %s", b.Name(), inference, training)
	}
	if backend.Readings(b) != nil {
		t.Error("readings without a reader")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestAutoTakesAll checks that auto opens all devices of a kind, leaves out others, and never takes
// a device for which no kernels can be had.
func TestAutoTakesAll(t *testing.T) {
	for _, c := range []struct {
		devices int
		fail    string
		nth     int
		err     error
		name    string
		says    string
	}{
		{1, "", 0, nil, "cuda:0", ""},
		{3, "", 0, nil, "cuda:0-2", ""},
		{3, "Open", 2, &driver.CallError{
			Call: "cuDevicePrimaryCtxRetain", Code: 46, Reason: "in exclusive mode",
		}, "cuda:0,2", "in exclusive mode"},
		{1, "Compile", 1, &driver.LibraryError{
			Library: "libnvrtc.so.12", Advice: "install it",
		}, "", "libnvrtc.so.12 was not found: install it"},
		{1, "Alloc", 1, &driver.MemoryError{Wanted: 5, Free: 1}, "", "out of memory"},
	} {
		var log bytes.Buffer
		api := fake.WithDevices(c.devices)
		if c.fail != "" {
			api.Fail(c.fail, c.nth, c.err)
			if c.fail == "Compile" {
				for i := range 3 { // one way after another
					api.Fail(c.fail, c.nth+1+i, c.err)
				}
			}
		}
		b, err := New(api, backend.Spec{Kind: backend.Auto}, Options{
			Unchecked: c.fail != "Alloc", Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if (err == nil) != (c.name != "") || err != nil && !strings.Contains(err.Error(), c.says) ||
			err == nil && b.Name() != c.name {
			t.Errorf("%+v: %v, %v\n%s", c, b, err, &log)
		}
		if !strings.Contains(log.String(), strings.Split(c.says, ":")[0]) {
			t.Errorf("%+v: the log is\n%s", c, &log)
		}
		if err == nil {
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		}
		if left := api.Left(); len(left) > 0 {
			t.Errorf("%+v: left open: %v", c, left)
		}
	}
}

// TestAutoEndsOnTheProcessor checks that what a device can't train or evaluate is done by the
// processor if nobody asked for a device, and the log says so once, however often it happens; and
// that there is an error of one line otherwise.
func TestAutoEndsOnTheProcessor(t *testing.T) {
	p := nntest.Random(spec, rand.New(rand.NewPCG(1, 2)))
	for _, kind := range []string{backend.Auto, backend.CUDA} {
		var log bytes.Buffer
		api := fake.WithDevices(1)
		b, err := New(api, backend.Spec{Kind: kind}, Options{
			Unchecked: true, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		refused := func(err error, says string) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), says) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want one line that says %q", err, says)
			}
		}
		c := train.DefaultConfig()
		c.Batch = 1 << 20
		for range 2 {
			trainer, err := b.NewTrainer(p, c)
			if kind == backend.CUDA {
				refused(err, "rows fits")
			} else if _, ok := trainer.(*train.GraphTrainer); !ok || err != nil {
				t.Errorf("%T trains, %v", trainer, err)
			}
			api.Fail("Alloc", 1, &driver.MemoryError{Wanted: 5, Free: 1})
			network, err := b.Load(p)
			if kind == backend.CUDA {
				refused(err, "out of memory")
			} else if _, ok := network.(*nn.Weights); !ok || err != nil {
				t.Errorf("%T is loaded, %v", network, err)
			}
		}
		want := map[string]int{backend.Auto: 1}[kind]
		for _, line := range []string{
			"the processor trains", "the processor evaluates this network",
		} {
			if n := strings.Count(log.String(), line); n != want {
				t.Errorf("%s: %q is %d times in the log\n%s", kind, line, n, &log)
			}
		}
		if n := strings.Count(log.String(), "the processor"); n != 2*want {
			t.Errorf("%s: the log is\n%s", kind, &log)
		}
		b.Close()
	}
}

// TestAutoOutlivesKernels checks that the processor trains, with one line, if a kernel of training
// faults when it is tried, and that the devices go on evaluating: one whose context for trials is
// lost is not lost.
func TestAutoOutlivesKernels(t *testing.T) {
	var log bytes.Buffer
	api := fake.Compiling(fake.Ampere(t, 2), func(s *driver.Source) error {
		s.Text = strings.Replace(s.Text, "w[i] = x - rate * v;",
			"w[i + (1 << 28)] = x - rate * v;", 1)
		return nil
	})
	b, err := New(api,
		backend.Spec{Kind: backend.Auto, Inference: backend.FP32, Training: backend.FP32}, Options{
			Again: -1, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
	if err != nil {
		t.Fatal(err)
	}
	p := nntest.Random(spec, rand.New(rand.NewPCG(1, 2)))
	c := train.DefaultConfig()
	c.Batch, c.Optimizer = 8, train.OptimizerSGD
	trainer, err := b.NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := trainer.(*train.GraphTrainer); !ok ||
		strings.Count(log.String(), "the processor trains") != 1 {
		t.Errorf("the trainer is %T; the log is\n%s", trainer, &log)
	}
	train.Close(trainer)
	network, err := b.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := network.(*nn.Weights); ok {
		t.Error("the processor evaluates")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

// TestSurvivors loses one of two devices while two batches are under way on each: the other takes
// its work, with the same results.
func TestSurvivors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	p := nntest.Random(spec, rng)
	var log bytes.Buffer
	first := fake.New(fake.Ampere(t, 1))
	api := &pair{Driver: first, second: fake.Ampere(t, 1)}
	b, err := New(api,
		backend.Spec{Kind: backend.CUDA, Ordinals: []int{0, 1}, Inference: backend.FP32}, Options{
			Unchecked: true, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	n, err := b.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	cpu := nn.NewEvaluator(nn.Fold(p))
	e := n.NewEvaluator().(nn.Async) // on the first device
	batches := []*nn.Batch{e.NewBatch(4), e.NewBatch(4)}
	for turn := range 4 {
		var want []*nn.Batch
		if turn == 1 {
			first.Fail("Done", 1, &driver.LostError{
				Device: "first", Call: "cuEventSynchronize", Code: 719,
			})
		}
		for i, x := range batches {
			w := cpu.NewBatch(4)
			w.N, x.N = 4-i, 4-i
			copy(w.Observations, nntest.Observations(spec, 4, rng))
			copy(x.Observations, w.Observations)
			if err := cpu.Evaluate(w); err != nil {
				t.Fatal(err)
			}
			want = append(want, w)
			e.Start(x)
		}
		for i, x := range batches {
			if err := e.Wait(x); err != nil {
				t.Fatalf("turn %d: %v", turn, err)
			}
			for j, v := range want[i].Values[:x.N*spec.Players] {
				if math.Abs(float64(v-x.Values[j])) > 1e-4 {
					t.Errorf("turn %d, batch %d: value %d is %v, the processor's %v",
						turn, i, j, x.Values[j], v)
				}
			}
		}
	}
	if strings.Count(log.String(), "device lost; the others take its work") != 1 {
		t.Errorf("the log is\n%s", &log)
	}
	again, err := b.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	f := again.NewEvaluator()
	if err := f.Evaluate(f.NewBatch(4)); err != nil {
		t.Error(err)
	}
	nn.Close(f)
	e.Close()
}

// pair is a driver of two devices, of which the second is another driver's first.
type pair struct {
	*fake.Driver
	second driver.API
}

func (p *pair) Devices() ([]driver.Device, error) {
	a, err := p.Driver.Devices()
	if err != nil {
		return nil, err
	}
	b, err := p.second.Devices()
	return append(a, b...), err
}

func (p *pair) Open(ordinal int) (driver.Context, error) {
	if ordinal == 1 {
		return p.second.Open(0)
	}
	return p.Driver.Open(ordinal)
}

func (p *pair) OpenSeparate(ordinal int) (driver.Context, error) {
	if ordinal == 1 {
		return p.second.OpenSeparate(0)
	}
	return p.Driver.OpenSeparate(ordinal)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
