package training

import (
	"errors"
	"fmt"
	"math"

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
// The host computes the schedule, the sums of a batch's losses, and the decision whether to take
// a step; everything else runs on the device. The parameters are fp32 there and are copied only
// on request. Steps are reproducible to the bit.
//
// If the device is lost, or fails while it changes parameters, all later calls that use it return
// that error. After any other error of Step the trainer is unchanged.
type Trainer struct {
	device   *cuda.Device
	plan     *Plan
	session  cuda.Session
	closed   bool
	stream   driver.Stream
	modules  map[string]driver.Module
	buffers  buffers
	programs programs
	training graph // of programs.training
	held     graph // of programs.held

	input, output []byte // pinned: a step's batch and results
	numbers       []byte // pinned, for layout's array
	packed        bool   // the packed weights are up to date
	steps         int
	done          float64
	scale         float64 // of the learning rate
	err           error
}

var _ train.Trainer = (*Trainer)(nil)

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
	if t.stream, err = t.session.NewStream(); err != nil {
		return err
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
	for _, a := range []struct {
		at    *[]byte
		bytes int
	}{
		{&t.input, 4 * t.plan.inputs().total}, {&t.output, t.plan.results().total},
		{&t.numbers, 4 * t.plan.layout.total},
	} {
		if *a.at, err = t.session.AllocHost(a.bytes); err != nil {
			return err
		}
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
	t.plan.layout.pack(driver.View[float32](t.numbers), p)
	if err := t.upload(t.buffers.numbers, t.plan.layout.total); err != nil {
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

// Steps returns the number of steps taken.
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
	if t.stream != 0 {
		_ = ctx.Synchronize(t.stream)
	}
	for _, a := range t.plan.allocations(&t.buffers) {
		_ = ctx.Free(*a.at)
	}
	for _, b := range [][]byte{t.input, t.output, t.numbers} {
		_ = ctx.FreeHost(b)
	}
	t.dropGraph(&t.training)
	t.dropGraph(&t.held)
	for _, m := range t.modules {
		_ = ctx.Unload(m)
	}
	if t.stream != 0 {
		_ = ctx.CloseStream(t.stream)
	}
}

// Step trains on a batch of exactly Config.Batch rows. If the batch does not fit the network, or
// the loss or the gradient is not finite (a *train.NotFiniteError), it returns an error and
// changes nothing.
func (t *Trainer) Step(b *train.Batch) (nn.Losses, error) {
	if t.err != nil {
		return nn.Losses{}, t.err
	}
	rows, err := b.Rows(t.plan.spec)
	if err != nil {
		return nn.Losses{}, err
	}
	config := &t.plan.config
	if rows != config.Batch {
		return nn.Losses{}, fmt.Errorf("batch: %d rows, want the %d of a step", rows, config.Batch)
	}
	t.load(b, 0, rows, b.PolicyMass())
	if err := t.run(&t.training, t.programs.training); err != nil {
		return nn.Losses{}, t.failed(fmt.Sprintf("training step %d", t.steps+1), err)
	}
	var m measure
	m.add(t, rows, b, 0)
	losses := m.losses(config, t.squares(1))
	losses.GradientNorm = math.Sqrt(t.squares(0))
	losses.LearningRate = config.LearningRate * config.Schedule.At(t.done, t.steps) * t.scale
	if what := t.notFinite(&losses); what != "" {
		return losses, &train.NotFiniteError{Step: t.steps + 1, What: what}
	}
	if err := t.update(&losses); err != nil {
		return losses, t.stop(fmt.Errorf("training step %d: %w", t.steps+1, err))
	}
	return losses, nil
}

// update enqueues the change of parameters. It does not wait: a failure is returned by a later
// call.
func (t *Trainer) update(l *nn.Losses) error {
	config := &t.plan.config
	scale := float32(1)
	if config.GradClipNorm > 0 && l.GradientNorm > config.GradClipNorm {
		scale = float32(config.GradClipNorm / l.GradientNorm)
	}
	keep := float32(1 - l.LearningRate*config.WeightDecay)
	solver := t.programs.solver[0].args
	if config.Optimizer == train.OptimizerSGD {
		solver.SetFloat32(sgdRate, float32(l.LearningRate))
		solver.SetFloat32(sgdScale, scale)
		solver.SetFloat32(sgdKeep, keep)
	} else {
		step := float64(t.steps + 1)
		solver.SetFloat32(adamRate, float32(l.LearningRate/(1-math.Pow(train.AdamBeta1, step))))
		solver.SetFloat32(adamCorrection, float32(1/(1-math.Pow(train.AdamBeta2, step))))
		solver.SetFloat32(adamScale, scale)
		solver.SetFloat32(adamKeep, keep)
	}
	if config.EMADecay > 0 {
		// As in train.GraphTrainer: at most (1 + n)/(10 + n) after n steps.
		n := float64(t.steps)
		t.programs.average[0].args.SetFloat32(averageRate,
			float32(1-min(config.EMADecay, (1+n)/(10+n))))
	}
	for _, p := range []program{t.programs.solver, t.programs.running, t.programs.average} {
		if err := p.run(t.session, t.stream); err != nil {
			return err
		}
	}
	t.packed = false
	t.steps++
	return nil
}

// Losses measures a batch of any number of rows in evaluation mode (BatchNorm with running
// statistics). It changes nothing.
func (t *Trainer) Losses(b *train.Batch) (nn.Losses, error) {
	if t.err != nil {
		return nn.Losses{}, t.err
	}
	rows, err := b.Rows(t.plan.spec)
	if err != nil {
		return nn.Losses{}, err
	}
	if rows == 0 {
		return nn.Losses{}, fmt.Errorf("batch: no rows to measure")
	}
	var m measure
	for from := 0; from < rows; from += t.plan.config.Batch {
		n := min(t.plan.config.Batch, rows-from)
		t.load(b, from, n, 0)
		if err := t.run(&t.held, t.programs.held); err != nil {
			return nn.Losses{}, t.failed("measure held-out losses", err)
		}
		m.add(t, n, b, from)
	}
	return m.losses(&t.plan.config, t.squares(1)), nil
}

// load copies n rows of a batch, starting at from, to pinned memory and clears the rest. mass,
// the sum of policy weights, makes the policy's loss a mean; it is 0 if the policy is not
// trained.
func (t *Trainer) load(b *train.Batch, from, n int, mass float64) {
	s, in, x := &t.plan.spec, t.plan.inputs(), driver.View[float32](t.input)
	place := func(to []float32, source []float32, length int) {
		k := copy(to, source[from*length:(from+n)*length])
		clear(to[k:])
	}
	place(x[:in.value], b.Observations, s.Planes*s.Cells())
	place(x[in.value:in.policy], b.Value, s.Players*s.Outputs())
	if s.Policy == nn.PolicyNone {
		return
	}
	place(x[in.policy:in.factors], b.Policy, s.Actions)
	factors := x[in.factors:in.total]
	clear(factors)
	if mass > 0 {
		for r, w := range b.PolicyWeight[from : from+n] {
			factors[r] = float32(t.plan.config.PolicyWeight * float64(w) / mass)
		}
	}
}

// run copies the loaded rows to the device, runs a program, and waits for the results.
func (t *Trainer) run(g *graph, p program) error {
	if !t.packed {
		if err := t.programs.pack.run(t.session, t.stream); err != nil {
			return err
		}
		t.packed = true
	}
	err := t.enqueue(g, p, func() error {
		if err := t.session.CopyIn(t.buffers.input, t.input, t.stream); err != nil {
			return err
		}
		if err := t.session.Fill(t.buffers.output, 0, len(t.output), t.stream); err != nil {
			return err
		}
		if err := p.run(t.session, t.stream); err != nil {
			return err
		}
		return t.session.CopyOut(t.output, t.buffers.output, t.stream)
	})
	if err != nil {
		return err
	}
	return t.session.Synchronize(t.stream)
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
	if t.err != nil {
		return nil, t.err
	}
	if err := t.download(from, t.plan.layout.total); err != nil {
		return nil, t.stop(fmt.Errorf("read the parameters from the device: %w", err))
	}
	return t.plan.layout.unpack(driver.View[float32](t.numbers)), nil
}
