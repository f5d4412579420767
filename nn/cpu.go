package nn

import (
	"math"

	"tengen/nn/kernels"
)

// CPU is an Evaluator that computes with package kernels. It is used by one goroutine.
//
// Evaluate allocates only once, when it first meets a row that is not finite.
// NaN and infinity reach the outputs that they reach by the network's definition:
// rows that contain them, and every row of a network whose trunk does, are computed
// without transforms.
type CPU struct {
	w     *Weights
	fast  *activations
	exact *activations // allocated when the first row needs it

	flat    []float32
	maps    []float32 // outputs of the policy head's 1×1 convolution
	pair    []float32 // two filters' cells, the input of PolicyDense's dense layer
	actions []float32
	hidden  []float32
	output  []float32
	cells   []float32 // one filter of one row
	logits  []float32 // [Outputs] of one player

	beliefHidden, beliefOutput []float32
	// observe, if not nil, is called with a player's outputs of each row.
	observe func(player int, outputs []float32)
}

// activations are the buffers of a trunk.
type activations struct {
	space        *kernels.Space
	planes, x, y []float32
}

func newActivations(b *kernels.Board, w *Weights) *activations {
	s := &w.spec
	return &activations{
		space:  kernels.NewSpace(b, max(s.Planes, s.Filters)),
		planes: b.Activations(s.Planes),
		x:      b.Activations(s.Filters),
		y:      b.Activations(s.Filters),
	}
}

// NewEvaluator returns an evaluator for one goroutine.
func NewEvaluator(w *Weights) *CPU {
	s, b := &w.spec, w.fast.board
	e := &CPU{
		w:      w,
		fast:   newActivations(b, w),
		flat:   b.Flat(s.Filters),
		hidden: w.hidden.Outputs(),
		output: w.output[0].Outputs(),
		cells:  make([]float32, s.Cells()),
		logits: make([]float32, s.Outputs()),
	}
	if s.Policy != PolicyNone {
		e.maps = b.PointwiseOutputs()
	}
	if s.Policy == PolicyDense {
		e.pair = w.policyDense.Inputs()
		e.actions = w.policyDense.Outputs()
	}
	if w.beliefHidden != nil {
		e.beliefHidden, e.beliefOutput = w.beliefHidden.Outputs(), w.beliefOutput.Outputs()
	}
	return e
}

// NewEvaluator implements Network.
func (w *Weights) NewEvaluator() Evaluator { return NewEvaluator(w) }

// NewBatch returns a batch for up to capacity rows.
func (e *CPU) NewBatch(capacity int) *Batch {
	s := &e.w.spec
	b := &Batch{
		Observations: make([]float32, capacity*s.Planes*s.Cells()),
		Values:       make([]float32, capacity*s.Players),
	}
	if s.Policy != PolicyNone {
		b.Policy = make([]float32, capacity*s.Actions)
	}
	b.Belief = make([]float32, capacity*s.Auxiliary.BeliefClasses())
	return b
}

// Evaluate fills Policy, Values and Belief for rows 0 to N-1. It returns no error.
func (e *CPU) Evaluate(b *Batch) error {
	if b.N == 0 {
		return nil
	}
	chunks := (b.N + kernels.ChunkRows - 1) / kernels.ChunkRows
	rows := (b.N + chunks - 1) / chunks
	length := e.w.spec.Planes * e.w.spec.Cells()
	for from := 0; from < b.N; from += rows {
		n := min(rows, b.N-from)
		if exact := !e.w.finite; exact || allFinite(b.Observations[from*length:(from+n)*length]) {
			e.evaluate(b, from, n, exact)
			continue
		}
		for r := from; r < from+n; r++ { // row by row: a result does not depend on the other rows
			e.evaluate(b, r, 1, !allFinite(b.Observations[r*length:(r+1)*length]))
		}
	}
	return nil
}

