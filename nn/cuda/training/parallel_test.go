package training

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// box opens n devices of a driver.
func box(t testing.TB, api driver.API, n int, o cuda.Options) (list []*cuda.Device) {
	t.Helper()
	for i := range n {
		d, err := cuda.Open(api, i, o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		list = append(list, d)
	}
	return list
}

// emulatedBox opens n emulated devices of a kind.
func emulatedBox(t testing.TB, n int, o emulate.Options) []*cuda.Device {
	t.Helper()
	o.Devices = slices.Repeat([]driver.Device{emulate.Ampere()}, n)
	return box(t, emulate.ForTest(t, o), n, cuda.Options{Unchecked: true})
}

// sharedTrainer returns a trainer on several devices.
func sharedTrainer(
	t testing.TB, devices []*cuda.Device, p *nn.Params, c train.Config,
) *Trainer {
	t.Helper()
	tr, err := NewTrainer(devices, p, c, kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tr.Close)
	return tr
}

// rowsOf returns rows of a batch.
func rowsOf(b *train.Batch, s *nn.Spec, from, n int) *train.Batch {
	r, row := new(train.Batch), train.NewBatch(*s, 1)
	for i, x := range b.Numbers() {
		length := len(*row.Numbers()[i])
		*r.Numbers()[i] = (*x)[from*length : (from+n)*length]
	}
	for i, x := range b.Classes() {
		length := len(*row.Classes()[i])
		*r.Classes()[i] = (*x)[from*length : (from+n)*length]
	}
	return r
}

// apiece is the reference of devices that share a step: a trainer of one device for each part of
// the batch, whose gradients and statistics the host adds between the backward pass and the update.
type apiece struct {
	parts  []*Trainer
	config train.Config
}

func newApiece(t *testing.T, n int, p *nn.Params, c train.Config) *apiece {
	a := &apiece{config: c}
	c.Batch /= n
	c.ValueWeight /= float64(n) // the value's loss is the mean over all rows
	for range n {
		a.parts = append(a.parts,
			deviceTrainer(t, emulatedBox(t, 1, emulate.Options{})[0], p, c, kernels.FP32))
	}
	return a
}

func (a *apiece) step(t *testing.T, b *train.Batch) nn.Losses {
	t.Helper()
	do := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	var sum []float32
	learned := 0
	for i, x := range a.parts {
		rows := x.config.Batch
		in := must(x.freeInput())
		in.copy(rowsOf(b, &x.plan.spec, i*rows, rows), rows, 0, rows)
		x.give(in, rows)
		in.given[givenMass], in.given[givenLabelMass], in.given[givenFactMass] = b.PolicyMass(),
			b.AuxiliaryMass(), b.FactMass()
		do(x.send(in), x.use(), x.clear(), x.programs.training.run(x.session, x.stream))
		learned = x.plan.layout.learned
		g := make([]float32, learned+x.plan.layout.layers*2*x.plan.layout.filters)
		do(x.session.CopyOut(driver.Bytes(g), x.buffers.gradients, x.stream),
			x.session.Synchronize(x.stream))
		if i == 0 {
			sum = g
			continue
		}
		for k, v := range g {
			sum[k] += v
		}
	}
	for k := learned; k < len(sum); k++ {
		sum[k] /= float32(len(a.parts))
	}
	var m measure
	for _, x := range a.parts {
		n := len(x.programs.training)
		do(x.session.CopyIn(x.buffers.gradients, driver.Bytes(sum), x.stream),
			x.programs.training[n-3:].run(x.session, x.stream), // the sums and the decision
			x.programs.update.run(x.session, x.stream), x.fetch(0), x.session.Synchronize(x.stream))
		m.add(x.outputs[0], x.config.Batch)
	}
	r := a.parts[0].outputs[0]
	l := m.losses(&a.config, a.parts[0].plan.spec.Players, r.squares(1))
	l.GradientNorm, l.LearningRate = math.Sqrt(r.squares(0)), a.parts[0].rate()
	for _, x := range a.parts {
		x.steps++
	}
	return l
}

// everythingOf returns all that a trainer holds.
func everythingOf(t *Trainer) []any {
	return []any{must(t.Params()).Tensors, must(t.Averaged()).Tensors, must(t.State())}
}

// TestDevicesShareSteps compares steps of two and four devices with the reference, to the bit, for
// networks with several heads: with devices that read one another's memory and through the host's,
// in order and with work in streams in another order, with two steps under way, on fewer devices
// than parts, and after a new trainer has gone on from the state. All devices hold the same
// numbers.
func TestDevicesShareSteps(t *testing.T) {
	every(t, againSteps) // which is restored
	for _, c := range []struct {
		devices, spec int
		optimizer     train.Optimizer
	}{{2, 9, train.OptimizerAdam}, {4, 10, train.OptimizerSGD}} {
		spec := nntest.AllSpecs()[c.spec]
		rng := random.New(trainerSeed, random.Test, uint64(c.devices))
		p, config := nntest.Random(spec, rng), smallConfig(c.optimizer)
		config.PolicyLogits = c.devices == 4
		var batches []*train.Batch
		for i := range 3 {
			batches = append(batches, train.RandomBatch(spec, config.Batch, rng))
			if i == 1 {
				clear(batches[1].PolicyWeight)
			}
		}
		reference := newApiece(t, c.devices, p, config)
		var want []any
		for _, b := range batches {
			want = append(want, reference.step(t, b))
		}
		want = append(want, everythingOf(reference.parts[0])...)
		for _, v := range []struct {
			what    string
			devices int
			o       emulate.Options
			apart   bool
			ahead   bool
			resume  bool
			twice   bool
		}{
			{what: "in order", devices: c.devices},
			{what: "each second step twice", devices: c.devices, o: emulate.Options{Reorder: true},
				ahead: true, twice: true},
			{what: "one device", devices: 1},
			{what: "by way of the host", devices: c.devices,
				o: emulate.Options{Reorder: true, Seed: 3}, apart: true, ahead: true},
			{what: "in another order", devices: c.devices,
				o: emulate.Options{Reorder: true, Seed: 1}, ahead: true},
			{what: "in a third order", devices: c.devices,
				o: emulate.Options{Reorder: true, Seed: 2}, ahead: true, resume: true},
		} {
			what := fmt.Sprintf("%d devices, %s", c.devices, v.what)
			againSteps = 1000
			if v.twice {
				againSteps = 2
			}
			o := v.o
			o.Devices = slices.Repeat([]driver.Device{emulate.Ampere()}, v.devices)
			api := emulate.ForTest(t, o)
			if v.apart {
				api = fake.Wrap(api, func(x driver.Context) driver.Context { return graphed{x} })
			}
			devices := box(t, api, v.devices, cuda.Options{Unchecked: true})
			for len(devices) < c.devices {
				devices = append(devices, devices[0])
			}
			tr := sharedTrainer(t, devices, p, config)
			if tr.direct == v.apart {
				t.Errorf("%s: devices read one another's memory: %v", what, tr.direct)
			}
			var got []any
			underWay := 0
			wait := func() {
				got = append(got, must(tr.Wait()))
				underWay--
			}
			for i, b := range batches {
				if i == 2 && v.resume {
					for underWay > 0 {
						wait()
					}
					next := sharedTrainer(t, devices, must(tr.Params()), config)
					if err := next.SetState(must(tr.State())); err != nil {
						t.Fatal(err)
					}
					tr.Close()
					tr = next
				}
				if err := tr.Start(b); err != nil {
					t.Fatal(what, err)
				}
				if underWay++; !v.ahead || underWay == ahead {
					wait()
				}
			}
			for underWay > 0 {
				wait()
			}
			got = append(got, everythingOf(tr)...)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: other bits than the reference's: %v", what,
					differs(got, want))
			}
			first := tr.part
			for _, x := range tr.parts {
				tr.part = x
				if !reflect.DeepEqual(everythingOf(tr), want[len(batches):]) {
					t.Errorf("%s: device %d has other numbers", what, x.plan.index)
				}
			}
			tr.part = first
			if x, y := must(tr.Losses(batches[0])), must(reference.parts[0].Losses(
				batches[0])); !near(x.Policy, y.Policy) || !near(x.Value, y.Value) {
				t.Errorf("%s: measured %v, want %v", what, x, y)
			}
		}
	}
}

