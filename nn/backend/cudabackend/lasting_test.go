package cudabackend

import (
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/internal/machine"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/driver/fake"
	"tengen/nn/nntest"
	"tengen/nn/train"
)

// nothing is a context that does nothing. Its memory on the device can't be read.
type nothing struct {
	driver.Context
	next  *driver.Ptr
	waits *int
}

func (n nothing) Alloc(bytes int) (driver.Ptr, error) {
	*n.next += driver.Ptr(bytes+511) / 256 * 256
	return *n.next, nil
}
func (nothing) Free(driver.Ptr) error { return nil }
func (nothing) Memory() (free, total int64, err error) {
	return 80 << 30, 80 << 30, nil
}
func (n nothing) Synchronize(driver.Stream) error                         { *n.waits++; return nil }
func (n nothing) SynchronizeEvent(driver.Event) error                     { *n.waits++; return nil }
func (nothing) CopyIn(driver.Ptr, []byte, driver.Stream) error            { return nil }
func (nothing) CopyOut([]byte, driver.Ptr, driver.Stream) error           { return nil }
func (nothing) Copy(_, _ driver.Ptr, _ int, _ driver.Stream) error        { return nil }
func (nothing) Fill(driver.Ptr, byte, int, driver.Stream) error           { return nil }
func (nothing) LaunchGraph(driver.Graph, driver.Stream) error             { return nil }
func (nothing) CloseGraph(driver.Graph) error                             { return nil }
func (nothing) Capture(driver.Stream, func() error) (driver.Graph, error) { return 1, nil }

// onNothing returns a trainer of the first of two devices that do nothing, and how often the host
// waited for them.
func onNothing(tb testing.TB, s nn.Spec, c train.Config) (*lasting, *int) {
	tb.Helper()
	next, waits := driver.Ptr(1<<20), new(int)
	b, err := New(fake.Wrap(fake.WithDevices(2), func(x driver.Context) driver.Context {
		return nothing{x, &next, waits}
	}), backend.Spec{Kind: backend.CUDA, Ordinals: []int{0, 1}}, Options{Unchecked: true})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { b.Close() })
	t, err := b.NewTrainer(nntest.Random(s, rand.New(rand.NewPCG(1, 2))), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { train.Close(t) })
	return t.(*lasting), waits
}

// TestLastingCopiesNothing checks that batches of NewBatch are kept as they are until a snapshot,
// of which the host waits for none, and that their memory is used again afterwards.
func TestLastingCopiesNothing(t *testing.T) {
	defer func(n int) { snapshotSteps = n }(snapshotSteps)
	snapshotSteps = 4
	c := train.DefaultConfig()
	c.Batch = 8
	s, waits := onNothing(t, spec, c)
	*waits = 0
	const steps = 40
	for i := range steps {
		b := s.NewBatch()
		if err := s.Start(b); err != nil {
			t.Fatal(err)
		}
		if n := len(s.since); n == 0 || s.since[n-1].batch != b {
			t.Fatal("the batch is not kept itself")
		}
		if i > 0 {
			if _, err := s.Wait(); err != nil {
				t.Fatal(err)
			}
		}
	}
	// A snapshot covers four steps; it is the last one when two more have begun.
	if n := len(s.own); n > 9 || s.snapshot == nil || s.snapshot.Steps < steps-9 {
		t.Errorf("%d batches; the last snapshot is %+v", n, s.snapshot)
	}
	if *waits != steps-1 {
		t.Errorf("the host waited %d times in %d steps", *waits, steps)
	}
}

