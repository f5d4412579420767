package nn

// Batch holds the inputs and results of an Evaluator. It is made by the Evaluator's NewBatch; the
// Evaluator owns the memory. It is used by one goroutine.
type Batch struct {
	N            int       // rows in use, at most the capacity
	Observations []float32 // [capacity, Planes, Height, Width], written by the caller
	Policy       []float32 // [capacity, Actions] logits, unmasked; empty without a policy head
	Values       []float32 // [capacity, Players] expected utilities
	// [capacity, BeliefClasses] log likelihoods of each class of each fact; empty but for a network
	// of FoldBelief
	Belief []float32
}

// Evaluator computes policies and values. An evaluator is used by one
// goroutine; several may share one set of weights.
//
// A row's result depends only on that row and the weights, to the bit: not on
// the batch's size, the row's place in it, or what was evaluated before.
type Evaluator interface {
	// NewBatch makes a batch for up to capacity rows. If there is no memory for it
	// on a device, the batch is of ordinary memory and the next Evaluate fails.
	NewBatch(capacity int) *Batch
	// Evaluate fills Policy and Values for rows 0 to N-1. If it returns an error
	// their contents are undefined, and all later calls return the same error:
	// a device that was lost stays lost.
	Evaluate(b *Batch) error
}

// Network is a network ready to be evaluated: [Weights] on the processor, or a copy in the
// memory of one or several devices. It is immutable and safe for concurrent use. Two
// Networks are the same network only if they are equal (==).
type Network interface {
	// Spec describes the network.
	Spec() Spec
	// NewEvaluator makes an evaluator for one goroutine. If the network is on
	// several devices, evaluators are distributed over them in turn.
	NewEvaluator() Evaluator
}

// Async is an Evaluator that works concurrently with its caller, as those on a device do:
//
//	e.Start(a)
//	… // fill b
//	e.Start(b)
//	err := e.Wait(a) // a.Policy, a.Values; then fill a again
//
// A batch must not be accessed between Start and Wait. Several batches, each made by this
// evaluator's NewBatch, may be in flight; they are waited for in the order in which they were
// started. Evaluate is Start and Wait, and is called only when no batch is in flight.
type Async interface {
	Evaluator
	// Start begins to evaluate rows 0 to N-1. Wait returns its error.
	Start(b *Batch)
	// Wait returns when Policy and Values of a batch that was started are filled, or
	// with the error that stopped the evaluator (Evaluate).
	Wait(b *Batch) error
	// Close releases what the evaluator and its batches hold; none of them is used
	// afterwards. No batch may be in flight. Without Close the garbage collector
	// releases it some time later.
	Close()
}

// Placed is an Evaluator that is nearer to some of the machine's cores than to others.
type Placed interface {
	Evaluator
	// Cores returns the cores near its device, nil if all are or if that is unknown.
	Cores() []int
}

// Close releases what an evaluator holds besides memory of this process.
func Close(e Evaluator) {
	if a, ok := e.(Async); ok {
		a.Close()
	}
}
