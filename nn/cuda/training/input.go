package training

import (
	"unsafe"

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
	at := t.plan.inputsOf(t.config.Batch)
	memory, err := t.session.AllocHost(4 * at.size)
	if err != nil {
		return nil, err
	}
	clear(memory)
	in := &input{memory: memory, given: driver.View[float64](memory[4*at.given:])}
	row, rows := train.NewBatch(t.plan.spec, 1), t.config.Batch
	for i, x := range row.Numbers() {
		*in.batch.Numbers()[i] = array[float32](memory[4**at.numbers()[i]:], rows*len(*x))
	}
	for i, x := range row.Classes() {
		*in.batch.Classes()[i] = array[int8](memory[4**at.classes()[i]:], rows*len(*x))
	}
	t.inputs = append(t.inputs, in)
	return in, nil
}

// array returns the first n numbers of memory, nil for none.
func array[T float32 | int8](memory []byte, n int) []T {
	size := n * int(unsafe.Sizeof(*new(T)))
	return driver.View[T](memory[:size:size])
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
	for _, in := range t.inputs {
		if !in.step && in.is(b) {
			return in, nil
		}
	}
	in, err := t.freeInput()
	if err == nil {
		in.copy(b, t.config.Batch, 0, t.config.Batch)
	}
	return in, err
}

// is reports whether the arrays of a batch are those of the input.
func (in *input) is(b *train.Batch) bool {
	own := in.batch.Classes()
	for i, x := range b.Classes() {
		if !oneSlice(*x, *own[i]) {
			return false
		}
	}
	numbers := in.batch.Numbers()
	for i, x := range b.Numbers() {
		if !oneSlice(*x, *numbers[i]) {
			return false
		}
	}
	return true
}

func oneSlice[T float32 | int8](x, y []T) bool {
	return len(x) == len(y) && unsafe.SliceData(x) == unsafe.SliceData(y)
}

// copy copies n rows of a batch, starting at from, to the first of rows; the rest has zeros and no
// classes.
func (in *input) copy(b *train.Batch, rows, from, n int) {
	numbers := in.batch.Numbers()
	for i, x := range b.Numbers() {
		length := len(*numbers[i]) / rows
		k := copy(*numbers[i], (*x)[from*length:(from+n)*length])
		clear((*numbers[i])[k:])
	}
	classes := in.batch.Classes()
	for i, x := range b.Classes() {
		length := len(*classes[i]) / rows
		k := copy(*classes[i], (*x)[from*length:(from+n)*length])
		for ; k < len(*classes[i]); k++ {
			(*classes[i])[k] = train.NoClass
		}
	}
}
