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
