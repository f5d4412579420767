package nn

// Batch is what an Evaluator reads and writes. It is made by
// Evaluator.NewBatch, which owns the memory, and used by one goroutine.
type Batch struct {
	N            int       // rows in use, at most the capacity
	Observations []float32 // [capacity, Planes, Height, Width], written by the caller
	Policy       []float32 // [capacity, Actions] logits, unmasked; empty without a policy head
	Values       []float32 // [capacity, Players] expected utilities
}

// Evaluator computes policies and values. An evaluator is used by one
// goroutine; several may share one set of weights.
//
// A row's result depends on that row and the weights alone, to the bit: never
// on the batch's size, the row's place in it, or what was evaluated before.
type Evaluator interface {
	// NewBatch makes a batch for up to capacity rows.
	NewBatch(capacity int) *Batch
	// Evaluate fills Policy and Values for rows 0 to N-1.
	Evaluate(b *Batch)
}

// Network is a network's numbers where they are evaluated: [Weights] on the processor, or a
// copy in the memory of one or several devices. It is immutable and safe for concurrent use,
// and two are the same network only where they are equal (==).
type Network interface {
	// Spec describes the network.
	Spec() Spec
	// NewEvaluator makes an evaluator for one goroutine. Where there are several
	// devices, they take turns. One that can't be made says so by its Err (Async).
	NewEvaluator() Evaluator
}

// Async is an Evaluator that works beside its caller, as those on a device do:
//
//	e.Start(a)
//	… // fill b
//	e.Start(b)
//	e.Wait(a) // a.Policy, a.Values; then fill a again
//
// Nobody touches a batch between Start and Wait. Several batches, each of this
// evaluator's NewBatch, may be under way; they are waited for in the order in which they were
// started. Evaluate is Start and Wait, while no batch is under way.
type Async interface {
	Evaluator
	// Start begins to evaluate rows 0 to N-1.
	Start(b *Batch)
	// Wait returns when Policy and Values of a batch that was started are filled.
	Wait(b *Batch)
	// Err is why this evaluator can't go on (a device that was lost, no memory
	// left), nil as long as it can. Whoever uses the evaluator asks after NewBatch,
	// Evaluate and Wait. Once it is not nil it stays, all methods return at once, batches are
	// of ordinary memory, and results are of no worth.
	Err() error
	// Close gives back what the evaluator and its batches hold, none of which is
	// used afterwards. No batch is under way. Whoever forgets it waits for the garbage collector.
	Close()
}

// Close gives back what an evaluator holds beside memory of this process.
func Close(e Evaluator) {
	if a, ok := e.(Async); ok {
		a.Close()
	}
}

// ErrOf is what stopped an evaluator, nil where it goes on or cannot fail.
func ErrOf(e Evaluator) error {
	if a, ok := e.(Async); ok {
		return a.Err()
	}
	return nil
}
