package nntest

import (
	"fmt"
	"sync/atomic"
	"time"

	"tengen/nn"
)

// Device is an nn.Network whose evaluators work concurrently with their callers, as those
// of a device do, and compute with the evaluators of another network. It enforces the rules of
// nn.Async: breaking one panics. The rows of a batch in flight are overwritten, so that
// code that reads them too early finds wrong numbers.
type Device struct {
	nn.Network
	Delay time.Duration // before every eighth batch is evaluated
	// FailAfter is the number of batches, of all evaluators together, after which the
	// device is lost; 0: never. Lost is the error then.
	FailAfter int64
	Lost      error
	// HangAfter is the number of batches after which the device hangs until Hang is closed; 0:
	// never.
	HangAfter int64
	Hang      chan struct{}

	batches         atomic.Int64
	started, beside atomic.Int64
	open            atomic.Int64
}

// NewEvaluator implements nn.Network.
func (d *Device) NewEvaluator() nn.Evaluator {
	d.open.Add(1)
	a := &async{device: d, inner: d.Network.NewEvaluator(), queue: make(chan *flight, 64)}
	go a.run()
	return a
}

// Batches returns the number of batches started, and how many of them were started while
// another batch of the same evaluator was in flight.
func (d *Device) Batches() (all, beside int64) { return d.started.Load(), d.beside.Load() }

// Open returns the number of evaluators that have not been closed.
func (d *Device) Open() int64 { return d.open.Load() }

// async is an evaluator whose goroutine evaluates queued batches.
type async struct {
	device *Device
	inner  nn.Evaluator
	queue  chan *flight
	under  []*flight // started and not waited for, in order; used by the caller only

	closed bool
}

// flight is a batch in flight.
type flight struct {
	batch *nn.Batch
	own   *nn.Batch // a copy to evaluate, since the caller's is overwritten
	err   error     // set before done is closed
	done  chan struct{}
}

func (a *async) run() {
	for f := range a.queue {
		n := a.device.batches.Add(1)
		if n%8 == 0 && a.device.Delay > 0 {
			time.Sleep(a.device.Delay)
		}
		if a.device.HangAfter > 0 && n > a.device.HangAfter {
			<-a.device.Hang
		}
		if a.device.FailAfter > 0 && n > a.device.FailAfter {
			f.err = a.device.Lost
		} else {
			f.err = a.inner.Evaluate(f.own)
		}
		close(f.done)
	}
}

func (a *async) NewBatch(capacity int) *nn.Batch { return a.inner.NewBatch(capacity) }

func (a *async) Evaluate(b *nn.Batch) error {
	if len(a.under) > 0 {
		panic("nntest: Evaluate while a batch is under way")
	}
	a.Start(b)
	return a.Wait(b)
}

func (a *async) Start(b *nn.Batch) {
	if a.closed {
		panic("nntest: a batch for an evaluator that is closed")
	}
	for _, f := range a.under {
		if f.batch == b {
			panic("nntest: a batch is started that is under way")
		}
	}
	f := &flight{batch: b, done: make(chan struct{})}
	f.own = &nn.Batch{
		N: b.N, Observations: append([]float32(nil), b.Observations...),
		Policy: make([]float32, len(b.Policy)), Values: make([]float32, len(b.Values)),
	}
	const hidden = -1e9
	for _, x := range [][]float32{b.Observations, b.Policy, b.Values} {
		for i := range x {
			x[i] = hidden
		}
	}
	a.device.started.Add(1)
	if len(a.under) > 0 {
		a.device.beside.Add(1)
	}
	a.under = append(a.under, f)
	a.queue <- f
}

func (a *async) Wait(b *nn.Batch) error {
	if len(a.under) == 0 || a.under[0].batch != b {
		panic("nntest: a batch is waited for that was not started, or not first")
	}
	f := a.under[0]
	a.under = a.under[1:]
	<-f.done
	if b.N != f.own.N {
		panic(fmt.Sprintf("nntest: a batch under way was changed: %d rows, then %d", f.own.N, b.N))
	}
	copy(b.Policy, f.own.Policy)
	copy(b.Values, f.own.Values)
	return f.err
}

func (a *async) Close() {
	if len(a.under) > 0 {
		panic("nntest: an evaluator is closed while a batch is under way")
	}
	if a.closed {
		return
	}
	a.closed = true
	close(a.queue)
	a.device.open.Add(-1)
}
