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

// Trainer trains one network on a device, or on several that share each step. It implements
// train.Trainer; its states are interchangeable with those of train.GraphTrainer, which trains on
// the processor. It is used by one goroutine.
//
// The host computes the schedule; everything else runs on the device, so that it can begin a step
// while the one before is under way (Start). The parameters are fp32 there and are copied only on
// request. Steps are reproducible to the bit.
//
// Of n devices each has the same parameters and one of n equal parts of a batch's rows, in order,
// which BatchNorm normalises by itself. Each device adds up a part of all devices' gradients, in
// their order, and with them the average of the statistics; then all update alike. The loss is that
// of the whole batch, so n changes results by BatchNorm, and otherwise in the last bits.
//
// If the device is lost, or fails while it changes parameters or, as one of several, while
// gradients are added, all later calls that use it return that error. After any other error of a
// step the trainer is unchanged by it.
type Trainer struct {
	*part  // the first; alone, it measures and is read
	parts  []*part
	config train.Config
	direct bool // the devices read one another's memory
	closed bool

	inputs   []*input
	keep     bool
	numbers  []byte    // pinned, for layout's array
	images   [][]byte  // pinned, of NewImage
	begun    []begun   // steps under way, in order
	outcomes []outcome // of steps that have ended, for Wait

	steps int // that have begun and were not refused
	done  float64
	scale float64 // of the learning rate
	err   error
}

var _ train.Async = (*Trainer)(nil)

// NewTrainer returns a trainer that starts from a copy of p, on one device or several, which may be
// the same. It compiles kernels, which takes seconds for a new shape of network, and tries them on
// a context of their own. Without a compiler it uses kernels that serve every shape, which were
// compiled ahead. If memory is too small, or the batch can't be divided by the number of devices,
// the error says which batch fits. Errors of one of several devices are a *DeviceError. The
// kernels of the first device are made alone, and then those of the others at the same time.
func NewTrainer(
	devices []*cuda.Device, p *nn.Params, config train.Config, precision kernels.Precision,
) (*Trainer, error) {
	n := len(devices)
	if err := config.Divided(n); err != nil {
		return nil, err
	}
	part := config
	part.Batch /= n
	var plans []*Plan
	for i, d := range devices {
		info := d.Info()
		plan, err := NewPlan(p.Spec, part, precision, &info)
		if err != nil {
			return nil, err
		}
		plan.devices, plan.index = n, i
		plans = append(plans, plan)
	}
	return newTrainer(devices, plans, p, (*Plan).begin)
}

// newTrainer returns a trainer of parts that begin makes for plans.
func newTrainer(
	devices []*cuda.Device, plans []*Plan, p *nn.Params,
	begin func(*Plan, *cuda.Device) (*part, error),
) (*Trainer, error) {
	t := &Trainer{scale: 1, config: plans[0].config}
	t.config.Batch *= len(plans)
	parts, errs := make([]*part, len(plans)), make([]error, len(plans))
	cuda.AtOnce(len(plans), func(i int) bool {
		if i > 0 && errs[0] != nil {
			return false
		}
		parts[i], errs[i] = begin(plans[i], devices[i])
		return errs[i] == nil
	})
	for _, x := range parts {
		if x != nil {
			t.parts = append(t.parts, x)
			t.part = t.parts[0]
		}
	}
	for i, err := range errs {
		if err == nil {
			continue
		}
		if len(plans) > 1 {
			err = &DeviceError{i, err}
		}
		t.Close()
		return nil, err
	}
	if err := t.prepare(p); err != nil {
		t.Close()
		info := t.device.Info()
		return nil, fmt.Errorf("training on %s: %w", info.Name, err)
	}
	return t, nil
}

// begin makes a device's part of a trainer, after its kernels were tried; where there is no
// compiler, with general kernels.
func (plan *Plan) begin(d *cuda.Device) (*part, error) {
	x, err := plan.tried(d)
	if errors.As(err, new(*driver.LibraryError)) && !plan.general {
		info := d.Info()
		d.Options().Log.Info("training: kernels for networks of every shape are used", "device",
			info.Name, "why", err)
		plan.generalise(&info)
		x, err = plan.tried(d)
	}
	return x, err
}

// tried makes a device's part after its kernels were tried.
func (plan *Plan) tried(d *cuda.Device) (*part, error) {
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
	s := newStages(d)
	x, err := plan.make(d)
	if err == nil {
		s.done("memory", "gib", math.Round(100*float64(plan.Bytes())/(1<<30))/100)
	}
	return x, err
}

// prepare connects the devices and copies the initial parameters to them.
func (t *Trainer) prepare(p *nn.Params) error {
	var err error
	for range ahead {
		if _, err := t.newInput(); err != nil {
			return err
		}
	}
	if t.numbers, err = t.session.AllocHost(4 * t.plan.layout.total); err != nil {
		return err
	}
	if err := t.connect(); err != nil {
		return err
	}
	t.plan.layout.pack(driver.View[float32](t.numbers), p)
	return t.all(func(x *part) error {
		if err := t.upload(x, x.buffers.numbers, x.plan.layout.total); err != nil {
			return err
		}
		if err := x.programs.pack.run(x.session, x.stream); err != nil {
			return err
		}
		if x.buffers.average != 0 {
			return t.upload(x, x.buffers.average, x.plan.layout.total)
		}
		return nil
	})
}

// upload copies the first floats of the pinned numbers to a device, download copies those of the
// first device back; both wait.
func (t *Trainer) upload(x *part, to driver.Ptr, floats int) error {
	if err := x.session.CopyIn(to, t.numbers[:4*floats], x.stream); err != nil {
		return err
	}
	return x.session.Synchronize(x.stream)
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

// Retire frees all memory of the devices. Batches of NewBatch and images stay until Close, which is
// the only call left.
func (t *Trainer) Retire() {
	for _, x := range t.parts {
		x.close()
	}
	if t.err == nil {
		t.err = errors.New("the trainer was closed")
	}
}

// Close frees the trainer's resources. Later calls that use the device return an error.
func (t *Trainer) Close() {
	if t.closed {
		return
	}
	t.closed = true
	t.Retire()
	if t.part == nil {
		return
	}
	t.session.Release(func(ctx driver.Context) {
		for _, in := range t.inputs {
			_ = ctx.FreeHost(in.memory)
		}
		for _, b := range append(t.images, t.numbers) {
			_ = ctx.FreeHost(b)
		}
	})
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