func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(y)) }

// graphed is a context that reaches no other.
type graphed struct{ driver.Context }

func (g graphed) Capture(s driver.Stream, f func() error) (driver.Graph, error) {
	return g.Context.(driver.Grapher).Capture(s, f)
}
func (g graphed) LaunchGraph(x driver.Graph, s driver.Stream) error {
	return g.Context.(driver.Grapher).LaunchGraph(x, s)
}
func (g graphed) CloseGraph(x driver.Graph) error {
	return g.Context.(driver.Grapher).CloseGraph(x)
}

// differs returns the indices of what differs.
func differs(a, b []any) (list []int) {
	for i := range a {
		if i >= len(b) || !reflect.DeepEqual(a[i], b[i]) {
			list = append(list, i)
		}
	}
	return list
}

// TestSharedStepIsTheProcessors compares a step of two devices with those of the processor on the
// parts of the batch, each with its share of the losses' weights: the changes of parameters by SGD
// add, those of the statistics are averaged. Tolerances are relative to 1 + |n|.
func TestSharedStepIsTheProcessors(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerSGD)
	c.GradClipNorm, c.L2, c.WeightDecay, c.EMADecay = 0, 0, 0, 0
	c.Schedule = train.Schedule{Kind: train.ScheduleConstant}
	b := train.RandomBatch(spec, c.Batch, rng)
	b.PolicyWeight[2] = 0.25
	const n = 2
	tr := sharedTrainer(t, emulatedBox(t, n, emulate.Options{}), p, c)
	got := step(t, tr, b)
	want := p.Clone()
	var policy, value float64
	for i := range n {
		part := rowsOf(b, &spec, i*c.Batch/n, c.Batch/n)
		share := part.PolicyMass() / b.PolicyMass()
		alone := c
		alone.Batch /= n
		alone.PolicyWeight *= share
		alone.ValueWeight /= n
		host := hostTrainer(t, p, alone)
		l := step(t, host, part)
		policy, value = policy+share*l.Policy, value+l.Value/n
		after := must(host.Params())
		for k, x := range want.Tensors {
			weight := float32(1)
			if strings.HasSuffix(x.Name, ".mean") || strings.HasSuffix(x.Name, ".variance") {
				weight = 1. / n
			}
			for j := range x.Data {
				x.Data[j] += weight * (after.Tensors[k].Data[j] - p.Tensors[k].Data[j])
			}
		}
	}
	if gap, where := difference(must(tr.Params()).Tensors, want.Tensors); !(gap <= 2e-6) {
		t.Errorf("parameters differ by %g: %s", gap, where)
	}
	if math.Abs(got.Policy-policy) > 1e-6 || math.Abs(got.Value-value) > 1e-6 {
		t.Errorf("losses %v and %v, want %v and %v", got.Policy, got.Value, policy, value)
	}
}

