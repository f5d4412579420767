package modelled

import (
	"math"
	"time"

	"tengen/nn"
	"tengen/nn/backend"
)

// network is a network of which only the shapes are known.
type network struct {
	spec   nn.Spec
	device *Backend
}

func (n *network) Spec() nn.Spec { return n.spec }

func (n *network) NewEvaluator() nn.Evaluator {
	return &evaluator{spec: n.spec, device: n.device, due: map[*nn.Batch]time.Duration{}}
}

// evaluator implements nn.Async: all logits are 0, and all players' values equal.
type evaluator struct {
	spec   nn.Spec
	device *Backend
	due    map[*nn.Batch]time.Duration // of the batches under way
}

var _ nn.Async = (*evaluator)(nil)

func (e *evaluator) NewBatch(capacity int) *nn.Batch {
	b := &nn.Batch{
		Observations: make([]float32, capacity*e.spec.Planes*e.spec.Cells()),
		Values:       make([]float32, capacity*e.spec.Players),
	}
	if e.spec.Policy != nn.PolicyNone {
		b.Policy = make([]float32, capacity*e.spec.Actions)
	}
	for i := range b.Values {
		b.Values[i] = 1 / float32(e.spec.Players)
	}
	e.due[b] = 0
	return b
}

func (e *evaluator) Start(b *nn.Batch) {
	e.due[b] = e.device.queue.batch(e.device.now(), b.N)
}

func (e *evaluator) Wait(b *nn.Batch) error {
	e.device.until(e.due[b])
	return nil
}

func (e *evaluator) Evaluate(b *nn.Batch) error {
	e.Start(b)
	return e.Wait(b)
}

func (e *evaluator) Close() {}

// nanReading is a reading of a device that reports nothing.
func nanReading(name string) backend.Reading {
	nan := math.NaN()
	return backend.Reading{Name: name, Utilization: nan, MemoryUsed: nan, MemoryTotal: nan, Power: nan, Temperature: nan}
}
