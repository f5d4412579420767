package search

import "tengen/game"

// Leaves is where a search puts the states that it wants evaluated.
//
// Add is called by the goroutine that drives the search. It must read what it
// needs of s before it returns: the search goes on to change s. The mover of
// s is a player with more than one legal action, unless the search says otherwise.
type Requests interface {
	Add(s game.State)
}

// Rows are evaluations, one row a state, in the order in which the states were
// added. The slices belong to the evaluator; a search reads them during
// Deliver only.
type Evaluations struct {
	Policy  []float32 // [N, Actions] logits, unmasked; empty where the search asks for none
	Values  []float32 // [N, Players] utilities in [0, 1]
	Actions int
	Players int
}

// Logits is row i of the policy.
func (r Evaluations) Logits(i int) []float32 { return r.Policy[i*r.Actions : (i+1)*r.Actions] }

// Utilities is row i of the values.
func (r Evaluations) Utilities(i int) []float32 { return r.Values[i*r.Players : (i+1)*r.Players] }

// Slice is rows i to j-1, for handing each of many searches its own.
func (r Evaluations) Slice(i, j int) Evaluations {
	s := r
	if len(r.Policy) > 0 {
		s.Policy = r.Policy[i*r.Actions : j*r.Actions]
	}
	s.Values = r.Values[i*r.Players : j*r.Players]
	return s
}

// Search looks for a good action in one position. It is used by one goroutine.
type Search interface {
	// Start makes s, which it copies, the position to search, and forgets
	// all that was known. The mover of s is a player.
	Start(s game.State)
	// Play moves the position on by one action (or outcome of chance) that
	// was really played, and keeps what is known about what follows. The
	// budget starts afresh.
	Play(a game.Action)
	// Advance works until evaluations are needed or the budget is spent, in
	// which case it returns true and has added nothing. Where it returns
	// false it has added at least one state, and Deliver comes next.
	Advance(requests Requests) (done bool)
	// Deliver takes the evaluations of the states that the last Advance added.
	Deliver(evaluations Evaluations)
}

// Evaluator evaluates states: it collects them as Leaves and evaluates what it
// has collected. It is used by one goroutine.
type Evaluator interface {
	Requests
	// Evaluate returns the rows of the states added since the last call. They
	// hold until the next Add.
	Evaluate() Evaluations
}

// Run drives one search until its budget is spent.
func Run(s Search, e Evaluator) {
	for !s.Advance(e) {
		s.Deliver(e.Evaluate())
	}
}
