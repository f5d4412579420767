package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
)

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

// Distributions evaluates one observation, [Planes, Height, Width], and returns the probability
// of each utility of Support for each player, [Players][len(Support)]. It returns nil if the value
// head is not categorical. It allocates.
func (e *CPU) Distributions(observation []float32) [][]float64 {
	s := &e.w.spec
	if s.Value != ValueCategorical {
		return nil
	}
	list := make([][]float64, s.Players)
	e.observe = func(player int, logits []float32) { list[player] = softmax(logits) }
	b := e.NewBatch(1)
	b.N = copy(b.Observations, observation) / len(b.Observations)
	_ = e.Evaluate(b) // never fails
	e.observe = nil
	return list
}

// softmax returns the probabilities of logits.
func softmax(logits []float32) []float64 {
	top := math.Inf(-1)
	for _, l := range logits {
		top = max(top, float64(l))
	}
	list, sum := make([]float64, len(logits)), 0.0
	for i, l := range logits {
		list[i] = math.Exp(float64(l) - top)
		sum += list[i]
	}
	for i := range list {
		list[i] /= sum
	}
	return list
}

// CheckFinite returns an error that names the first number of the tensors that is NaN or infinite,
// nil if there is none.
func CheckFinite(tensors []Tensor) error {
	for i := range tensors {
		t := &tensors[i]
		if k := firstNotFinite(t.Data); k >= 0 {
			return fmt.Errorf("number %d of %.200s is %g", k, t.Name, t.Data[k])
		}
	}
	return nil
}

// NotFiniteError says that a network, whose numbers may all be finite, gives a position an output
// that is NaN or infinite.
type NotFiniteError struct {
	Output string  // "policy", "value" or "belief"
	Number float32 // the output
}

// Error implements error.
func (e *NotFiniteError) Error() string {
	return fmt.Sprintf(
		"the network's %s for a position is %g; its weights are too large, or damaged",
		e.Output, e.Number)
}

// CheckFinite returns a NotFiniteError if an output of rows 0 to N-1, which a network has filled,
// is NaN or infinite. A batch without a policy has no actions, one without belief no classes. It
// reads every output once and allocates nothing but the error.
func (b *Batch) CheckFinite(actions, players, classes int) error {
	policy, belief := b.Policy, b.Belief
	if len(policy) > 0 {
		policy = policy[:b.N*actions]
	}
	if len(belief) > 0 {
		belief = belief[:b.N*classes]
	}
	for _, o := range [...]struct {
		name    string
		numbers []float32
	}{{"policy", policy}, {"value", b.Values[:b.N*players]}, {"belief", belief}} {
		if !allFinite(o.numbers) {
			return &NotFiniteError{o.name, o.numbers[firstNotFinite(o.numbers)]}
		}
	}
	return nil
}

// exponent is the greatest exponent of a float32, which NaN and infinities alone have.
const exponent = 0x7f800000

// allFinite reports whether no number is NaN or infinite, without a branch for each.
func allFinite(numbers []float32) bool {
	greatest := uint32(0)
	for _, x := range numbers {
		greatest = max(greatest, math.Float32bits(x)&exponent)
	}
	return greatest != exponent
}

// firstNotFinite returns the index of the first number that is NaN or infinite, -1 if there is
// none.
func firstNotFinite(numbers []float32) int {
	for i, x := range numbers {
		if math.Float32bits(x)&exponent == exponent {
			return i
		}
	}
	return -1
}

// RandomObservations draws observations for checks and tests: of the numbers a third are zeros, a
// third ones, and a third normally distributed.
func RandomObservations(x []float32, rng *rand.Rand) {
	clear(x)
	for i := range x {
		switch rng.IntN(3) {
		case 0:
			x[i] = 1
		case 1:
			x[i] = float32(rng.NormFloat64())
		}
	}
}
