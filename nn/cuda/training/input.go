package training

import (
	"unsafe"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/train"
)

// input is a batch in pinned memory, as it is on one device: see Plan.inputs.
type input struct {
	memory []byte
	batch  train.Batch // parts of the memory
	given  []float64
	used   bool // by the caller or by a step
	step   bool // by a step
	kept   bool // see Keep
}

// release ends the use by a step.
func (in *input) release() { in.step, in.used = false, in.kept }

// Keep leaves the batches that NewBatch returns from now on to the caller when their steps have
// ended: it may use them again until Close, also if the device is lost.
func (t *Trainer) Keep() { t.keep = true }

// newInput allocates an input that is free.
func (t *Trainer) newInput() (*input, error) {
	s, at := &t.plan.spec, t.plan.inputsOf(t.config.Batch)
	memory, err := t.session.AllocHost(4 * at.total)
	if err != nil {
		return nil, err
	}
	x := driver.View[float32](memory)
	clear(x)
	part := func(from, to int) []float32 { return x[from:to:to] }
	in := &input{memory: memory, given: driver.View[float64](memory[4*at.given:])}
	in.batch.Observations = part(0, at.value)
	in.batch.Value = part(at.value, at.policy)
	if s.Policy != nn.PolicyNone {
		in.batch.Policy = part(at.policy, at.weights)
		in.batch.PolicyWeight = part(at.weights, at.weights+t.config.Batch)
	}
	t.inputs = append(t.inputs, in)
	return in, nil
}

// freeInput returns an input that is not used.
func (t *Trainer) freeInput() (*input, error) {
	for _, in := range t.inputs {
		if !in.used {
			return in, nil
		}
	}
	return t.newInput()
}

// NewBatch implements train.Async: the batch is in pinned memory if there is some.
func (t *Trainer) NewBatch() *train.Batch {
	if t.err == nil {
		if in, err := t.freeInput(); err == nil {
			in.used, in.kept = true, t.keep
			return &in.batch
		}
	}
	return train.NewBatch(t.plan.spec, t.config.Batch)
}

// inputOf returns the input that a batch is, or a copy of the batch.
func (t *Trainer) inputOf(b *train.Batch) (*input, error) {
	same := func(x, y []float32) bool {
		return len(x) == len(y) && unsafe.SliceData(x) == unsafe.SliceData(y)
	}
	for _, in := range t.inputs {
		if o := &in.batch; !in.step && same(o.Observations, b.Observations) &&
			same(o.Value, b.Value) && same(o.Policy, b.Policy) &&
			same(o.PolicyWeight, b.PolicyWeight) {
			return in, nil
		}
	}
	in, err := t.freeInput()
	if err == nil {
		in.copy(b, &t.plan.spec, 0, t.config.Batch)
	}
	return in, err
}

// copy copies n rows of a batch, starting at from, and clears the rest.
func (in *input) copy(b *train.Batch, s *nn.Spec, from, n int) {
	place := func(to, source []float32, length int) {
		k := copy(to, source[from*length:(from+n)*length])
		clear(to[k:])
	}
	place(in.batch.Observations, b.Observations, s.Planes*s.Cells())
	place(in.batch.Value, b.Value, s.Players*s.Outputs())
	if s.Policy != nn.PolicyNone {
		place(in.batch.Policy, b.Policy, s.Actions)
		place(in.batch.PolicyWeight, b.PolicyWeight, 1)
	}
}
