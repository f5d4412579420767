package backend

import (
	"sync"
	"sync/atomic"

	"tengen/nn"
)

// Fallback loads networks on a backend, and evaluates them on the processor once a device fails
// that has evaluated them.
// It is for programs that somebody plays with, where a game that goes on is worth more than equal
// arithmetic. Measurements and training do without it: they end with the device's error. It is
// safe for concurrent use.
type Fallback struct {
	backend Backend
	report  func(error)
	lost    atomic.Bool
}

// NewFallback returns a Fallback on b. It calls report with the first error of each network that
// moves to the processor, or once for all of them if the device is lost.
func NewFallback(b Backend, report func(error)) *Fallback {
	return &Fallback{backend: b, report: report}
}

// Load loads a network as Backend.Load does; if the device is lost, on the processor. An error says
// why the device can't evaluate the network.
func (f *Fallback) Load(p *nn.Params) (nn.Network, error) {
	if f.backend.Name() == CPU {
		return f.backend.Load(p)
	}
	n := &fallbackNetwork{Weights: nn.Fold(p), fallback: f}
	if f.lost.Load() {
		return n.Weights, nil
	}
	var err error
	n.device, err = f.backend.Load(p)
	switch {
	case Lost(err):
		n.fail(err)
		return n.Weights, nil
	case err != nil:
		return nil, err
	}
	return n, nil
}

// fallbackNetwork is a network on a device, with its weights on the processor.
type fallbackNetwork struct {
	*nn.Weights
	device   nn.Network
	fallback *Fallback
	failed   atomic.Bool
	once     sync.Once
}

// fail moves the network to the processor.
func (n *fallbackNetwork) fail(err error) {
	n.failed.Store(true)
	n.once.Do(func() {
		if !Lost(err) || n.fallback.lost.CompareAndSwap(false, true) {
			n.fallback.report(err)
		}
	})
}

// onDevice reports whether the device is to be used.
func (n *fallbackNetwork) onDevice() bool { return !n.failed.Load() && !n.fallback.lost.Load() }

// NewEvaluator implements nn.Network.
func (n *fallbackNetwork) NewEvaluator() nn.Evaluator {
	if !n.onDevice() {
		return n.Weights.NewEvaluator()
	}
	e := &fallbackEvaluator{
		network: n, cpu: nn.NewEvaluator(n.Weights), device: n.device.NewEvaluator(),
		batches: map[*nn.Batch]*flight{},
	}
	e.async, _ = e.device.(nn.Async)
	return e
}

// fallbackEvaluator evaluates on the device as long as that works. Its batches are of ordinary
// memory and copied to and from the device's own, which may go with the device.
type fallbackEvaluator struct {
	network *fallbackNetwork
	cpu     *nn.CPU
	device  nn.Evaluator
	async   nn.Async // the device, if it is one
	batches map[*nn.Batch]*flight
}

var _ nn.Async = (*fallbackEvaluator)(nil)

// flight is the device's copy of a batch.
type flight struct {
	batch   *nn.Batch
	started bool
}

// NewBatch implements nn.Evaluator.
func (e *fallbackEvaluator) NewBatch(capacity int) *nn.Batch {
	b := e.cpu.NewBatch(capacity)
	if e.network.onDevice() {
		e.batches[b] = &flight{batch: e.device.NewBatch(capacity)}
	}
	return b
}

// Start implements nn.Async.
func (e *fallbackEvaluator) Start(b *nn.Batch) {
	f := e.batches[b]
	if f == nil || !e.network.onDevice() {
		return // Wait evaluates it
	}
	s := e.network.Spec()
	f.batch.N = b.N
	copy(f.batch.Observations, b.Observations[:b.N*s.Planes*s.Cells()])
	f.started = true
	if e.async != nil {
		e.async.Start(f.batch)
	}
}

// Wait implements nn.Async. It returns no error.
func (e *fallbackEvaluator) Wait(b *nn.Batch) error {
	f := e.batches[b]
	if f == nil || !f.started {
		return e.cpu.Evaluate(b)
	}
	f.started = false
	var err error
	if e.async != nil {
		err = e.async.Wait(f.batch)
	} else {
		err = e.device.Evaluate(f.batch)
	}
	if err != nil {
		e.network.fail(err)
		return e.cpu.Evaluate(b)
	}
	s := e.network.Spec()
	if len(b.Policy) > 0 {
		copy(b.Policy, f.batch.Policy[:b.N*s.Actions])
	}
	copy(b.Values, f.batch.Values[:b.N*s.Players])
	return nil
}

// Evaluate implements nn.Evaluator.
func (e *fallbackEvaluator) Evaluate(b *nn.Batch) error {
	e.Start(b)
	return e.Wait(b)
}

// Close implements nn.Async.
func (e *fallbackEvaluator) Close() { nn.Close(e.device) }
