package training

import (
	"bytes"
	"errors"
	"fmt"

	"tengen/nn/cuda/driver"
)

// DeviceError is an error of one of several devices that share a step.
type DeviceError struct {
	Index int // of the device in NewTrainer's list
	Err   error
}

func (e *DeviceError) Error() string { return e.Err.Error() }
func (e *DeviceError) Unwrap() error { return e.Err }

// all calls f with each part, until there is an error.
func (t *Trainer) all(f func(*part) error) error {
	for _, x := range t.parts {
		if err := f(x); err != nil {
			return t.of(x, err)
		}
	}
	return nil
}

// of tells which part an error is of.
func (t *Trainer) of(x *part, err error) error {
	if len(t.parts) == 1 {
		return err
	}
	return &DeviceError{x.plan.index, err}
}

// connect finds out whether the devices can read one another's memory, and prepares the way through
// the host's where they can't. It tries the copies of a step.
func (t *Trainer) connect() error {
	if len(t.parts) == 1 {
		return nil
	}
	err := t.reach()
	if err == nil {
		t.direct = true
		err = t.tryCopies()
	}
	switch {
	case err == nil:
	case driver.Lost(err):
		return err
	default:
		t.direct = false
		t.device.Options().Log.Info("training: devices add gradients by way of the host's memory",
			"why", err)
		if err := t.all(func(x *part) (err error) {
			if x.gradients, err = x.session.AllocHost(4 * x.plan.exchanged()); err != nil {
				return err
			}
			x.sum, err = x.session.AllocHost(4 * x.plan.exchanged())
			return err
		}); err != nil {
			return err
		}
	}
	return t.all(func(x *part) error {
		return x.session.Fill(x.buffers.gradients, 0, 4*x.plan.exchanged(), x.stream)
	})
}

// reach gives each device access to the memory of the others.
func (t *Trainer) reach() error {
	missing := errors.New("the driver lets no device read another's memory")
	return t.all(func(x *part) error {
		for _, y := range t.parts {
			if x.device == y.device {
				continue
			}
			a, ok := x.session.Context.(driver.Neighbour)
			b, also := y.session.Context.(driver.Neighbour)
			if !ok || !also {
				return missing
			}
			if err := a.Reach(b.Handle()); err != nil {
				return err
			}
		}
		return nil
	})
}

// tryCopies compares what devices read of one another's memory with what was written: there are
// machines whose bus returns something else.
func (t *Trainer) tryCopies() error {
	if err := t.all(func(x *part) error {
		if err := x.session.Fill(x.buffers.gradients, byte(1+x.plan.index),
			4*x.plan.exchanged(), x.stream); err != nil {
			return err
		}
		return x.session.Synchronize(x.stream)
	}); err != nil {
		return err
	}
	return t.all(func(x *part) error {
		_, n := x.plan.shard(x.plan.index)
		if n == 0 {
			return nil
		}
		if err := t.takeShards(x); err != nil {
			return err
		}
		read := make([]byte, 4*n*len(t.parts))
		if err := x.session.CopyOut(read, x.buffers.shards, x.stream); err != nil {
			return err
		}
		if err := x.session.Synchronize(x.stream); err != nil {
			return err
		}
		for i := range t.parts {
			part := read[4*n*i : 4*n*(i+1)]
			if bytes.Count(part, []byte{byte(1 + i)}) != len(part) {
				return fmt.Errorf("device %d reads something else than device %d wrote",
					x.plan.index, i)
			}
		}
		return nil
	})
}

// take enqueues a copy of n floats of another part, whose address is given, and its place in pinned
// memory.
func (t *Trainer) take(x, of *part, to, from driver.Ptr, pinned []byte, at, n int) error {
	if t.direct || x.device == of.device {
		return x.session.Copy(to, floats(from, at), 4*n, x.stream)
	}
	return x.session.CopyIn(to, pinned[4*at:4*(at+n)], x.stream)
}

