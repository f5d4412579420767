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

// compute enqueues the part of a step for which a device needs no other: its gradients.
func (t *Trainer) compute() error {
	return t.all(func(x *part) error {
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
		return x.session.Record(x.ready, x.stream)
	})
}

// add enqueues the rest of a step on several devices, when all have computed their gradients: each
// adds its shard of those of all, in their order, and, when all have, takes the other shards' sums.
// Then all decide and update alike.
//
// The host waits for the devices, and none waits for another: nobody says whether a wait for one
// that is lost meanwhile ever ends, and whatever frees memory of the waiting device would wait with
// it. So all that a device has to do ends, also when others are lost.
//
// What a device overwrites in the next step, others have read: its gradients when all have added
// their shards; its sum when all have computed the next gradients, after they have taken it.
func (t *Trainer) add() error {
	if err := t.all(func(x *part) error { return x.hear(x.ready) }); err != nil {
		return err
	}
	if err := t.all(func(x *part) error {
		err := t.takeShards(x)
		if err == nil {
			err = x.programs.join.run(x.session, x.stream)
		}
		if from, n := x.plan.shard(x.plan.index); err == nil && !t.direct {
			err = x.session.CopyOut(x.sum[4*from:4*(from+n)], floats(x.buffers.joined, from),
				x.stream)
		}
		if err == nil {
			err = x.session.Record(x.summed, x.stream)
		}
		return err
	}); err != nil {
		return err
	}
	if err := t.all(func(x *part) error { return x.hear(x.summed) }); err != nil {
		return err
	}
	return t.all(func(x *part) error {
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

// complete enqueues the rest of the last step that has begun, if it is open.
func (t *Trainer) complete() error {
	n := len(t.begun)
	if n == 0 || !t.begun[n-1].open {
		return nil
	}
	last := &t.begun[n-1]
	last.open = false
	err := t.add()
	if err == nil {
		err = t.fetchAll((last.step - 1) % ahead)
	}
	if err != nil {
		return t.stop(fmt.Errorf("training step %d: %w", last.step, err))
	}
	return nil
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
