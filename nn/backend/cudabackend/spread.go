package cudabackend

import (
	"sync/atomic"

	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
)

// spread is a network on several devices.
type spread struct {
	devices *devices
	weights []*cuda.Weights
	of      []int // devices of weights
	next    atomic.Uint64
}

// Spec implements nn.Network.
func (s *spread) Spec() nn.Spec { return s.weights[0].Spec() }

// NewEvaluator returns an evaluator on the next device that is not lost.
func (s *spread) NewEvaluator() nn.Evaluator {
	e := &spreadEvaluator{network: s, shadows: map[*nn.Batch]*nn.Batch{}, started: map[*nn.Batch]bool{}}
	e.at = e.survivor(int((s.next.Add(1) - 1) % uint64(len(s.weights))))
	if e.at < 0 { // Wait returns the error
		e.at = 0
	}
	e.evaluator = cuda.NewEvaluator(s.weights[e.at])
	return e
}

// spreadEvaluator evaluates on one of a network's devices, and goes on with another if that is lost: rows
// have the same bits there. Its batches stay those of its first device, whose pinned memory is
// the host's and outlives the device; another device evaluates copies of them.
type spreadEvaluator struct {
	network   *spread
	at        int // index of the evaluator's weights
	evaluator *cuda.Evaluator
	first     *cuda.Evaluator         // that made the batches, if another evaluates; else nil
	shadows   map[*nn.Batch]*nn.Batch // of the batches on the device in use, if it is not the first
	started   map[*nn.Batch]bool      // of the batches in flight: whether the device in use has them
}

var _ nn.Async = (*spreadEvaluator)(nil)

// survivor returns the index of weights on a device that is not lost, from one on; -1 if there is none.
func (e *spreadEvaluator) survivor(from int) int {
	s := e.network
	for i := range s.weights {
		if at := (from + i) % len(s.weights); !s.devices.lost[s.of[at]].Load() {
			return at
		}
	}
	return -1
}

// NewBatch implements nn.Evaluator.
func (e *spreadEvaluator) NewBatch(capacity int) *nn.Batch {
	b := e.evaluator.NewBatch(capacity)
	if e.first != nil {
		e.shadows[b] = b
	}
	return b
}

// Start implements nn.Async.
func (e *spreadEvaluator) Start(b *nn.Batch) {
	e.started[b] = true
	e.evaluator.Start(e.shadow(b))
}

// shadow returns the batch that the device in use evaluates for b, with b's rows.
func (e *spreadEvaluator) shadow(b *nn.Batch) *nn.Batch {
	if e.first == nil {
		return b
	}
	s := e.network.Spec()
	to := e.shadows[b]
	if to == b {
		return b
	}
	if to == nil {
		to = e.evaluator.NewBatch(len(b.Observations) / (s.Planes * s.Cells()))
		e.shadows[b] = to
	}
	to.N = b.N
	copy(to.Observations, b.Observations[:b.N*s.Planes*s.Cells()])
	return to
}

// Wait implements nn.Async.
func (e *spreadEvaluator) Wait(b *nn.Batch) error {
	begun := e.started[b]
	delete(e.started, b)
	from := b
	if e.first != nil {
		if from = e.shadows[b]; !begun || from == nil { // it was started on the device that was lost
			from = e.shadow(b)
			e.evaluator.Start(from)
		}
	}
	for {
		err := e.evaluator.Wait(from)
		if err == nil {
			break
		}
		if !driver.Lost(err) {
			return err
		}
		s := e.network
		s.devices.lose(s.of[e.at], err)
		at := e.survivor(e.at)
		if at < 0 {
			return err
		}
		if e.first == nil {
			e.first = e.evaluator
		} else {
			e.evaluator.Close()
		}
		e.at, e.evaluator = at, cuda.NewEvaluator(s.weights[at])
		clear(e.shadows)
		for other := range e.started {
			e.started[other] = false // Wait starts it again
		}
		from = e.shadow(b)
		e.evaluator.Start(from)
	}
	if from != b {
		s := e.network.Spec()
		if len(b.Policy) > 0 {
			copy(b.Policy, from.Policy[:b.N*s.Actions])
		}
		copy(b.Values, from.Values[:b.N*s.Players])
	}
	return nil
}

// Evaluate implements nn.Evaluator.
func (e *spreadEvaluator) Evaluate(b *nn.Batch) error {
	e.Start(b)
	return e.Wait(b)
}

// Close implements nn.Async.
func (e *spreadEvaluator) Close() {
	e.evaluator.Close()
	if e.first != nil {
		e.first.Close()
	}
}