// evaluate computes n ≤ ChunkRows rows; with exact, convolutions follow their definition.
func (e *CPU) evaluate(b *Batch, from, n int, exact bool) {
	s, t, a := &e.w.spec, e.w.fast, e.fast
	if exact && !t.board.Direct() {
		t = e.w.exact()
		if e.exact == nil {
			e.exact = newActivations(t.board, e.w)
		}
		a = e.exact
	}
	var x []float32
	for part, first := t.board.Part(), 0; first < n; first += part {
		k := min(part, n-first)
		t.board.Load(a.planes, k, s.Planes, b.Observations[(from+first)*s.Planes*s.Cells():])
		t.layers[0].Apply(a.space, k, a.x, a.planes, nil)
		for i := 1; i < len(t.layers); i += 2 {
			t.layers[i].Apply(a.space, k, a.y, a.x, nil)
			t.layers[i+1].Apply(a.space, k, a.x, a.y, a.x)
		}
		x = t.board.Flatten(e.flat, a.x, first, k, n, s.Filters)
	}
	e.policy(b, from, n, x)
	e.value(b, from, n, x)
	e.belief(b, from, n, x)
}

// belief computes the likelihoods of n rows.
func (e *CPU) belief(b *Batch, from, n int, x []float32) {
	w := e.w
	if w.beliefHidden == nil {
		return
	}
	w.beliefHidden.Apply(e.fast.space, n, e.beliefHidden, x)
	w.beliefHidden.Rectify(n, e.beliefHidden)
	w.beliefOutput.ApplyPart(e.fast.space, n, e.beliefOutput, w.beliefHidden, 0, e.beliefHidden)
	classes := w.spec.Auxiliary.BeliefClasses()
	for r := range n {
		w.beliefOutput.Output(n, r, b.Belief[(from+r)*classes:][:classes], e.beliefOutput)
	}
}

// policy computes the logits of n rows.
func (e *CPU) policy(b *Batch, from, n int, x []float32) {
	w, s := e.w, &e.w.spec
	if s.Policy == PolicyNone {
		return
	}
	board, space, cells := w.fast.board, e.fast.space, s.Cells()
	w.policy.ApplyPointwise(board, space, n, e.maps, x)
	logits := b.Policy[from*s.Actions:][:n*s.Actions]
	for r := range n {
		switch row := logits[r*s.Actions:][:s.Actions]; s.Policy {
		case PolicyConv:
			w.policy.PointwiseOutput(board, n, r, 0, row, e.maps)
		case PolicyConvPass:
			w.policy.PointwiseOutput(board, n, r, 0, row[:cells], e.maps)
			w.policy.PointwiseOutput(board, n, r, 1, e.cells, e.maps)
			var sum float64
			for _, v := range e.cells {
				sum += float64(v)
			}
			row[cells] = float32(sum / float64(cells))
		case PolicyDense:
			for k := range 2 {
				w.policy.PointwiseOutput(board, n, r, k, e.cells, e.maps)
				for i, v := range e.cells {
					e.cells[i] = max(v, 0) // NaN stays NaN
				}
				w.policyDense.SetInputs(n, r, k*cells, e.cells, e.pair)
			}
		}
	}
	if s.Policy == PolicyDense {
		w.policyDense.Apply(space, n, e.actions, e.pair)
		for r := range n {
			w.policyDense.Output(n, r, logits[r*s.Actions:][:s.Actions], e.actions)
		}
	}
}

// value computes the expected utilities of n rows.
func (e *CPU) value(b *Batch, from, n int, x []float32) {
	w, s := e.w, &e.w.spec
	w.hidden.Apply(e.fast.space, n, e.hidden, x)
	w.hidden.Rectify(n, e.hidden)
	for p, output := range w.output {
		output.ApplyPart(e.fast.space, n, e.output, w.hidden, p*kernels.Padded(s.Hidden), e.hidden)
		for r := range n {
			output.Output(n, r, e.logits, e.output)
			if e.observe != nil {
				e.observe(p, e.logits)
			}
			v := e.logits[0]
			if s.Value == ValueCategorical {
				v = Expectation(e.logits, s.Support)
			}
			b.Values[(from+r)*s.Players+p] = v
		}
	}
}

// Expectation returns the mean of support under softmax(logits).
func Expectation(logits, support []float32) float32 {
	top := math.Inf(-1)
	for _, l := range logits {
		top = max(top, float64(l))
	}
	var sum, weighted float64
	for i, l := range logits {
		p := math.Exp(float64(l) - top)
		sum += p
		weighted += p * float64(support[i])
	}
	return float32(weighted / sum)
}
