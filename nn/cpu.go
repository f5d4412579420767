package nn

import (
	"fmt"
	"math"
	"reflect"

	"tengen/nn/internal/conv"
)

// rowBlock is how many rows go through the network together: enough to use
// weights again while they are cached, few enough for the rows to stay there.
const rowBlock = 16

// hiddenBlock is how many hidden units are computed for all rows of a block
// before the next ones, so that their weights are read from a near cache.
const hiddenBlock = 16

// CPU is the portable Evaluator. It allocates nothing while it evaluates. A
// CPU is used by one goroutine. Observations that are not finite give results that
// are not finite where the network's definition does.
type CPU struct {
	w *Weights

	// Rows of a block, cell-major [Cells, channels].
	planes       []float32
	planesStride int
	x, y, z      []float32
	stride       int

	hidden       []float32 // [rowBlock, Players·Hidden]
	hiddenStride int
	filters      []float32 // [Filters]: a mean over cells, or one policy filter
	pair         []float32 // [2, Cells] of the dense policy head
	logits       []float32 // [Outputs] of one player
}

// NewEvaluator makes an evaluator for one goroutine.
func NewEvaluator(w *Weights) *CPU {
	s := &w.spec
	e := &CPU{
		w:            w,
		planesStride: conv.Stride(s.Cells() * s.Planes),
		stride:       conv.Stride(s.Cells() * s.Filters),
		hiddenStride: conv.Stride(s.Players * s.Hidden),
	}
	e.planes = conv.Aligned[float32](rowBlock * e.planesStride)
	e.x = conv.Aligned[float32](rowBlock * e.stride)
	e.y = conv.Aligned[float32](rowBlock * e.stride)
	e.z = conv.Aligned[float32](rowBlock * e.stride)
	e.hidden = conv.Aligned[float32](rowBlock * e.hiddenStride)
	e.filters = conv.Aligned[float32](s.Filters)
	e.pair = conv.Aligned[float32](2 * s.Cells())
	e.logits = conv.Aligned[float32](s.Outputs())
	return e
}

// SetWeights makes the following evaluations use other numbers of the same
// network. It panics where the networks differ.
func (e *CPU) SetWeights(w *Weights) {
	if !reflect.DeepEqual(e.w.spec, w.spec) {
		panic(fmt.Sprintf("nn: an evaluator for the network %+v was given the weights of %+v", e.w.spec, w.spec))
	}
	e.w = w
}

// NewBatch makes a batch for up to capacity rows.
func (e *CPU) NewBatch(capacity int) *Batch {
	s := &e.w.spec
	b := &Batch{
		Observations: make([]float32, capacity*s.Planes*s.Cells()),
		Values:       make([]float32, capacity*s.Players),
	}
	if s.Policy != PolicyNone {
		b.Policy = make([]float32, capacity*s.Actions)
	}
	return b
}

// Evaluate fills Policy and Values for rows 0 to N-1.
func (e *CPU) Evaluate(b *Batch) {
	for from := 0; from < b.N; from += rowBlock {
		n := min(rowBlock, b.N-from)
		e.load(b, from, n)
		e.trunk(n)
		e.policy(b, from, n)
		e.value(b, from, n)
	}
}

// load turns observations from [Planes, Cells] into [Cells, Planes].
func (e *CPU) load(b *Batch, from, n int) {
	planes, cells := e.w.spec.Planes, e.w.spec.Cells()
	for r := range n {
		src := b.Observations[(from+r)*planes*cells:][:planes*cells]
		dst := e.planes[r*e.planesStride:][:planes*cells]
		for p := range planes {
			for c, v := range src[p*cells : (p+1)*cells] {
				dst[c*planes+p] = v
			}
		}
	}
}

// trunk computes the stem and the residual blocks; the result is in e.x.
func (e *CPU) trunk(n int) {
	t := e.w.trunk
	e.convolve(&t[0], n, e.planes, e.planesStride, nil, e.x)
	for i := 1; i < len(t); i += 2 {
		e.convolve(&t[i], n, e.x, e.stride, nil, e.y)
		e.convolve(&t[i+1], n, e.y, e.stride, e.x, e.z)
		e.x, e.z = e.z, e.x
	}
}