// TestSharedStepIsRefused checks that a step is refused on all devices if the rows of one of them
// can't be trained on, also with another step under way, and that training goes on as if it had not
// been begun.
func TestSharedStepIsRefused(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerAdam)
	good := train.RandomBatch(spec, c.Batch, rng)
	devices := emulatedBox(t, 2, emulate.Options{Reorder: true})
	want := sharedTrainer(t, devices, p, c)
	step(t, want, good)
	before := everythingOf(want)
	after := step(t, want, good)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for i, x := range []struct {
		spoil func(b *train.Batch)
		says  string
	}{
		{func(b *train.Batch) { b.Value[len(b.Value)-1] = nan }, "the value loss is NaN"},
		{func(b *train.Batch) { b.Value[0] = nan }, "the value loss is NaN"},
		{func(b *train.Batch) { b.Policy[len(b.Policy)-1] = inf }, "the policy loss is "},
		{func(b *train.Batch) { b.Observations[len(b.Observations)-1] = inf }, ""},
	} {
		tr := sharedTrainer(t, devices, p, c)
		step(t, tr, good)
		bad := train.NewBatch(spec, c.Batch)
		bad.Set(good)
		x.spoil(bad)
		for _, b := range []*train.Batch{bad, good} {
			if err := tr.Start(b); err != nil {
				t.Fatal(err)
			}
		}
		_, err := tr.Wait()
		var refused *train.NotFiniteError
		if !errors.As(err, &refused) || refused.Step != 2 ||
			!strings.Contains(refused.What, x.says) {
			t.Errorf("batch %d: error %v, want that step 2 is refused", i, err)
		}
		if _, err := tr.Wait(); err != errNone {
			t.Errorf("batch %d: the step after the refused one: %v", i, err)
		}
		for _, part := range slices.Backward(tr.parts) {
			tr.part = part
			if !reflect.DeepEqual(everythingOf(tr), before) {
				t.Errorf("batch %d: device %d was changed", i, part.plan.index)
			}
		}
		if tr.Steps() != 1 || step(t, tr, good) != after {
			t.Errorf("batch %d: training does not go on", i)
		}
	}
}

