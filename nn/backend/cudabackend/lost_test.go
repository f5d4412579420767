package cudabackend

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// logged is a log that may be read while it is written.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// await waits until the log has a line n times.
func (l *logged) await(t *testing.T, line string, n int) {
	t.Helper()
	for range 40_000 {
		if strings.Count(l.String(), line) >= n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("there are not %d lines %q in the log\n%s", n, line, l)
}

var lostFirst = &driver.LostError{Device: "first", Call: "cuEventSynchronize", Code: 719}

// openPair opens two emulated devices, the first of which can be lost and restored; a wait for one
// of its events then never ends. Those that train share steps.
func openPair(t *testing.T, o Options, trains ...int) (*fake.Driver, *devices, *logged) {
	t.Helper()
	log := &logged{}
	first, second := fake.New(fake.Ampere(t, 1)), fake.New(fake.Ampere(t, 1))
	hung := fake.Hang(t, first, second)
	t.Cleanup(func() {
		if n := hung(); n > 0 {
			t.Errorf("%d calls hang", n)
		}
		if strings.Contains(log.String(), "free a ") {
			t.Errorf("the log tells what can't be freed of a lost device:\n%s", log)
		}
	})
	o.Unchecked, o.Log = true,
		slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	b, err := New(&pair{
		Driver: first, second: second,
	}, backend.Spec{
		Kind: backend.CUDA, Ordinals: []int{0, 1}, Inference: backend.FP32, Training: backend.FP32,
		Train: trains,
	}, o)
	if err != nil {
		t.Fatal(err)
	}
	return first, b.(*devices), log
}

// TestLostDeviceComesBack loses one of two devices, twice: evaluations go on with the other to the
// same bits, and return when the device does. Whatever was on the lost context is freed.
func TestLostDeviceComesBack(t *testing.T) {
	first, b, log := openPair(t, Options{Again: time.Millisecond})
	rng := rand.New(rand.NewPCG(1, 2))
	p := nntest.Random(spec, rng)
	n, err := b.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	e := n.NewEvaluator().(*spreadEvaluator) // on the first device
	batches := []*nn.Batch{e.NewBatch(4), e.NewBatch(4)}
	observations := nntest.Observations(spec, 4, rng)
	var want []float32
	evaluate := func(when string, index int) {
		t.Helper()
		for _, x := range batches {
			x.N = 4
			copy(x.Observations, observations)
			clear(x.Values)
			clear(x.Policy)
			e.Start(x)
		}
		for i, x := range batches {
			if err := e.Wait(x); err != nil {
				t.Fatalf("%s: %v", when, err)
			}
			got := append(slices.Clone(x.Policy), x.Values...)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, batch %d: other bits than at first", when, i)
			}
		}
		if e.at.index != index {
			t.Errorf("%s: device %d evaluates, want %d", when, e.at.index, index)
		}
	}
	evaluate("at first", 0)
	for turn := range 2 {
		first.Fail("Done", 1, lostFirst)
		evaluate("while it is lost", 1)
		evaluate("after it was lost", 1)
		log.await(t, "can't be used yet", 2*turn+2)
		if r := backend.Readings(b); len(r) != 2 || r[0].Lost != 1 ||
			r[0].Losses != float64(turn+1) || r[1].Lost != 0 || r[1].Losses != 0 {
			t.Errorf("readings %+v", r)
		}
		batches = append(batches, e.NewBatch(4)) // of the other device
		first.Restore()
		log.await(t, "a lost device is back", turn+1)
		evaluate("when it is back", 0)
		evaluate("after it came back", 0)
		if r := backend.Readings(b); r[0].Lost != 0 || r[0].Losses != float64(turn+1) {
			t.Errorf("readings %+v", r)
		}
		again, err := b.Load(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 {
			f := again.NewEvaluator().(*spreadEvaluator)
			if f.at.index != i {
				t.Errorf("evaluator %d of a new network is on device %d", i, f.at.index)
			}
			f.Close()
		}
	}
	if n := strings.Count(log.String(), "device lost; the others take its work"); n != 2 {
		t.Errorf("%d losses are in the log\n%s", n, log)
	}
	e.Close()
	for i, o := range b.all {
		if back := o == b.list[o.index].Load(); o.users != 0 || o.closed == back {
			t.Errorf("opening %d: %d users, closed %v, in use %v", i, o.users, o.closed, back)
		}
	}
	if err := b.Close(); err != nil {
		t.Log(err)
	}
	if left := first.Left(); len(left) > 0 {
		t.Errorf("left open: %v", left)
	}
}

// TestLostDeviceWithoutMemoryIsNotTaken checks that a device which came back and lacks memory harms
// nothing.
func TestLostDeviceWithoutMemoryIsNotTaken(t *testing.T) {
	first, b, log := openPair(t, Options{Again: time.Millisecond})
	defer b.Close()
	n, err := b.Load(nntest.Random(spec, rand.New(rand.NewPCG(1, 2))))
	if err != nil {
		t.Fatal(err)
	}
	e := n.NewEvaluator().(*spreadEvaluator)
	defer e.Close()
	x := e.NewBatch(4)
	x.N = 4
	first.Fail("Done", 1, lostFirst)
	if err := e.Evaluate(x); err != nil {
		t.Fatal(err)
	}
	first.Restore()
	log.await(t, "a lost device is back", 1)
	for _, call := range []string{"Alloc", "AllocHost"} { // of weights, of a batch
		first.Fail(call, 1, &driver.MemoryError{Wanted: 5, Free: 1})
		if err := e.Evaluate(x); err != nil || e.at.index != 1 {
			t.Errorf("no memory (%s): %v, on device %d", call, err, e.at.index)
		}
		log.await(t, "a lost device is back",
			strings.Count(log.String(), "device lost; the others"))
	}
	if err := e.Evaluate(x); err != nil || e.at.index != 0 {
		t.Errorf("with memory: %v, on device %d", err, e.at.index)
	}
}

// TestTrainingGoesOn loses the device that trains, at several calls of several steps, with one step
// under way and with two: another takes the steps since the last snapshot again, and losses and
// parameters are those of an undisturbed run, to the bit. A step that is refused, with another
// under way, stays refused.
func TestTrainingGoesOn(t *testing.T) {
	testTrainingGoesOn(t, nil, []disturbance{
		{"SynchronizeEvent", []int{0, 2, 5, 6, 7}}, {"CopyOut", []int{1, 2, 3, 7}},
		{"CopyIn", []int{4}}, {"Record", []int{6}}, {"Launch", []int{0}},
		{"LaunchGraph", []int{5, 8}},
	})
}

// TestSharedTrainingGoesOn is TestTrainingGoesOn with two devices that share steps, the first or
// the second of which is lost: the other takes both parts.
func TestSharedTrainingGoesOn(t *testing.T) {
	testTrainingGoesOn(t, []int{0, 1}, []disturbance{
		{"SynchronizeEvent", []int{2, 5}}, {"CopyOut", []int{3}}, {"Launch", []int{0}},
	})
	testTrainingGoesOn(t, []int{1, 0}, []disturbance{
		{"SynchronizeEvent", []int{0, 6}}, {"Copy", []int{4}}, {"LaunchGraph", []int{7}},
	})
}

// disturbance is a call at whose next use the device is lost, in one of some steps.
type disturbance struct {
	call  string
	steps []int
}

func testTrainingGoesOn(t *testing.T, trains []int, disturbances []disturbance) {
	rng := rand.New(rand.NewPCG(1, 2))
	small := spec // a device is lost with any network
	small.Height, small.Width, small.Actions, small.Blocks, small.Hidden = 2, 2, 4, 0, 1
	p := nntest.Random(small, rng)
	c := train.DefaultConfig()
	c.Batch, c.EMADecay = 2, 0.9
	const steps, bad = 9, 6
	var batches []*train.Batch
	for range steps {
		batches = append(batches, train.RandomBatch(small, 2, rng))
	}
	batches[bad].Value[1] = float32(math.NaN())
	lost := 0 // trainers on lost devices at a run's end
	run := func(
		ahead bool, disturb func(*fake.Driver, int),
	) (params, averaged *nn.Params, losses []nn.Losses, log *logged) {
		first, b, log := openPair(t, Options{Again: -1}, trains...)
		defer func() {
			_ = b.Close() // it repeats the loss
			if left := first.Left(); len(left) > 0 {
				t.Errorf("left open: %v", left)
			}
		}()
		x, err := b.NewTrainer(p, c)
		if err != nil {
			t.Fatal(err)
		}
		s := x.(*lasting)
		defer s.Close()
		underWay := 0
		// wait reports whether the step was taken.
		wait := func() bool {
			l, err := s.Wait()
			underWay--
			if errors.As(err, new(*train.NotFiniteError)) {
				underWay = 0
				return false
			}
			if err != nil {
				t.Fatal(err)
			}
			losses = append(losses, l)
			return true
		}
		for i := 0; i < steps; i++ {
			s.SetProgress(float64(i) / 6)
			s.SetScale(1 - float64(i)/10)
			disturb(first, i)
			if i == 3 {
				for underWay > 0 {
					wait()
				}
				if err := s.SetState(must(s.State())); err != nil {
					t.Fatal(err)
				}
			}
			x := batches[i]
			if i%2 == 0 {
				x = s.NewBatch()
				x.Set(batches[i])
			}
			if err := s.Start(x); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			underWay++
			if !ahead || underWay == 2 {
				if !wait() {
					i = bad // the one after it has not been made
				}
			}
		}
		for underWay > 0 {
			wait()
		}
		if s.Steps() != steps-1 {
			t.Errorf("%d steps, want %d", s.Steps(), steps-1)
		}
		l, err := s.Losses(batches[0])
		if err != nil {
			t.Fatal(err)
		}
		lost = len(s.lost)
		if n := len(s.own); snapshotSteps == 2 && n > 7 {
			t.Errorf("%d batches for snapshots after two steps", n)
		}
		return must(s.Params()), must(s.Averaged()), append(losses, l), log
	}
	want, wantAveraged, wantLosses, _ := run(false, func(*fake.Driver, int) {})
	defer func(n int) { snapshotSteps = n }(snapshotSteps)
	snapshotSteps = 2
	for _, ahead := range []bool{false, true} {
		for _, at := range disturbances {
			for _, step := range at.steps {
				got, averaged, losses, log := run(ahead, func(d *fake.Driver, i int) {
					if i == step {
						d.Fail(at.call, 1, lostFirst)
					}
				})
				if got.Digest() != want.Digest() || averaged.Digest() != wantAveraged.Digest() ||
					!slices.Equal(losses, wantLosses) {
					t.Errorf("devices %v, two under way: %v; lost at step %d (%s): other parameters or losses than without a loss",
						trains, ahead, step, at.call)
				}
				if step < 3 && lost > 0 {
					t.Errorf("two under way: %v; lost at step %d (%s): the trainer is still open",
						ahead, step, at.call)
				}
				if strings.Count(log.String(), "training goes on with another device") != 1 {
					t.Errorf("two under way: %v; lost at step %d (%s): the log is\n%s",
						ahead, step, at.call, log)
				}
			}
		}
	}
}

// TestAllLost loses both devices: evaluation and training return the loss, and so does everything
// afterwards.
func TestAllLost(t *testing.T) {
	log := &logged{}
	api := fake.New(fake.Ampere(t, 2))
	x, err := New(api, backend.Spec{Kind: backend.CUDA, Ordinals: []int{0, 1}}, Options{
		Unchecked: true, Again: time.Hour, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	p := nntest.Random(spec, rand.New(rand.NewPCG(1, 2)))
	c := train.DefaultConfig()
	c.Batch = 8
	s, err := x.NewTrainer(p, c)
	if err != nil {
		t.Fatal(err)
	}
	n, err := x.Load(p)
	if err != nil {
		t.Fatal(err)
	}
	e := n.NewEvaluator()
	batch := e.NewBatch(4)
	batch.N = 4
	api.Fail("Launch", 1, lostFirst)
	_, step := s.Step(train.RandomBatch(spec, 8, rand.New(rand.NewPCG(3, 4))))
	_, params := s.Params()
	_, load := x.Load(p)
	_, trainer := x.NewTrainer(p, c)
	late := n.NewEvaluator()
	for what, err := range map[string]error{
		"step": step, "params": params, "evaluate": e.Evaluate(batch),
		"evaluate again": e.Evaluate(batch), "load": load, "trainer": trainer,
		"prepare":         x.(backend.Prepared).Prepare(spec),
		"a new evaluator": late.Evaluate(late.NewBatch(2)),
	} {
		if !backend.Lost(err) {
			t.Errorf("%s: error %v, want that the device is lost", what, err)
		}
	}
	nn.Close(late)
	nn.Close(e)
	train.Close(s)
	_ = x.Close() // its error repeats the loss
	if left := api.Left(); len(left) > 0 {
		t.Errorf("left open: %v", left)
	}
}