// BenchmarkHostOfStep measures the host's time of a step of 4,096 rows of 8 × 128 on 5 × 5, with
// two devices.
func BenchmarkHostOfStep(b *testing.B) {
	s := nn.Spec{
		Planes: 6, Height: 5, Width: 5, Players: 2, Actions: 25, Blocks: 8, Filters: 128,
		Policy: nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 64,
		Support: make([]float32, 26),
	}
	for i := range s.Support {
		s.Support[i] = float32(i) / 25
	}
	c := train.DefaultConfig()
	c.Batch, c.Optimizer = 4096, train.OptimizerAdam
	t, _ := onNothing(b, s, c)
	rows := train.RandomBatch(s, c.Batch, rand.New(rand.NewPCG(3, 4)))
	step := func() {
		if err := t.Start(t.NewBatch()); err != nil {
			b.Fatal(err)
		}
		if _, err := t.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	for range 70 { // until batches are used again
		t.NewBatch().Set(rows)
	}
	for x := range t.own {
		t.free = append(t.free, x)
	}
	for range 140 {
		step()
	}
	b.ResetTimer()
	before := machine.CPUTime()
	for range b.N {
		step()
	}
	b.ReportMetric(float64((machine.CPUTime()-before).Microseconds())/1000/float64(b.N),
		"cpu-ms/op")
}

// wrongly is a device that does nothing, on which the results of one of the steps are other ones
// the second time.
type wrongly struct {
	nothing
	steps, wrong *int
}

func (w wrongly) CopyOut(dst []byte, _ driver.Ptr, _ driver.Stream) error {
	if len(dst) > 1000 { // parameters
		return nil
	}
	clear(dst)
	if *w.steps++; *w.steps == *w.wrong {
		dst[len(dst)-12] = 1 // the last of the flags before the decision, of two numbers
	}
	return nil
}

// TestWronglyComputingDeviceIsLeft checks that training goes on with another device where a step
// that was taken twice had other results, and that the log says from where it can be trusted.
func TestWronglyComputingDeviceIsLeft(t *testing.T) {
	const steps, wrong = 1203, 1000
	next, waits, opened, taken, which := driver.Ptr(1<<20), 0, 0, [2]int{}, [2]int{wrong, 0}
	log := &logged{}
	b, err := New(fake.Wrap(fake.WithDevices(2), func(x driver.Context) driver.Context {
		opened++
		return wrongly{nothing{x, &next, &waits}, &taken[opened-1], &which[opened-1]}
	}), backend.Spec{Kind: backend.CUDA, Ordinals: []int{0, 1}}, Options{
		Unchecked: true, Again: -1, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c := train.DefaultConfig()
	c.Batch = 8
	s, err := b.NewTrainer(nntest.Random(spec, rand.New(rand.NewPCG(1, 2))), c)
	if err != nil {
		t.Fatal(err)
	}
	defer train.Close(s)
	l := s.(*lasting)
	for i := range steps {
		if err := l.Start(l.NewBatch()); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if _, err := l.Wait(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := l.Wait(); err != nil {
		t.Fatal(err)
	}
	// The step after the wrong one had begun on the first device.
	if l.Steps() != steps || taken[0] != wrong+1 || taken[1] < steps-wrong {
		t.Errorf("%d steps; of each device: %d", l.Steps(), taken)
	}
	if n := strings.Count(log.String(), "training step 1000, taken twice: other results"); n != 1 ||
		!strings.Contains(log.String(), "resume from a checkpoint of step 0 or before") {
		t.Errorf("the log is\n%s", log)
	}
	if r := b.(backend.Monitored).Readings(); len(r) != 2 || r[0].Lost != 1 || r[1].Lost != 0 {
		t.Errorf("readings %+v", r)
	}
}

// TestWrongDeviceIsLeft opens two devices whose kernels are wrong for large batches, on
// the first or on both. One that is wrong where another is right is left, like a lost one; if both
// are wrong, neither is lost, and the error says why no device trains.
func TestWrongDeviceIsLeft(t *testing.T) {
	damaged := func() driver.API {
		return fake.Compiling(fake.Ampere(t, 1), func(s *driver.Source) error {
			s.Text = strings.Replace(s.Text, "2 * channels + c + k] = mean[k];",
				"2 * channels + c + k] = mean[k] + (positions > 500 && last == positions);", 1)
			return nil
		})
	}
	c := train.DefaultConfig()
	c.Batch = 64 // 576 positions
	p := nntest.Random(spec, rand.New(rand.NewPCG(1, 2)))
	for _, both := range []bool{false, true} {
		log := &logged{}
		api := &pair{Driver: fake.New(damaged()), second: fake.Ampere(t, 1)}
		if both {
			api.second = damaged()
		}
		b, err := New(api, backend.Spec{
			Kind: backend.CUDA, Ordinals: []int{0, 1}, Inference: backend.FP32,
			Training: backend.FP32,
		}, Options{Again: -1, Log: slog.New(slog.NewTextHandler(log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		s, err := b.NewTrainer(p, c)
		const says = "the same 32 again and again, has another"
		r := b.(backend.Monitored).Readings()
		if r[1].Lost != 0 || both && (err == nil || !strings.Contains(err.Error(), says) ||
			r[0].Lost != 0) || !both && (err != nil || r[0].Lost != 1 ||
			strings.Count(log.String(), says) != 1) {
			t.Errorf("both: %v; error %v, readings %+v; the log is\n%s", both, err, r, log)
		}
		if err == nil {
			if _, err := s.Step(train.RandomBatch(spec, c.Batch,
				rand.New(rand.NewPCG(3, 4)))); err != nil {
				t.Error(err)
			}
			train.Close(s)
		}
		b.Close()
	}
}
