package cudabackend

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/training"
	"tengen/nn/train"
)

// A snapshot of a lasting trainer is taken after this many steps, or when the batches since the
// last one have snapshotBytes. Tests change it.
var snapshotSteps = 256

const snapshotBytes = 256 << 20

// lasting trains on one or more of several devices. If one of them is lost, it takes the steps
// since the last snapshot again with another in its place, with the same results to the bit, and
// goes on there. Where none is left for that, one device has the parts of two, which takes longer.
// It is used by one goroutine.
//
// It keeps the batches themselves: those of NewBatch, whose memory is a trainer's. A snapshot is
// copied to the host between two steps, and takes the place of the one before when the second of
// them has ended.
type lasting struct {
	devices *devices
	config  train.Config
	params  *nn.Params // at first
	trainer *trainer
	lost    []*trainer // after a loss, whose batches are still used

	snapshot *training.Image // nil: params, without a step
	next     *training.Image // the next snapshot while it is copied
	covered  int             // the steps since the last snapshot that next has
	spare    *training.Image
	since    []step // begun since the snapshot; the last of them are under way
	underWay int
	own      map[*train.Batch]*trainer // the batches of NewBatch, and whose memory they have
	free     []*train.Batch            // of the present trainer
	done     float64
	scale    float64
}

// trainer is a trainer on devices.
type trainer struct {
	*training.Trainer
	at      []*opening // of its parts; nil if no device is left
	batches int        // of NewBatch, that are not free
}

// step is a step that has begun.
type step struct {
	batch       *train.Batch
	done, scale float64
}

var _ train.Async = (*lasting)(nil)

func newLasting(d *devices, p *nn.Params, c train.Config) (*lasting, error) {
	t := &lasting{
		devices: d, config: c, params: p.Clone(), scale: 1, own: map[*train.Batch]*trainer{},
	}
	if err := t.open(errAllLost); err != nil {
		return nil, err
	}
	return t, nil
}

// open makes a trainer on devices that are not lost, from the last snapshot and the steps since.
// The error is why if no device is left. A device that computes wrongly where another does not is
// left like a lost one; where all do, it is not the devices.
func (t *lasting) open(why error) error {
	d, wrong := t.devices, map[*opening]error{}
	for {
		at := d.crew(wrong)
		if at == nil {
			return why
		}
		var list []*cuda.Device
		for _, o := range at {
			list = append(list, o.device)
		}
		x, err := d.trainer(list, t.params, t.config)
		if err == nil {
			x.Keep()
			if err = t.repeat(x); err == nil {
				t.trainer = &trainer{Trainer: x, at: at}
				for o, err := range wrong {
					d.lose(o, err)
				}
				return nil
			}
			x.Close()
		}
		computesWrongly := errors.As(err, new(*training.WrongError))
		switch {
		case driver.Lost(err):
			d.lose(lostOf(at, err), err)
		case computesWrongly:
			wrong[lostOf(at, err)] = err
		}
		d.dismiss(at)
		if !driver.Lost(err) && !computesWrongly {
			return err
		}
		why = err
	}
}

// lostOf returns which of a trainer's openings an error is of.
func lostOf(at []*opening, err error) *opening {
	var of *training.DeviceError
	if errors.As(err, &of) {
		return at[of.Index]
	}
	return at[0]
}

// repeat brings a new trainer to the present state.
func (t *lasting) repeat(x *training.Trainer) error {
	if t.snapshot != nil {
		if err := x.Restore(t.snapshot); err != nil {
			return err
		}
	}
	for i, s := range t.since {
		x.SetProgress(s.done)
		x.SetScale(s.scale)
		err := x.Start(s.batch)
		if err == nil && i < len(t.since)-t.underWay {
			_, err = x.Wait()
		}
		if err != nil {
			return fmt.Errorf("repeat step %d: %w", x.Steps()+1, err)
		}
	}
	x.SetProgress(t.done)
	x.SetScale(t.scale)
	return nil
}

