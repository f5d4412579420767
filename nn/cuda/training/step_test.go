package training

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"tengen/internal/machine"
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

// TestStepsUnderWay checks that steps of which two are under way have the bits of those that are
// waited for, with batches of NewBatch and others, and with work in streams in another order; and
// that methods which read the state wait for them.
func TestStepsUnderWay(t *testing.T) {
	spec := nntest.Specs()[1]
	spec.Auxiliary = nn.Auxiliary{Cells: []int{2, 3}, Seats: 2, Belief: []int{4, 3}}
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerAdam)
	var batches []*train.Batch
	for range 6 {
		batches = append(batches, train.RandomBatch(spec, c.Batch, rng))
	}
	trainer := func(reorder bool) *Trainer {
		return deviceTrainer(t, emulatedDevice(t, emulate.Options{Reorder: reorder}, true), p, c,
			kernels.FP32)
	}
	var want []any
	waited := trainer(false)
	for _, b := range batches {
		want = append(want, step(t, waited, b))
	}
	want = append(want, must(waited.State()), must(waited.Params()),
		must(waited.Losses(batches[0])))
	for _, own := range []bool{true, false} {
		tr := trainer(true)
		var got []any
		wait := func() { got = append(got, must(tr.Wait())) }
		for i, b := range batches {
			if own {
				x := tr.NewBatch()
				x.Set(b)
				b = x
			}
			if err := tr.Start(b); err != nil {
				t.Fatal(err)
			}
			if tr.Steps() != i+1 {
				t.Errorf("%d steps, want %d", tr.Steps(), i+1)
			}
			if i == 3 {
				must(tr.Params()) // the steps under way have ended, and are waited for
			}
			if i > 0 {
				wait()
			}
		}
		wait()
		if _, err := tr.Wait(); err != errNone {
			t.Errorf("without a step: %v", err)
		}
		got = append(got, must(tr.State()), must(tr.Params()), must(tr.Losses(batches[0])))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("own batches %v: other bits than those of steps that are waited for", own)
		}
		if n := len(tr.inputs); n > 3 {
			t.Errorf("own batches %v: %d in pinned memory", own, n)
		}
	}
}