// TestPartsAtOnce checks that the first device's part is made alone and the others at the same
// time; that the error is that of the first device that fails; and that nothing is left then.
func TestPartsAtOnce(t *testing.T) {
	const n = 4
	failure := []error{errors.New("no 0"), errors.New("no 1"), errors.New("no 2")}
	for _, c := range []struct {
		fails []int
		begun int
		want  int // the device whose error is returned; -1: none
	}{{nil, n, -1}, {[]int{2, 1}, n, 1}, {[]int{0}, 1, 0}} {
		api := fake.WithDevices(n)
		devices := box(t, api, n, cuda.Options{Unchecked: true})
		spec, config := nntest.Specs()[1], smallConfig(train.OptimizerAdam)
		var plans []*Plan
		for i, d := range devices {
			info := d.Info()
			plan, err := NewPlan(spec, config, kernels.FP32, &info)
			if err != nil {
				t.Fatal(err)
			}
			plan.devices, plan.index = n, i
			plans = append(plans, plan)
		}
		var begun, first atomic.Int64
		together := make(chan struct{})
		tr, err := newTrainer(devices, plans, nntest.Random(spec, random.New(1, random.Test)),
			func(plan *Plan, d *cuda.Device) (*part, error) {
				if i := begun.Add(1); plan.index == 0 {
					first.Store(i)
				} else if i == n {
					close(together)
				}
				if plan.index > 0 {
					select {
					case <-together:
					case <-time.After(2 * time.Minute):
						t.Error("the devices come in turn")
					}
				}
				if slices.Contains(c.fails, plan.index) {
					return nil, failure[plan.index]
				}
				return plan.begin(d)
			})
		if begun.Load() != int64(c.begun) || first.Load() != 1 {
			t.Errorf("%v fail: %d parts are begun, the first as number %d",
				c.fails, begun.Load(), first.Load())
		}
		if c.want < 0 {
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range tr.parts {
				if x.plan.index != i {
					t.Errorf("part %d is that of device %d", i, x.plan.index)
				}
			}
			tr.Close()
			continue
		}
		var of *DeviceError
		if !errors.As(err, &of) || of.Index != c.want || of.Err != failure[c.want] {
			t.Errorf("%v fail: error %v", c.fails, err)
		}
		for _, left := range api.Left() {
			if !strings.Contains(left, "open") {
				t.Errorf("%v fail: %s is left", c.fails, left)
			}
		}
	}
}

// TestDisagreementEndsTraining checks that devices whose parameters are not the same are found.
func TestDisagreementEndsTraining(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerSGD)
	tr := sharedTrainer(t, emulatedBox(t, 2, emulate.Options{}), p, c)
	b := train.RandomBatch(spec, c.Batch, rng)
	step(t, tr, b)
	x := tr.parts[1]
	if err := x.session.CopyIn(x.buffers.numbers, driver.Bytes([]float32{9}),
		x.stream); err != nil {
		t.Fatal(err)
	}
	if _, err := tr.Step(b); err == nil || !strings.Contains(err.Error(), "computes wrongly") {
		t.Errorf("error %v", err)
	}
	if _, err := tr.Params(); err == nil {
		t.Error("the trainer goes on")
	}
}

// TestSharedStepTwice flips a bit on one of two devices when a step is taken again: in a gradient,
// which makes both wrong, and in a parameter, which tells the device.
func TestSharedStepTwice(t *testing.T) {
	every(t, 2)
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerAdam)
	b := train.RandomBatch(spec, c.Batch, rng)
	// Graphs are captured in the second step: the gradients, the update, and both again.
	for nth, lost := range map[int]bool{3: false, 4: true} {
		var place driver.Ptr
		opened := 0
		api := fake.Wrap(emulate.ForTest(t, emulate.Options{
			Devices: []driver.Device{emulate.Ampere(), emulate.Ampere()},
		}), func(x driver.Context) driver.Context {
			launched, at := 0, 0
			if opened++; opened == 2 {
				at = nth
			}
			return flipping{x, x.(driver.Grapher), &launched, &at, &place}
		})
		tr := sharedTrainer(t, box(t, api, 2, cuda.Options{Unchecked: true}), p, c)
		place = tr.parts[1].buffers.gradients + 2 // a bit that the sum does not lose
		if lost {
			place = tr.parts[1].buffers.numbers
		}
		step(t, tr, b)
		_, err := tr.Step(b)
		var of *DeviceError
		if err == nil || !strings.Contains(err.Error(), "training step 2, taken twice") ||
			driver.Lost(err) != lost || errors.As(err, &of) != lost || lost && of.Index != 1 {
			t.Errorf("after launch %d: error %v", nth, err)
		}
		if _, err := tr.Params(); err == nil {
			t.Error("the trainer goes on")
		}
	}
}