// do calls f, and again on other devices if one is lost.
func (t *lasting) do(f func(*training.Trainer) error) error {
	for {
		err := f(t.trainer.Trainer)
		if !driver.Lost(err) || t.trainer.at == nil {
			return err
		}
		t.devices.lose(lostOf(t.trainer.at, err), err)
		if s := t.snapshot; s != nil { // the memory is the trainer's
			t.snapshot = &training.Image{Steps: s.Steps, Bytes: bytes.Clone(s.Bytes)}
		}
		t.next, t.spare = nil, nil
		was := t.trainer
		t.lost = append(t.lost, was)
		for _, b := range t.free {
			delete(t.own, b)
		}
		t.free = nil
		// There may be no memory for both on a device that is left.
		was.Retire()
		t.trainer = &trainer{Trainer: was.Trainer} // which returns the loss, if none is left
		e := t.open(err)
		t.closeUnused()
		if e != nil {
			if e != err {
				e = errors.Join(err, e)
			}
			return e
		}
		var names []string
		for _, o := range t.trainer.at {
			names = append(names, t.devices.nameOf(o.index))
		}
		t.devices.log.Warn("training goes on with another device", "name",
			strings.Join(names, " "), "step", t.Steps(), "repeated", len(t.since))
	}
}

// closeUnused closes trainers after a loss whose batches nobody uses.
func (t *lasting) closeUnused() {
	t.lost = slices.DeleteFunc(t.lost, func(x *trainer) bool {
		if x.batches == 0 {
			x.Close()
			t.devices.dismiss(x.at)
		}
		return x.batches == 0
	})
}

// save begins the next snapshot; with wait it ends it.
func (t *lasting) save(wait bool) error {
	return t.do(func(x *training.Trainer) error {
		if t.spare == nil {
			t.spare = x.NewImage()
		}
		if err := x.Save(t.spare, wait); err != nil {
			return err
		}
		t.next, t.spare, t.covered = t.spare, nil, len(t.since)
		return nil
	})
}

// saved makes the next snapshot, which has ended, the last.
func (t *lasting) saved() {
	t.snapshot, t.spare, t.next = t.next, t.snapshot, nil
	t.forget(0, t.covered)
}

// forget frees the batches of some steps, which are never repeated.
func (t *lasting) forget(from, to int) {
	for _, s := range t.since[from:to] {
		t.release(s.batch)
	}
	t.since = append(t.since[:from], t.since[to:]...)
}

// release frees a batch.
func (t *lasting) release(b *train.Batch) {
	of := t.own[b]
	of.batches--
	if of == t.trainer {
		t.free = append(t.free, b)
		return
	}
	delete(t.own, b)
	t.closeUnused()
}

// NewBatch implements train.Async.
func (t *lasting) NewBatch() *train.Batch {
	t.trainer.batches++
	if n := len(t.free); n > 0 {
		b := t.free[n-1]
		t.free = t.free[:n-1]
		return b
	}
	b := t.trainer.NewBatch()
	t.own[b] = t.trainer
	return b
}

// Step implements train.Trainer.
func (t *lasting) Step(b *train.Batch) (nn.Losses, error) {
	if err := t.Start(b); err != nil {
		return nn.Losses{}, err
	}
	return t.Wait()
}

// Start implements train.Async.
func (t *lasting) Start(b *train.Batch) error {
	given := b
	if t.own[b] == nil {
		if rows, err := b.Rows(t.params.Spec); err == nil && rows == t.config.Batch {
			b = t.NewBatch()
			b.Set(given)
		}
	}
	if err := t.do(func(x *training.Trainer) error { return x.Start(b) }); err != nil {
		if b != given {
			t.release(b)
		}
		return err
	}
	t.since = append(t.since, step{b, t.done, t.scale})
	t.underWay++
	if n := len(t.since); t.next == nil && (n >= snapshotSteps || n*b.Bytes() >= snapshotBytes) {
		_ = t.save(false) // it is tried again after the next step
	}
	return nil
}

// Wait implements train.Async.
func (t *lasting) Wait() (l nn.Losses, err error) {
	err = t.do(func(x *training.Trainer) (e error) {
		l, e = x.Wait()
		return e
	})
	ended := len(t.since) - t.underWay // before the step that was waited for
	switch {
	case err == nil:
		t.underWay--
		if t.next != nil && ended >= t.covered {
			t.saved()
		}
	case errors.As(err, new(*train.NotFiniteError)):
		t.forget(ended, len(t.since))
		t.underWay = 0
		if t.next != nil {
			t.spare, t.next = t.next, nil
		}
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
	if t.underWay > 0 {
		return errors.New("the state can't be set while steps are under way")
	}
	err := t.do(func(x *training.Trainer) error { return x.SetState(s) })
	if t.next != nil {
		t.spare, t.next = t.next, nil
	}
	if err == nil {
		err = t.save(true)
	}
	if err == nil {
		t.saved()
	}
	return err
}

// Close implements train.Close.
func (t *lasting) Close() {
	for _, x := range append(t.lost, t.trainer) {
		x.Close()
		t.devices.dismiss(x.at)
		x.at = nil
	}
	t.lost = nil
}