// TestRefusedUnderWay checks that a step which began after one that is refused changes nothing, and
// that training goes on.
func TestRefusedUnderWay(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerSGD)
	good, bad := train.RandomBatch(spec, c.Batch, rng), train.RandomBatch(spec, c.Batch, rng)
	bad.Value[3] = float32(math.NaN())
	trainer := func() *Trainer {
		return deviceTrainer(t, emulatedDevice(t, emulate.Options{}, true), p, c, kernels.FP32)
	}
	want := trainer()
	step(t, want, good)
	before := []any{must(want.State()), must(want.Params())}
	after := step(t, want, good)
	for _, read := range []bool{false, true} { // what reads the state may come before Wait
		tr := trainer()
		step(t, tr, good)
		for _, b := range []*train.Batch{bad, good} {
			if err := tr.Start(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := tr.Start(good); err != errAhead {
			t.Errorf("a third step under way: %v", err)
		}
		if read {
			must(tr.State())
		}
		_, err := tr.Wait()
		var refused *train.NotFiniteError
		if !errors.As(err, &refused) || refused.Step != 2 ||
			!strings.Contains(refused.What, "value loss") {
			t.Errorf("error %v, want that step 2 is refused", err)
		}
		if _, err := tr.Wait(); err != errNone {
			t.Errorf("the step after the refused one: %v", err)
		}
		if tr.Steps() != 1 ||
			!reflect.DeepEqual([]any{must(tr.State()), must(tr.Params())}, before) {
			t.Errorf("a refused step, or the one after it, changed something: %d steps", tr.Steps())
		}
		if step(t, tr, good) != after {
			t.Error("training does not go on as if nothing had been refused")
		}
	}
}

// counted is a context that does nothing but count what the host asks for. Its memory on the device
// can't be read.
type counted struct {
	driver.Context
	next      driver.Ptr
	in, out   int // bytes of copies
	waits     int
	calls     int // for work in streams
	lastInput *byte
}

func (c *counted) Alloc(n int) (driver.Ptr, error) {
	c.next += driver.Ptr(n+511) / 256 * 256
	return c.next, nil
}
func (*counted) Free(driver.Ptr) error { return nil }
func (*counted) Memory() (free, total int64, err error) {
	return 80 << 30, 80 << 30, nil
}
func (c *counted) Synchronize(driver.Stream) error     { c.waits++; return nil }
func (c *counted) SynchronizeEvent(driver.Event) error { c.waits++; return nil }
func (c *counted) Record(driver.Event, driver.Stream) error {
	c.calls++
	return nil
}
func (c *counted) WaitEvent(driver.Stream, driver.Event) error {
	c.calls++
	return nil
}
func (c *counted) CopyIn(_ driver.Ptr, from []byte, _ driver.Stream) error {
	c.calls++
	c.in += len(from)
	c.lastInput = unsafe.SliceData(from)
	return nil
}
func (c *counted) CopyOut(to []byte, _ driver.Ptr, _ driver.Stream) error {
	c.calls++
	c.out += len(to)
	return nil
}
func (c *counted) Copy(_, _ driver.Ptr, _ int, _ driver.Stream) error      { c.calls++; return nil }
func (c *counted) Fill(driver.Ptr, byte, int, driver.Stream) error         { c.calls++; return nil }
func (c *counted) LaunchGraph(driver.Graph, driver.Stream) error           { c.calls++; return nil }
func (*counted) CloseGraph(driver.Graph) error                             { return nil }
func (*counted) Capture(driver.Stream, func() error) (driver.Graph, error) { return 1, nil }

// countedTrainer returns a trainer of 8 × 128 on 5 × 5 with 4,096 rows on devices with such a
// context, which has captured its graphs, and a batch with targets that are dense or one-hot.
func countedTrainer(tb testing.TB, number int, dense bool) (*Trainer, []*counted, *train.Batch) {
	tb.Helper()
	var all []*counted
	devices := box(tb, fake.Wrap(fake.WithDevices(number), func(x driver.Context) driver.Context {
		c := &counted{Context: x, next: 1 << 20}
		all = append(all, c)
		return c
	}), number, cuda.Options{Unchecked: true})
	spec := nn.Spec{
		Planes: 6, Height: 5, Width: 5, Players: 2, Actions: 25, Blocks: 8, Filters: 128,
		Policy: nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 64,
		Support: make([]float32, 26),
	}
	for i := range spec.Support {
		spec.Support[i] = float32(i) / 25
	}
	config := train.DefaultConfig()
	config.Batch, config.Optimizer = 4096, train.OptimizerAdam
	p, err := nn.NewParams(spec)
	if err != nil {
		tb.Fatal(err)
	}
	tr, err := NewTrainer(devices, p, config, kernels.BF16)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(tr.Close)
	b := train.RandomBatch(spec, config.Batch, random.New(trainerSeed, random.Test))
	if !dense {
		for _, x := range [][]float32{b.Policy, b.Value} {
			clear(x)
			for i := 0; i < len(x); i += 25 + len(x)/len(b.Value)%2 {
				x[i] = 1
			}
		}
	}
	for range 2 {
		step(tb, tr, b)
	}
	return tr, all, b
}

// TestHostOfStep counts what the host does in a step of 4,096 rows, whatever the targets are: it
// gives the batch's own memory to the driver, reads a few sums, and waits once, in a dozen calls.
// Of several devices each gets its rows, is waited for three times, and copies from each other one
// twice.
func TestHostOfStep(t *testing.T) {
	for _, n := range []int{2, 8} {
		tr, all, b := countedTrainer(t, n, false)
		for _, c := range all {
			*c = counted{Context: c.Context}
		}
		step(t, tr, b)
		in := 0
		for _, c := range all {
			// The sum of the own shard and those of the others come by way of the host here.
			in += c.in - 8*givens - 4*tr.plan.exchanged()*(n-1)/n*2
			if c.out > 4*tr.plan.exchanged()*(n+1)/n+2000 || c.waits != 3 || c.calls > 17+2*n {
				t.Errorf("%d devices: %d bytes back, %d waits, %d calls", n, c.out, c.waits, c.calls)
			}
		}
		floats := len(b.Observations) + len(b.Policy) + len(b.PolicyWeight) + len(b.Value)
		if in < 4*floats || in > 4*floats+4096*n {
			t.Errorf("%d devices: %d bytes of a batch of %d go to the devices", n, in, 4*floats)
		}
	}
	for _, dense := range []bool{false, true} {
		tr, all, rows := countedTrainer(t, 1, dense)
		c := all[0]
		b := tr.NewBatch()
		b.Set(rows)
		*c = counted{Context: c.Context}
		if err := tr.Start(b); err != nil {
			t.Fatal(err)
		}
		if got := unsafe.Pointer(c.lastInput); got != unsafe.Pointer(&b.Observations[0]) {
			t.Error("the batch is copied before it goes to the device")
		}
		if _, err := tr.Wait(); err != nil {
			t.Fatal(err)
		}
		floats := len(b.Observations) + len(b.Policy) + len(b.PolicyWeight) + len(b.Value)
		if c.in < 4*floats || c.in > 4*floats+1000 || c.out > 1000 || c.waits != 1 || c.calls > 12 {
			t.Errorf("dense %v: %d bytes to the device, %d back, %d waits, %d calls",
				dense, c.in, c.out, c.waits, c.calls)
		}
	}
}

// BenchmarkHostOfStep measures the host's time of a step, of which the next is always under way, on
// one device and on several. Batches are in the trainer's memory, as those of a run, or are copied
// to it.
func BenchmarkHostOfStep(b *testing.B) {
	for _, c := range []struct {
		devices       int
		dense, copied bool
	}{
		{1, false, false}, {1, false, true}, {1, true, false}, {1, true, true},
		{2, false, false}, {8, false, false},
	} {
		name := fmt.Sprintf("devices=%d/dense=%v/copied=%v", c.devices, c.dense, c.copied)
		b.Run(name, func(b *testing.B) {
			tr, all, rows := countedTrainer(b, c.devices, c.dense)
			calls := func() (n int) {
				for _, x := range all {
					n += x.calls
				}
				return n
			}
			start := func() {
				x := rows
				if !c.copied {
					x = tr.NewBatch()
				}
				if err := tr.Start(x); err != nil {
					b.Fatal(err)
				}
			}
			for range 3 {
				tr.NewBatch().Set(rows)
			}
			for _, in := range tr.inputs {
				in.used = false
			}
			start()
			b.ResetTimer()
			before, made := machine.CPUTime(), calls()
			for range b.N {
				start()
				if _, err := tr.Wait(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((machine.CPUTime()-before).Microseconds())/1000/
				float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(calls()-made)/float64(b.N*c.devices), "calls/device/op")
		})
	}
}
