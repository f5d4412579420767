package modelled

import (
	"math"
	"sync/atomic"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/cuda"
)

// network is a network of which only the shapes are known.
type network struct {
	spec   nn.Spec
	device *Backend
	packs  *cuda.Queue
}

func newNetwork(spec nn.Spec, b *Backend) *network {
	n := &network{spec: spec, device: b}
	m := &b.queue.model
	n.packs = &cuda.Queue{
		Rows: m.Rows, Block: m.Block, Most: 2 * m.Slots,
		NewPack: func() (cuda.Launch, error) { return &flight{device: b}, nil },
		SetPack: func(cuda.Launch, any) {},
	}
	if m.Pack {
		n.packs.Small = m.Rows / 4 // as package cuda
	}
	return n
}

func (n *network) Spec() nn.Spec { return n.spec }

func (n *network) NewEvaluator() nn.Evaluator {
	return &evaluator{network: n, batches: map[*nn.Batch]*batch{}}
}

// flight is a launch.
type flight struct {
	device *Backend
	due    atomic.Int64 // when its results are there, nanoseconds
}

// Launch implements cuda.Launch.
func (f *flight) Launch(rows int) error {
	f.device.calls()
	f.due.Store(int64(f.device.queue.batch(f.device.now(), rows)))
	return nil
}

// Wait implements cuda.Launch.
func (f *flight) Wait() error {
	f.device.until(time.Duration(f.due.Load()))
	return nil
}

// Done implements cuda.Launch.
func (f *flight) Done() (bool, error) { return f.device.now() >= time.Duration(f.due.Load()), nil }

// batch is a batch of an evaluator.
type batch struct {
	cuda.PackState
	flight
}

func (b *batch) Weights() any              { return nil }
func (*batch) Put(cuda.Launch, int, int)   {}
func (b *batch) Get(cuda.Launch, int, int) {}

// evaluator implements nn.Async: all logits are 0, and all players' values equal.
type evaluator struct {
	network *network
	batches map[*nn.Batch]*batch
}

var _ nn.Async = (*evaluator)(nil)

func (e *evaluator) NewBatch(capacity int) *nn.Batch {
	s := &e.network.spec
	b := &nn.Batch{
		Observations: make([]float32, capacity*s.Planes*s.Cells()),
		Values:       make([]float32, capacity*s.Players),
	}
	if s.Policy != nn.PolicyNone {
		b.Policy = make([]float32, capacity*s.Actions)
	}
	for i := range b.Values {
		b.Values[i] = 1 / float32(s.Players)
	}
	e.batches[b] = &batch{flight: flight{device: e.network.device}}
	return b
}

// Wait returns the error
func (e *evaluator) Start(b *nn.Batch) { _ = e.network.packs.Start(e.batches[b], b.N) }

func (e *evaluator) Wait(b *nn.Batch) error { return e.network.packs.Wait(e.batches[b]) }

func (e *evaluator) Evaluate(b *nn.Batch) error {
	e.Start(b)
	return e.Wait(b)
}

func (e *evaluator) Close() {
	for _, b := range e.batches {
		e.network.packs.Forget(b)
	}
	clear(e.batches)
}

// nanReading is a reading of a device that reports nothing.
func nanReading(name string) backend.Reading {
	nan := math.NaN()
	return backend.Reading{
		Name: name, Utilization: nan, MemoryUsed: nan, MemoryTotal: nan, Power: nan,
		Temperature: nan,
	}
}
