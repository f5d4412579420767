package evaluate

import (
	"tengen/game"
	"tengen/nn"
	"tengen/search"
)

// Network evaluates the leaves of searches with a network. It implements
// search.Evaluator for one goroutine.
type Network struct {
	evaluator nn.Evaluator
	batch     *nn.Batch
	size      int // values in one observation
	capacity  int
	rows      search.Rows

	// OnBatch, if set, is told the number of rows of each batch evaluated.
	OnBatch func(rows int)
}

// NewNetwork makes a Network that holds up to capacity leaves at a time.
func NewNetwork(g game.Game, e nn.Evaluator, capacity int) *Network {
	return &Network{
		evaluator: e,
		batch:     e.NewBatch(capacity),
		size:      g.Planes().Size(),
		capacity:  capacity,
		rows:      search.Rows{Actions: g.Actions(), Players: g.Players()},
	}
}

// Add encodes the state into the next row of the batch. It panics where more
// than the capacity is added between two calls of Evaluate.
func (n *Network) Add(s game.State) {
	if n.batch.N == n.capacity {
		panic("evaluate: more leaves than the batch holds")
	}
	s.Observe(n.batch.Observations[n.batch.N*n.size : (n.batch.N+1)*n.size])
	n.batch.N++
}

// Evaluate evaluates the states added since the last call.
func (n *Network) Evaluate() search.Rows {
	n.evaluator.Evaluate(n.batch)
	rows := n.rows
	if len(n.batch.Policy) > 0 {
		rows.Policy = n.batch.Policy[:n.batch.N*rows.Actions]
	}
	rows.Values = n.batch.Values[:n.batch.N*rows.Players]
	if n.OnBatch != nil {
		n.OnBatch(n.batch.N)
	}
	n.batch.N = 0
	return rows
}
