package training

import (
	"errors"
	"fmt"

	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// Trainer trains one network on a device. It implements train.Trainer; its states are
// interchangeable with those of train.GraphTrainer, which trains on the processor. It is used by
// one goroutine.
//
// The host computes the schedule; everything else runs on the device, so that it can begin a step
// while the one before is under way (Start). The parameters are fp32 there and are copied only on
// request. Steps are reproducible to the bit.
//
// If the device is lost, or fails while it changes parameters, all later calls that use it return
// that error. After any other error of a step the trainer is unchanged by it.
type Trainer struct {
	device   *cuda.Device
	plan     *Plan
	session  cuda.Session
	closed   bool
	stream   driver.Stream
	copies   driver.Stream // copies of batches to the device
	modules  map[string]driver.Module
	buffers  buffers
	programs programs
	training graph // of programs.training and update
	held     graph // of programs.held

	inputs            []*input
	keep              bool
	arrived, consumed driver.Event        // the batch in buffers.staged
	ended             [ahead]driver.Event // steps, by their number
	outputs           [ahead]results      // pinned: theirs
	numbers           []byte              // pinned, for layout's array
	images            [][]byte            // pinned, of NewImage
	begun             []begun             // steps under way, in order
	outcomes          []outcome           // of steps that have ended, for Wait

	steps int // that have begun and were not refused
	done  float64
	scale float64 // of the learning rate
	err   error
}

var _ train.Async = (*Trainer)(nil)

// NewTrainer returns a trainer that starts from a copy of p. It compiles kernels, which takes
// seconds for a new shape of network, and tries them on a context of their own. Without a compiler
// it uses kernels that serve every shape, which were compiled ahead. If memory is too small, the
// error says which batch fits.
func NewTrainer(
	d *cuda.Device, p *nn.Params, config train.Config, precision kernels.Precision,
) (*Trainer, error) {
	info := d.Info()
	plan, err := NewPlan(p.Spec, config, precision, &info)
	if err != nil {
		return nil, err
	}
	return newTrainer(d, plan, p)
}

// newTrainer returns a trainer for a plan, or for the same plan with general kernels.
func newTrainer(d *cuda.Device, plan *Plan, p *nn.Params) (*Trainer, error) {
	t, err := plan.begin(d, p)
	if errors.As(err, new(*driver.LibraryError)) && !plan.general {
		info := d.Info()
		d.Options().Log.Info("training: kernels for networks of every shape are used", "device",
			info.Name, "why", err)
		plan.generalise(&info)
		t, err = plan.begin(d, p)
	}
	return t, err
}

// begin returns a trainer for a plan, after its kernels were tried.
func (plan *Plan) begin(d *cuda.Device, p *nn.Params) (*Trainer, error) {
	info := d.Info()
	free, _, err := d.Session().Memory()
	if err == nil {
		err = plan.fits(free, &info)
	} else {
		err = fmt.Errorf("training on %s: %w", info.Name, err)
	}
	if err == nil && !d.Options().Unchecked {
		err = plan.try(d)
	}
	if err != nil {
		return nil, err
	}
	return plan.trainer(d, p)
}

// trainer makes a trainer on a device.
func (plan *Plan) trainer(d *cuda.Device, p *nn.Params) (*Trainer, error) {
	t := &Trainer{
		scale: 1, device: d, session: d.Session(), plan: plan, modules: map[string]driver.Module{},
	}
	if err := t.prepare(p); err != nil {
		t.Close()
		info := d.Info()
		return nil, fmt.Errorf("training on %s: %w", info.Name, err)
	}
	return t, nil
}

// prepare allocates, compiles and copies the initial parameters.
func (t *Trainer) prepare(p *nn.Params) error {
	var err error
	if t.stream, err = t.session.NewStream(false); err != nil {
		return err
	}
	if t.copies, err = t.session.NewStream(false); err != nil {
		return err
	}
	for _, e := range t.events() {
		if *e, err = t.session.NewEvent(false); err != nil {
			return err
		}
	}
	b := newBuilder(t.plan, t.session, t.stream, t.device.Compile, t.modules)
	for _, a := range t.plan.allocations(&t.buffers) {
		if a.bytes == 0 {
			continue
		}
		if *a.at, err = t.session.Alloc(a.bytes); err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
	}
	for i := range t.outputs {
		if t.outputs[i], err = t.session.AllocHost(resultBytes); err != nil {
			return err
		}
		if _, err := t.newInput(); err != nil {
			return err
		}
	}
	if t.numbers, err = t.session.AllocHost(4 * t.plan.layout.total); err != nil {
		return err
	}
	b.buffers = t.buffers
	if t.programs, err = b.build(); err != nil {
		return err
	}
	// The gaps between arrays always stay zero.
	if err := t.session.Fill(t.buffers.gradients, 0, 4*t.plan.layout.learned,
		t.stream); err != nil {
		return err
	}
	if err := t.session.Fill(t.buffers.moments, 0, 4*t.plan.layout.learned*t.plan.moments(),
		t.stream); err != nil {
		return err
	}
	if support := driver.Bytes(t.plan.spec.Support); len(support) > 0 {
		if err := t.session.CopyIn(t.buffers.support, support, t.stream); err != nil {
			return err
		}
	}
	if err := t.session.Fill(t.buffers.output, 0, resultBytes, t.stream); err != nil {
		return err
	}
	t.plan.layout.pack(driver.View[float32](t.numbers), p)
	if err := t.upload(t.buffers.numbers, t.plan.layout.total); err != nil {
		return err
	}
	if err := t.programs.pack.run(t.session, t.stream); err != nil {
		return err
	}
	if t.buffers.average != 0 {
		return t.upload(t.buffers.average, t.plan.layout.total)
	}
	return nil
}

// upload copies the first floats of the pinned numbers to the device, download copies them back;
// both wait.
func (t *Trainer) upload(to driver.Ptr, floats int) error {
	if err := t.session.CopyIn(to, t.numbers[:4*floats], t.stream); err != nil {
		return err
	}
	return t.session.Synchronize(t.stream)
}

func (t *Trainer) download(from driver.Ptr, floats int) error {
	if err := t.session.CopyOut(t.numbers[:4*floats], from, t.stream); err != nil {
		return err
	}
	return t.session.Synchronize(t.stream)
}

// SetProgress sets the completed fraction of the run, 0 to 1, which determines the schedule for
// the following steps. It is 0 in a new trainer.
func (t *Trainer) SetProgress(done float64) { t.done = done }

// SetScale sets a factor of the learning rate of the following steps, beside the schedule's. It is
// 1 in a new trainer.
func (t *Trainer) SetScale(scale float64) { t.scale = scale }

// events returns the places of the trainer's events.
func (t *Trainer) events() []*driver.Event {
	return []*driver.Event{&t.arrived, &t.consumed, &t.ended[0], &t.ended[1]}
}

// Steps returns the number of steps taken, those under way included.
func (t *Trainer) Steps() int { return t.steps }

// stop stores an error after which the numbers on the device can't be trusted.
func (t *Trainer) stop(err error) error {
	if t.err == nil {
		t.err = err
	}
	return err
}

// failed wraps an error of the device; if the device is lost, it stores the error.
func (t *Trainer) failed(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	if driver.Lost(err) {
		return t.stop(err)
	}
	return err
}

// Close frees the trainer's resources. Later calls that use the device return an error.
func (t *Trainer) Close() {
	if t.closed {
		return
	}
	t.closed = true
	t.session.Release(t.free)
	if t.err == nil {
		t.err = errors.New("the trainer was closed")
	}
}

// free frees everything. If the device is lost, there is nothing left to free.
func (t *Trainer) free(ctx driver.Context) {
	for _, s := range []driver.Stream{t.copies, t.stream} {
		if s != 0 {
			_ = ctx.Synchronize(s)
		}
	}
	for _, a := range t.plan.allocations(&t.buffers) {
		_ = ctx.Free(*a.at)
	}
	for _, in := range t.inputs {
		_ = ctx.FreeHost(in.memory)
	}
	for _, b := range append(t.images, t.outputs[0], t.outputs[1], t.numbers) {
		_ = ctx.FreeHost(b)
	}
	for _, e := range t.events() {
		if *e != 0 {
			_ = ctx.CloseEvent(*e)
		}
	}
	t.dropGraph(&t.training)
	t.dropGraph(&t.held)
	for _, m := range t.modules {
		_ = ctx.Unload(m)
	}
	for _, s := range []driver.Stream{t.copies, t.stream} {
		if s != 0 {
			_ = ctx.CloseStream(s)
		}
	}
}

// Params returns a copy of the current parameters, running statistics included.
func (t *Trainer) Params() (*nn.Params, error) { return t.read(t.buffers.numbers) }

// Averaged returns a copy of the exponential moving average of the parameters, or of the current
// parameters if there is no average.
func (t *Trainer) Averaged() (*nn.Params, error) {
	if t.buffers.average == 0 {
		return t.Params()
	}
	return t.read(t.buffers.average)
}

func (t *Trainer) read(from driver.Ptr) (*nn.Params, error) {
	if err := t.settle(); err != nil {
		return nil, err
	}
	if err := t.download(from, t.plan.layout.total); err != nil {
		return nil, t.stop(fmt.Errorf("read the parameters from the device: %w", err))
	}
	return t.plan.layout.unpack(driver.View[float32](t.numbers)), nil
}
