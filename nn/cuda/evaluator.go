package cuda

import (
	"fmt"
	"runtime"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
)

// Evaluator computes policies and values on a device, concurrently with its caller: it implements
// nn.Async. Each batch has pinned memory for observations and results, device memory and a
// stream, so that one batch is copied while another is computed. Start, Wait and Evaluate do not
// allocate.
type Evaluator struct {
	device  *Device
	weights *Weights
	batches map[*nn.Batch]*batch
	err     error
	closed  bool
}

var (
	_ nn.Async  = (*Evaluator)(nil)
	_ nn.Placed = (*Evaluator)(nil)
)

// Cores implements nn.Placed.
func (e *Evaluator) Cores() []int { return e.device.o.Cores }

// NewEvaluator makes an evaluator for one goroutine.
func NewEvaluator(w *Weights) *Evaluator {
	return &Evaluator{device: w.network.device, weights: w, batches: map[*nn.Batch]*batch{}}
}

// Weights returns the evaluator's weights.
func (e *Evaluator) Weights() *Weights { return e.weights }

// Err returns the first error of the evaluator, nil without one.
func (e *Evaluator) Err() error { return e.err }

// fail keeps the first error.
func (e *Evaluator) fail(doing string, err error) {
	if e.err == nil {
		e.err = fmt.Errorf("%s on %s: %w", doing, e.device.info.Name, err)
	}
}

// NewBatch returns a batch for up to capacity rows, in pinned memory. If that can't be allocated,
// the batch has ordinary memory, and Evaluate and Wait return the error.
func (e *Evaluator) NewBatch(capacity int) *nn.Batch {
	s := &e.weights.network.plan.Spec
	observations, policy := capacity*s.Planes*s.Cells(), 0
	if e.weights.network.hasPolicy() {
		policy = capacity * s.Actions
	}
	values := capacity * s.Players
	if e.err == nil && !e.closed && capacity > 0 {
		in, err := newBatch(e.weights.network, capacity, observations, policy, values)
		if err == nil {
			in.member = true
			in.network.join()
			b := &nn.Batch{Observations: driver.View[float32](in.observations)}
			results := driver.View[float32](in.results)
			if policy > 0 {
				b.Policy = results[:policy:policy]
			}
			b.Values = results[policy:]
			clear(b.Observations)
			clear(results)
			e.batches[b] = in
			runtime.AddCleanup(b, (*batch).free, in)
			return b
		}
		e.fail(fmt.Sprintf("make a batch of %d rows", capacity), err)
	}
	b := &nn.Batch{Observations: make([]float32, observations), Values: make([]float32, values)}
	if policy > 0 {
		b.Policy = make([]float32, policy)
	}
	return b
}

// Start starts the evaluation of rows 0 to N-1; Wait returns its error.
func (e *Evaluator) Start(b *nn.Batch) {
	if e.err != nil {
		return
	}
	in := e.batches[b]
	if in == nil {
		panic("cuda: a batch that this evaluator's NewBatch did not make")
	}
	if in.weights != nil {
		panic("cuda: a batch was started twice")
	}
	if b.N > in.capacity {
		panic(fmt.Sprintf("cuda: a batch of %d rows for %d", b.N, in.capacity))
	}
	in.weights = e.weights
	if b.N > 0 {
		if err := in.network.packs.Start(in, b.N); err != nil {
			e.fail("evaluate", err)
		}
		in.started = true
	}
}

// Wait waits until Policy and Values of a started batch are filled. It returns the first error of
// the evaluator. In fp16 an output that is not finite is one. Once a minute it also checks the
// device, see canary.
func (e *Evaluator) Wait(b *nn.Batch) error {
	in := e.batches[b]
	if in == nil || in.weights == nil {
		if e.err == nil {
			panic("cuda: Wait for a batch that was not started")
		}
		return e.err
	}
	if in.started {
		in.started = false
		if err := in.network.packs.Wait(in); err != nil {
			e.fail("evaluate", err)
		}
	}
	in.weights = nil
	if s := &e.weights.network.plan.Spec; e.err == nil && e.weights.Precision() == kernels.FP16 {
		if err := b.CheckFinite(s.Actions, s.Players, 0); err != nil {
			e.fail("evaluate", fmt.Errorf("%w: %w", kernels.ErrRange, err))
		}
	}
	if e.err == nil {
		if err := in.network.watch(); err != nil {
			e.fail("check", err)
		}
	}
	return e.err
}

// Evaluate calls Start and Wait.
func (e *Evaluator) Evaluate(b *nn.Batch) error {
	e.Start(b)
	return e.Wait(b)
}

// Close frees the batches' memory; neither they nor the evaluator may be used afterwards.
func (e *Evaluator) Close() {
	e.closed = true
	for b, in := range e.batches {
		in.free()
		*b = nn.Batch{}
	}
	clear(e.batches)
}