// takeShards enqueues the copies of the part's shard of all gradients.
func (t *Trainer) takeShards(x *part) error {
	from, n := x.plan.shard(x.plan.index)
	for i, y := range t.parts {
		if err := t.take(x, y, floats(x.buffers.shards, i*n), y.buffers.gradients, y.gradients,
			from, n); err != nil {
			return err
		}
	}
	return nil
}

// await makes the part's later work wait for an event of each other part.
func (t *Trainer) await(x *part, event func(*part) driver.Event) error {
	for _, y := range t.parts {
		if y == x {
			continue
		}
		if err := x.session.WaitEvent(x.stream, event(y)); err != nil {
			return err
		}
	}
	return nil
}

// share enqueues what several devices do in a step, when each has its rows: each computes its
// gradients, adds its shard of those of all devices, in their order, and takes the other shards'
// sums. Then all decide and update alike. changes is set when a parameter may change.
//
// What a device overwrites in the next step, others have read: a device's gradients are read before
// the reader's sum is complete, for which all wait; its sum is overwritten only when all have
// computed the next gradients, after they have read it.
func (t *Trainer) share(slot int, changes *bool) error {
	ready := func(y *part) driver.Event { return y.ready[slot] }
	summed := func(y *part) driver.Event { return y.summed[slot] }
	if err := t.all(func(x *part) error {
		if err := x.enqueue(&x.training, x.programs.training, func() error {
			if err := x.clear(); err != nil {
				return err
			}
			return x.programs.training.run(x.session, x.stream)
		}); err != nil {
			return err
		}
		if !t.direct {
			if err := x.session.CopyOut(x.gradients, x.buffers.gradients, x.stream); err != nil {
				return err
			}
		}
		return x.session.Record(x.ready[slot], x.stream)
	}); err != nil {
		return err
	}
	if err := t.all(func(x *part) error {
		err := t.await(x, ready)
		if err == nil {
			err = t.takeShards(x)
		}
		if err == nil {
			err = x.programs.join.run(x.session, x.stream)
		}
		if from, n := x.plan.shard(x.plan.index); err == nil && !t.direct {
			err = x.session.CopyOut(x.sum[4*from:4*(from+n)], floats(x.buffers.joined, from),
				x.stream)
		}
		if err == nil {
			err = x.session.Record(x.summed[slot], x.stream)
		}
		return err
	}); err != nil {
		return err
	}
	*changes = true
	return t.all(func(x *part) error {
		if err := t.await(x, summed); err != nil {
			return err
		}
		for _, y := range t.parts {
			from, n := y.plan.shard(y.plan.index)
			if y == x {
				continue
			}
			if err := t.take(x, y, floats(x.buffers.joined, from), y.buffers.joined, y.sum, from,
				n); err != nil {
				return err
			}
		}
		return x.enqueue(&x.update, x.programs.update, func() error {
			return x.programs.update.run(x.session, x.stream)
		})
	})
}

// awaitStep waits until a step has ended on all devices. It waits for nothing that depends on a
// device which it has not heard of, since a lost device's events may never be reached.
func (t *Trainer) awaitStep(slot int) error {
	if len(t.parts) > 1 {
		for _, event := range []func(*part) driver.Event{
			func(x *part) driver.Event { return x.ready[slot] },
			func(x *part) driver.Event { return x.summed[slot] },
		} {
			if err := t.all(func(x *part) error {
				return x.session.SynchronizeEvent(event(x))
			}); err != nil {
				return err
			}
		}
	}
	return t.all(func(x *part) error { return x.session.SynchronizeEvent(x.ended[slot]) })
}

// agree returns an error if devices have decided differently on a step, or on different numbers:
// one of them computes wrongly, or has not read what another wrote.
func (t *Trainer) agree(slot int) error {
	first := t.outputs[slot]
	for _, x := range t.parts[1:] {
		r := x.outputs[slot]
		if r.refused() != first.refused() ||
			!r.refused() && !bytes.Equal(r[:16], first[:16]) {
			return fmt.Errorf("devices 0 and %d of those that train have different sums of gradients or parameters: one of them computes wrongly",
				x.plan.index)
		}
	}
	return nil
}
