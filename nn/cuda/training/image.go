package training

import (
	"fmt"

	"tengen/nn/cuda/driver"
)

// Image is a copy of all that steps change, in the arrangement of a trainer's memory: of use to
// trainers of the same network and configuration.
type Image struct {
	Steps int
	Bytes []byte
}

// NewImage returns an image without content, in pinned memory if there is some. It must not be used
// after Close.
func (t *Trainer) NewImage() *Image {
	n := t.plan.changing()
	if t.err == nil {
		if b, err := t.session.AllocHost(n); err == nil {
			t.images = append(t.images, b)
			return &Image{Bytes: b}
		}
	}
	return &Image{Bytes: make([]byte, n)}
}

// changed returns the arrays that steps change.
func (p *Plan) changed(b *buffers) []allocation {
	l := p.layout
	list := []allocation{
		{at: &b.numbers, bytes: 4 * l.total},
		{at: &b.moments, bytes: 4 * l.learned * p.moments()},
	}
	if p.config.EMADecay > 0 {
		list = append(list, allocation{at: &b.average, bytes: 4 * l.total})
	}
	return list
}

// changing returns the size of all that steps change, in bytes.
func (p *Plan) changing() int {
	n := 0
	for _, a := range p.changed(&buffers{}) {
		n += a.bytes
	}
	return n
}

// each calls f with each array that steps change and its part of an image.
func (x *part) each(m *Image, f func(at driver.Ptr, part []byte) error) error {
	rest := m.Bytes
	for _, a := range x.plan.changed(&x.buffers) {
		if err := f(*a.at, rest[:a.bytes]); err != nil {
			return err
		}
		rest = rest[a.bytes:]
	}
	return nil
}

// Save copies what steps change, as it is after those that have begun. Unless wait is set, the copy
// has ended when a step that begins later has.
func (t *Trainer) Save(to *Image, wait bool) error {
	if t.err != nil {
		return t.err
	}
	if err := t.complete(); err != nil {
		return err
	}
	to.Steps = t.steps
	err := t.each(to, func(at driver.Ptr, part []byte) error {
		return t.session.CopyOut(part, at, t.stream)
	})
	if err == nil && wait {
		err = t.session.Synchronize(t.stream)
	}
	if err != nil {
		return t.failed("copy the trainer's state from the device", err)
	}
	return nil
}

// Restore makes the state that of an image.
func (t *Trainer) Restore(from *Image) error {
	if err := t.settle(); err != nil {
		return err
	}
	t.steps = from.Steps
	err := t.all(func(x *part) error {
		err := x.each(from, func(at driver.Ptr, part []byte) error {
			return x.session.CopyIn(at, part, x.stream)
		})
		if err == nil {
			err = x.programs.pack.run(x.session, x.stream)
		}
		if err == nil {
			err = x.session.Synchronize(x.stream)
		}
		return err
	})
	if err != nil {
		return t.stop(fmt.Errorf("copy the trainer's state to the device: %w", err))
	}
	return nil
}
