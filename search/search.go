package search

import "tengen/game"

// Requests collects the states that a search wants evaluated.
//
// Add is called by the goroutine that drives the search. It must not keep s,
// which the search changes afterwards. The current player of s has more than
// one legal action, unless the search says otherwise.
type Requests interface {
	Add(s game.State)
}

// Evaluations holds one row per state, in the order in which the states were
// added. The slices belong to the evaluator; a search reads them during
// Deliver only.
type Evaluations struct {
	Policy  []float32 // [N, Actions] logits, unmasked; empty if the search needs none
	Values  []float32 // [N, Players] utilities in [0, 1]
	Actions int
	Players int
}

// Logits returns row i of the policy.
func (r Evaluations) Logits(i int) []float32 { return r.Policy[i*r.Actions : (i+1)*r.Actions] }

// Utilities returns row i of the values.
func (r Evaluations) Utilities(i int) []float32 { return r.Values[i*r.Players : (i+1)*r.Players] }

// Slice returns rows i to j-1, as when several searches share a batch.
func (r Evaluations) Slice(i, j int) Evaluations {
	s := r
	if len(r.Policy) > 0 {
		s.Policy = r.Policy[i*r.Actions : j*r.Actions]
	}
	s.Values = r.Values[i*r.Players : j*r.Players]
	return s
}

// Search searches one position for a good action. It is used by one goroutine.
type Search interface {
	// Start discards the tree and sets the position to search to a copy of s,
	// in which a player is to move.
	Start(s game.State)
	// Play applies one action (or outcome of chance) to the position and keeps
	// what is known about the positions below it. The budget starts afresh.
	Play(a game.Action)
	// Advance searches until it needs evaluations or the budget is spent. It
	// returns true, and has added nothing, when the budget is spent. If it
	// returns false it has added at least one state, and Deliver comes next.
	Advance(requests Requests) (done bool)
	// Deliver takes the evaluations of the states that the last Advance added.
	Deliver(evaluations Evaluations)
}

// Evaluator collects states and evaluates them. It is used by one goroutine.
type Evaluator interface {
	Requests
	// Evaluate returns the evaluations of the states added since the last call. They are valid
	// until the next Add. After an error, such as the loss of a device, it returns that error
	// in all later calls.
	Evaluate() (Evaluations, error)
}

// Close releases what an evaluator holds on a device (see nn.Async), nothing if it holds nothing
// there. e may be nil. The evaluator is not used afterwards.
func Close(e Evaluator) {
	if c, ok := e.(interface{ Close() }); ok {
		c.Close()
	}
}

// Run drives one search until its budget is spent or the evaluator fails. It returns
// the evaluator's error.
func Run(s Search, e Evaluator) error {
	for !s.Advance(e) {
		evaluations, err := e.Evaluate()
		if err != nil {
			return err
		}
		s.Deliver(evaluations)
	}
	return nil
}
