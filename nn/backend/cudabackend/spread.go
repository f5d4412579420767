package cudabackend

import (
	"fmt"
	"sync"
	"sync/atomic"

	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
)

// spread is a network on several devices.
type spread struct {
	devices *devices
	params  *nn.Params // for devices that come back
	next    atomic.Uint64

	mu    sync.Mutex
	slots []slot // by device
}

// slot is a network on an opening of a device.
type slot struct {
	weights *cuda.Weights
	on      *opening
}

// Spec implements nn.Network.
func (s *spread) Spec() nn.Spec { return s.params.Spec }

// on returns the network on a device, acquired; false if the device can't be used now. A device
// that came back gets the weights here.
func (s *spread) on(i int) (slot, bool) {
	o := s.devices.list[i].Load()
	if !s.devices.acquire(o) {
		return slot{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots[i].on == o {
		return s.slots[i], true
	}
	w, err := o.device.Load(s.params, s.devices.inference)
	if err == nil {
		err = s.alike(w)
	}
	if err != nil {
		s.devices.lose(o, err)
		s.devices.release(o)
		return slot{}, false
	}
	s.slots[i] = slot{w, o}
	return s.slots[i], true
}

// alike returns an error if weights are computed in another way than those of the other devices:
// rows would have other bits.
func (s *spread) alike(w *cuda.Weights) error {
	for _, x := range s.slots {
		if x.weights != nil && x.weights.Way() != w.Way() {
			return fmt.Errorf("its kernels (%s) are not those of the other devices (%s)",
				w.Way(), x.weights.Way())
		}
	}
	return nil
}

// first returns the network on the first usable device for a home, acquired.
func (s *spread) first(home int) (slot, bool) {
	for _, i := range s.devices.homes(home) {
		if x, ok := s.on(i); ok {
			return x, true
		}
	}
	return slot{}, false
}

// NewEvaluator returns an evaluator on the next device that is not lost.
func (s *spread) NewEvaluator() nn.Evaluator {
	e := &spreadEvaluator{
		network: s, epoch: s.devices.epoch.Load(),
		home:    int((s.next.Add(1) - 1) % uint64(len(s.devices.players))),
		shadows: map[*nn.Batch]*nn.Batch{}, started: map[*nn.Batch]bool{},
	}
	x, ok := s.first(e.home)
	if !ok {
		return nowhere{s.params.Spec}
	}
	e.at, e.evaluator = x.on, cuda.NewEvaluator(x.weights)
	return e
}

// spreadEvaluator evaluates on one of a network's devices, goes on with another if that is lost,
// and returns when it is back: rows have the same bits on all of them. Batches stay in the memory
// of the device for which they were made, which is pinned memory of the host and outlives the
// device; another device evaluates copies of them.
type spreadEvaluator struct {
	network   *spread
	home      int    // index in devices.players of the device to use if it can be used
	epoch     uint64 // of the devices, when at was chosen
	at        *opening
	evaluator *cuda.Evaluator
	past      []past // evaluators that own batches of the caller
	// of each batch: the batch of the device in use, the same if it was made for it
	shadows map[*nn.Batch]*nn.Batch
	started map[*nn.Batch]bool // of the batches in flight: whether the device in use has them
}

// past is an evaluator that was used before, and its device.
type past struct {
	evaluator *cuda.Evaluator
	at        *opening
}

var (
	_ nn.Async  = (*spreadEvaluator)(nil)
	_ nn.Placed = (*spreadEvaluator)(nil)
)

// Cores implements nn.Placed.
func (e *spreadEvaluator) Cores() []int { return e.evaluator.Cores() }

// NewBatch implements nn.Evaluator.
func (e *spreadEvaluator) NewBatch(capacity int) *nn.Batch {
	b := e.evaluator.NewBatch(capacity)
	e.shadows[b] = b
	return b
}

// Start implements nn.Async.
func (e *spreadEvaluator) Start(b *nn.Batch) {
	if now := e.network.devices.epoch.Load(); now != e.epoch && len(e.started) == 0 {
		e.settle(now)
	}
	e.started[b] = true
	e.evaluator.Start(e.shadow(b))
}

// settle moves to the device that is to be used after devices were lost or came back. No batch is
// in flight.
func (e *spreadEvaluator) settle(epoch uint64) {
	e.epoch = epoch
	x, ok := e.network.first(e.home)
	if !ok {
		return // Wait returns the error
	}
	if x.on == e.at {
		e.network.devices.release(x.on)
		return
	}
	// Take a device only if it has memory for all batches.
	evaluator, shadows := cuda.NewEvaluator(x.weights), map[*nn.Batch]*nn.Batch{}
	for b := range e.shadows {
		shadows[b] = evaluator.NewBatch(e.capacity(b))
	}
	if err := evaluator.Err(); err != nil {
		e.network.devices.lose(x.on, err)
		evaluator.Close()
		e.network.devices.release(x.on)
		return
	}
	e.move(x, evaluator)
	e.shadows = shadows
}

// move makes another device the one in use. x is acquired.
func (e *spreadEvaluator) move(x slot, evaluator *cuda.Evaluator) {
	owns := false
	for b, shadow := range e.shadows {
		owns = owns || b == shadow
		e.shadows[b] = nil
	}
	if owns {
		e.past = append(e.past, past{e.evaluator, e.at})
	} else {
		e.evaluator.Close()
		e.network.devices.release(e.at)
	}
	e.at, e.evaluator = x.on, evaluator
}

// capacity returns the number of rows of a batch.
func (e *spreadEvaluator) capacity(b *nn.Batch) int {
	s := &e.network.params.Spec
	return len(b.Observations) / (s.Planes * s.Cells())
}

// shadow returns the batch that the device in use evaluates for b, with b's rows.
func (e *spreadEvaluator) shadow(b *nn.Batch) *nn.Batch {
	to := e.shadows[b]
	if to == b {
		return b
	}
	if to == nil {
		to = e.evaluator.NewBatch(e.capacity(b))
		e.shadows[b] = to
	}
	s := &e.network.params.Spec
	to.N = b.N
	copy(to.Observations, b.Observations[:b.N*s.Planes*s.Cells()])
	return to
}

// Wait implements nn.Async.
func (e *spreadEvaluator) Wait(b *nn.Batch) error {
	begun := e.started[b]
	delete(e.started, b)
	from := e.shadows[b]
	if !begun || from == nil { // it was started on the device that was lost
		from = e.shadow(b)
		e.evaluator.Start(from)
	}
	d := e.network.devices
	for {
		err := e.evaluator.Wait(from)
		if err == nil {
			break
		}
		if !driver.Lost(err) {
			return err
		}
		d.lose(e.at, err)
		x, ok := e.network.first(e.home)
		if !ok {
			return err
		}
		e.epoch = d.epoch.Load()
		e.move(x, cuda.NewEvaluator(x.weights))
		for other := range e.started {
			e.started[other] = false // Wait starts it again
		}
		from = e.shadow(b)
		e.evaluator.Start(from)
	}
	if from != b {
		s := &e.network.params.Spec
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
	for _, p := range append(e.past, past{e.evaluator, e.at}) {
		p.evaluator.Close()
		e.network.devices.release(p.at)
	}
	e.past = nil
}

// nowhere is the evaluator of a network none of whose devices is left. Its batches are of ordinary
// memory.
type nowhere struct{ spec nn.Spec }

// NewBatch implements nn.Evaluator.
func (e nowhere) NewBatch(capacity int) *nn.Batch {
	b := &nn.Batch{
		Observations: make([]float32, capacity*e.spec.Planes*e.spec.Cells()),
		Values:       make([]float32, capacity*e.spec.Players),
	}
	if e.spec.Policy != nn.PolicyNone {
		b.Policy = make([]float32, capacity*e.spec.Actions)
	}
	return b
}

// Evaluate implements nn.Evaluator.
func (nowhere) Evaluate(*nn.Batch) error { return errAllLost }

// Start implements nn.Async.
func (nowhere) Start(*nn.Batch) {}

// Wait implements nn.Async.
func (nowhere) Wait(*nn.Batch) error { return errAllLost }

// Close implements nn.Async.
func (nowhere) Close() {}