// convolve computes y = ReLU(bias + skip + conv(x)).
func (e *CPU) convolve(c *foldedConv, n int, x []float32, xStride int, skip, y []float32) {
	length := e.w.spec.Cells() * len(c.bias)
	for r := range n {
		row := y[r*e.stride:][:length]
		if skip == nil {
			for ; len(row) > 0; row = row[len(c.bias):] {
				copy(row, c.bias)
			}
			continue
		}
		from := skip[r*e.stride:][:length]
		for ; len(row) > 0; row, from = row[len(c.bias):], from[len(c.bias):] {
			add(row[:len(c.bias)], from, c.bias)
		}
	}
	c.kernel.Forward(n, x, xStride, y, e.stride)
	for r := range n {
		row := y[r*e.stride:][:length]
		for i, v := range row {
			row[i] = max(v, 0) // NaN stays NaN
		}
	}
}

// add computes y = a + b.
func add(y, a, b []float32) {
	a, b = a[:len(y)], b[:len(y)]
	for i := range y {
		y[i] = a[i] + b[i]
	}
}

// policy computes the logits of n rows.
func (e *CPU) policy(b *Batch, from, n int) {
	w, s := e.w, &e.w.spec
	if s.Policy == PolicyNone {
		return
	}
	cells, filters := s.Cells(), s.Filters
	for r := range n {
		x := e.x[r*e.stride:]
		logits := b.Policy[(from+r)*s.Actions:][:s.Actions]
		switch s.Policy {
		case PolicyConv, PolicyConvPass:
			conv.MatVec(cells, filters, x, filters, w.policyWeight, false, logits)
			for i := range cells {
				logits[i] += w.policyBias[0]
			}
			if s.Policy == PolicyConvPass {
				e.meanOverCells(x)
				conv.MatVec(1, filters, w.passWeight, filters, e.filters, false, logits[cells:])
				logits[cells] += w.passBias
			}
		case PolicyDense:
			for k := range 2 {
				pair := e.pair[k*cells:][:cells]
				copy(e.filters, w.policyWeight[k*filters:])
				conv.MatVec(cells, filters, x, filters, e.filters, false, pair)
				for i, v := range pair {
					pair[i] = max(v+w.policyBias[k], 0)
				}
			}
			conv.MatVec(s.Actions, 2*cells, w.denseWeight, 2*cells, e.pair, false, logits)
			for i := range logits {
				logits[i] += w.denseBias[i]
			}
		}
	}
}

func (e *CPU) meanOverCells(x []float32) {
	s := &e.w.spec
	clear(e.filters)
	for cell := range s.Cells() {
		for f, v := range x[cell*s.Filters:][:s.Filters] {
			e.filters[f] += v
		}
	}
	for f := range e.filters {
		e.filters[f] /= float32(s.Cells())
	}
}

// value computes the expected utilities of n rows.
func (e *CPU) value(b *Batch, from, n int) {
	w, s := e.w, &e.w.spec
	length, width := s.Cells()*s.Filters, s.Players*s.Hidden
	for h := 0; h < width; h += hiddenBlock {
		m := min(hiddenBlock, width-h)
		for r := range n {
			conv.MatVec(m, length, w.hiddenWeight[h*length:], length, e.x[r*e.stride:], false, e.hidden[r*e.hiddenStride+h:])
		}
	}
	outputs := s.Outputs()
	for r := range n {
		hidden := e.hidden[r*e.hiddenStride:][:width]
		for i, v := range hidden {
			hidden[i] = max(v+w.hiddenBias[i], 0)
		}
		for p := range s.Players {
			conv.MatVec(outputs, s.Hidden, w.outputWeight[p*outputs*s.Hidden:], s.Hidden, hidden[p*s.Hidden:], false, e.logits)
			for i := range e.logits {
				e.logits[i] += w.outputBias[p*outputs+i]
			}
			v := e.logits[0]
			if s.Value == ValueCategorical {
				v = Expectation(e.logits, s.Support)
			}
			b.Values[(from+r)*s.Players+p] = v
		}
	}
}

// Expectation is the mean of support under softmax(logits).
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
