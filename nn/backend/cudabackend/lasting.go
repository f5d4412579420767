package cudabackend

import (
	"errors"
	"fmt"
	"slices"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/training"
	"tengen/nn/train"
)

// A snapshot of a lasting trainer is taken after this many steps, or when the batches since the
// last one have snapshotBytes. Tests change it.
var snapshotSteps = 256

const snapshotBytes = 256 << 20

// lasting trains on one of several devices. If that is lost, it takes the steps since the last
// snapshot again on another, with the same results to the bit, and goes on there. It is used by one
// goroutine.
type lasting struct {
	devices *devices
	config  train.Config
	at      *opening
	trainer *training.Trainer

	params *nn.Params // snapshot
	state  train.State
	since  []step // taken since the snapshot; those behind len keep their memory for later ones
	bytes  int    // of the batches since the snapshot
	done   float64
	scale  float64
}

// step is a step that was taken.
type step struct {
	batch       train.Batch
	done, scale float64
}

var _ train.Trainer = (*lasting)(nil)

func newLasting(d *devices, p *nn.Params, c train.Config) (*lasting, error) {
	t := &lasting{devices: d, config: c, params: p.Clone(), scale: 1}
	if err := t.open(errAllLost); err != nil {
		return nil, err
	}
	if err := t.snapshot(); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// open makes a trainer on a device that is not lost, from the last snapshot and the steps since.
// The error is why if no device is left.
func (t *lasting) open(why error) error {
	d := t.devices
	for {
		o := d.usable(0)
		if o == nil {
			return why
		}
		x, err := d.trainer(o.device, t.params, t.config)
		if err == nil {
			if err = t.repeat(x); err == nil {
				t.at, t.trainer = o, x
				return nil
			}
			x.Close()
		}
		if driver.Lost(err) {
			d.lose(o, err)
			why = err
		}
		d.release(o)
		if !driver.Lost(err) {
			return err
		}
	}
}

// repeat brings a new trainer to the present state.
func (t *lasting) repeat(x *training.Trainer) error {
	if t.state.Tensors != nil {
		if err := x.SetState(t.state); err != nil {
			return err
		}
	}
	for i := range t.since {
		s := &t.since[i]
		x.SetProgress(s.done)
		x.SetScale(s.scale)
		if _, err := x.Step(&s.batch); err != nil {
			return fmt.Errorf("repeat step %d: %w", x.Steps()+1, err)
		}
	}
	x.SetProgress(t.done)
	x.SetScale(t.scale)
	return nil
}

// do calls f, and again on another device if the device is lost.
func (t *lasting) do(f func(*training.Trainer) error) error {
	for {
		err := f(t.trainer)
		if !driver.Lost(err) || t.at == nil {
			return err
		}
		d, lost := t.devices, t.at
		d.lose(lost, err)
		t.trainer.Close()
		d.release(lost)
		t.at = nil
		if e := t.open(err); e != nil {
			if e != err {
				e = errors.Join(err, e)
			}
			return e
		}
		d.log.Warn("training goes on with another device", "name", d.nameOf(t.at.index), "step",
			t.trainer.Steps(), "repeated", len(t.since))
	}
}

// snapshot copies the trainer's state to the host.
func (t *lasting) snapshot() error {
	return t.do(func(x *training.Trainer) error {
		p, err := x.Params()
		if err != nil {
			return err
		}
		s, err := x.State()
		if err != nil {
			return err
		}
		t.params, t.state, t.since, t.bytes = p, s, t.since[:0], 0
		return nil
	})
}

// Step implements train.Trainer.
func (t *lasting) Step(b *train.Batch) (l nn.Losses, err error) {
	err = t.do(func(x *training.Trainer) (e error) {
		l, e = x.Step(b)
		return e
	})
	if err != nil {
		return l, err
	}
	n := len(t.since)
	t.since = slices.Grow(t.since, 1)[:n+1]
	s := &t.since[n]
	s.done, s.scale = t.done, t.scale
	for _, c := range []struct {
		to   *[]float32
		from []float32
	}{
		{&s.batch.Observations, b.Observations}, {&s.batch.Policy, b.Policy},
		{&s.batch.PolicyWeight, b.PolicyWeight}, {&s.batch.Value, b.Value},
	} {
		*c.to = append((*c.to)[:0], c.from...)
		t.bytes += 4 * len(c.from)
	}
	if len(t.since) >= snapshotSteps || t.bytes >= snapshotBytes {
		err = t.snapshot()
	}
	return l, err
}

// Losses implements train.Trainer.
func (t *lasting) Losses(b *train.Batch) (l nn.Losses, err error) {
	err = t.do(func(x *training.Trainer) (e error) {
		l, e = x.Losses(b)
		return e
	})
	return l, err
}

// SetProgress implements train.Trainer.
func (t *lasting) SetProgress(done float64) {
	t.done = done
	t.trainer.SetProgress(done)
}

// SetScale implements train.Trainer.
func (t *lasting) SetScale(scale float64) {
	t.scale = scale
	t.trainer.SetScale(scale)
}

// Steps implements train.Trainer.
func (t *lasting) Steps() int { return t.trainer.Steps() }

// Params implements train.Trainer.
func (t *lasting) Params() (p *nn.Params, err error) {
	err = t.do(func(x *training.Trainer) (e error) {
		p, e = x.Params()
		return e
	})
	return p, err
}

// Averaged implements train.Trainer.
func (t *lasting) Averaged() (p *nn.Params, err error) {
	err = t.do(func(x *training.Trainer) (e error) {
		p, e = x.Averaged()
		return e
	})
	return p, err
}

// State implements train.Trainer.
func (t *lasting) State() (s train.State, err error) {
	err = t.do(func(x *training.Trainer) (e error) {
		s, e = x.State()
		return e
	})
	return s, err
}

// SetState implements train.Trainer.
func (t *lasting) SetState(s train.State) error {
	err := t.do(func(x *training.Trainer) error { return x.SetState(s) })
	if err == nil {
		err = t.snapshot()
	}
	return err
}

// Close implements train.Close.
func (t *lasting) Close() {
	t.trainer.Close()
	if t.at != nil {
		t.devices.release(t.at)
		t.at = nil
	}
}