// silent is a context that does not answer before a log has a line.
type silent struct {
	driver.Context
	answers <-chan struct{}
}

func (s silent) SynchronizeEvent(e driver.Event) error {
	<-s.answers
	return s.Context.SynchronizeEvent(e)
}

// awaited is a log that closes a channel when a line has a text.
type awaited struct {
	text    string
	written chan struct{}
	found   int
}

func (l *awaited) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(l.text)) {
		if l.found++; l.found == 1 {
			close(l.written)
		}
	}
	return len(p), nil
}

// TestSilentDeviceIsNamed checks that a line of the log names a device that does not answer before
// there is that line, and that the step ends when it does.
func TestSilentDeviceIsNamed(t *testing.T) {
	defer func(d time.Duration) { slowAfter = d }(slowAfter)
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerSGD)
	log := &awaited{text: "name=cuda:1", written: make(chan struct{})}
	opened := 0
	api := fake.Wrap(fake.WithDevices(2), func(x driver.Context) driver.Context {
		if opened++; opened == 2 {
			return silent{x, log.written}
		}
		return x
	})
	slowAfter = time.Millisecond
	tr := sharedTrainer(t, box(t, api, 2, cuda.Options{
		Unchecked: true,
		Log:       slog.New(slog.NewTextHandler(log, nil)),
	}), p, c)
	if got, err := tr.Step(train.RandomBatch(spec, c.Batch, rng)); err != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// garbled is a context that reads something else of other contexts' memory than is there.
type garbled struct {
	graphed
	own map[driver.Ptr]int
}

func (g garbled) Handle() uintptr           { return g.Context.(driver.Neighbour).Handle() }
func (g garbled) Reach(other uintptr) error { return g.Context.(driver.Neighbour).Reach(other) }
func (g garbled) Alloc(n int) (driver.Ptr, error) {
	p, err := g.Context.Alloc(n)
	g.own[p] = n
	return p, err
}
func (g garbled) Copy(dst, src driver.Ptr, n int, s driver.Stream) error {
	err := g.Context.Copy(dst, src, n, s)
	for p, size := range g.own {
		if src >= p && src < p+driver.Ptr(size) {
			return err
		}
	}
	return g.Context.Fill(dst, 77, min(n, 4), s)
}

// TestGarbledCopies checks that devices which read one another's memory wrongly share steps by way
// of the host's, which the log says.
func TestGarbledCopies(t *testing.T) {
	spec := nntest.Specs()[1]
	rng := random.New(trainerSeed, random.Test)
	p, c := nntest.Random(spec, rng), smallConfig(train.OptimizerSGD)
	b := train.RandomBatch(spec, c.Batch, rng)
	var log bytes.Buffer
	api := fake.Wrap(emulate.ForTest(t, emulate.Options{
		Devices: []driver.Device{emulate.Ampere(), emulate.Ampere()},
	}), func(x driver.Context) driver.Context {
		return garbled{graphed{x}, map[driver.Ptr]int{}}
	})
	tr := sharedTrainer(t, box(t, api, 2, cuda.Options{
		Unchecked: true, Log: slog.New(slog.NewTextHandler(&log, nil)),
	}), p, c)
	want := sharedTrainer(t, emulatedBox(t, 2, emulate.Options{}), p, c)
	if tr.direct || !strings.Contains(log.String(), "reads something else than") {
		t.Errorf("copies between the devices are used; the log is %s", &log)
	}
	if step(t, tr, b) != step(t, want, b) ||
		!reflect.DeepEqual(everythingOf(tr), everythingOf(want)) {
		t.Error("other bits by way of the host")
	}
}

// TestBatchIsDivided checks the line about a batch that devices can't share.
func TestBatchIsDivided(t *testing.T) {
	devices := box(t, fake.WithDevices(3), 3, cuda.Options{Unchecked: true})
	spec := nntest.Specs()[1]
	for batch, would := range map[int]string{
		8: "6 or 9 rows would do", 2: "3 rows would do", 9: "",
	} {
		c := smallConfig(train.OptimizerSGD)
		c.Batch = batch
		tr, err := NewTrainer(devices, must(nn.NewParams(spec)), c, kernels.FP32)
		if err == nil {
			tr.Close()
		}
		if (err == nil) != (would == "") || err != nil && !strings.Contains(err.Error(), would) {
			t.Errorf("%d rows: error %v", batch, err)
		}
	}
}
