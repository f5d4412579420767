package train

import (
	"fmt"

	"tengen/nn"
	"tengen/nn/kernels"
)

// GraphEvaluator evaluates a network through the training graph in evaluation mode, with one
// operation per layer of the trunk, on gonum's products. It is a reference for the faster backends.
type GraphEvaluator struct {
	spec  nn.Spec
	graph *network[float32]
}

// NewGraphEvaluator returns an evaluator of a copy of p, whose graph evaluates rows positions at a
// time.
func NewGraphEvaluator(p *nn.Params, rows int) (*GraphEvaluator, error) {
	p = p.WithoutAuxiliary()
	if _, err := kernels.Select(); err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	graph, err := buildWith(newStore[float32](p), rows, 1, false, separate)
	if err != nil {
		return nil, err
	}
	return &GraphEvaluator{p.Spec, graph}, nil
}

// NewBatch returns a batch for up to capacity rows.
func (e *GraphEvaluator) NewBatch(capacity int) *nn.Batch {
	b := &nn.Batch{
		Observations: make([]float32, capacity*e.spec.Planes*e.spec.Cells()),
		Values:       make([]float32, capacity*e.spec.Players),
	}
	if e.spec.Policy != nn.PolicyNone {
		b.Policy = make([]float32, capacity*e.spec.Actions)
	}
	return b
}

// Evaluate fills Policy and Values for rows 0 to N-1.
func (e *GraphEvaluator) Evaluate(b *nn.Batch) error {
	s := e.spec
	length, outputs := s.Planes*s.Cells(), s.Outputs()
	for from := 0; from < b.N; from += e.graph.rows {
		n := min(e.graph.rows, b.N-from)
		for r := range n {
			e.graph.load(r, b.Observations[(from+r)*length:][:length])
		}
		if err := e.graph.run(); err != nil {
			return err
		}
		if s.Policy != nn.PolicyNone {
			copy(b.Policy[from*s.Actions:(from+n)*s.Actions],
				data[float32](e.graph.policyLogits.Value()))
		}
		logits := data[float32](e.graph.valueLogits.Value())
		for i := range n * s.Players {
			v := logits[i*outputs]
			if s.Value == nn.ValueCategorical {
				v = nn.Expectation(logits[i*outputs:(i+1)*outputs], s.Support)
			}
			b.Values[from*s.Players+i] = v
		}
	}
	return nil
}
