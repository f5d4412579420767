package train

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"tengen/nn"
)

// NoClass in Batch.Cells says that a cell has no target.
const NoClass = -1

// auxiliary is the part of a graph for nn.Auxiliary. What the network lacks is nil.
type auxiliary[T float] struct {
	cellTarget, cellWeight []T // [rows, targets·cells] classes; [rows] factors in the loss
	seatTarget, seatWeight []T // [rows, Players·Seats]
	// [rows, facts + classes]: see beliefEntropy
	beliefTarget, beliefWeight []T

	cellLoss, seatLoss interface{ rowLosses() []float64 }
	beliefLoss         *beliefEntropy[T]
}

// addAuxiliary adds the auxiliary heads to the graph and returns the loss plus theirs. flat is the
// trunk, channel-major.
func (b *builder[T]) addAuxiliary(n *network[T], trunk, flat, loss *G.Node) *G.Node {
	spec, rows, a := b.spec, n.rows, b.spec.Auxiliary
	cells := spec.Cells()
	add := func(l *G.Node) { loss = G.Must(G.Add(loss, l)) }
	if classes := a.Classes(); classes > 0 {
		// A 1×1 convolution is a dense layer for each cell.
		head := newDense[T](rows*cells, 1, spec.Filters, classes, b.workers, false)
		logits := apply("aux.cells", layer[T](head), tensor.Shape{rows, cells * classes},
			[]bool{true, true, true},
			trunk, b.nodes["aux.cells.weight"], b.nodes["aux.cells.bias"])
		l := newCellCrossEntropy[T](rows, cells, a.Cells, b.workers)
		n.cellLoss = l
		var lossNode *G.Node
		lossNode, n.cellTarget, n.cellWeight = b.loss("aux.cells", l, logits, len(a.Cells)*cells)
		add(lossNode)
	}
	if outputs := spec.Players * a.Seats; outputs > 0 {
		mean := apply("aux.seats.mean",
			layer[T](&cellMean[T]{rows, cells, spec.Filters, b.workers}),
			tensor.Shape{rows, spec.Filters}, []bool{true}, trunk)
		numbers := b.dense("aux.seats", mean, 1, spec.Filters, outputs, false)
		l := newSquaredError[T](rows, outputs)
		n.seatLoss = l
		var lossNode *G.Node
		lossNode, n.seatTarget, n.seatWeight = b.loss("aux.seats", l, numbers, outputs)
		add(lossNode)
	}
	if classes := a.BeliefClasses(); classes > 0 {
		hidden := b.dense("aux.belief.hidden", flat, 1, cells*spec.Filters, spec.Hidden, true)
		logits := b.dense("aux.belief.output", hidden, 1, spec.Hidden, classes, false)
		n.beliefLoss = newBeliefEntropy[T](rows, a.Belief, b.workers)
		var lossNode *G.Node
		lossNode, n.beliefTarget, n.beliefWeight = b.loss("aux.belief",
			n.beliefLoss, logits, n.beliefLoss.width())
		add(lossNode)
	}
	return loss
}

// cellMean is the trunk's mean over cells: [rows, cells·filters], cell-major, to [rows, filters].
type cellMean[T float] struct{ rows, cells, filters, workers int }

func (l *cellMean[T]) forward(in [][]T, y []T) {
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			mean := y[r*l.filters : (r+1)*l.filters]
			clear(mean)
			for cell := range l.cells {
				axpy(1, in[0][(r*l.cells+cell)*l.filters:][:l.filters], mean)
			}
			for f := range mean {
				mean[f] /= T(l.cells)
			}
		}
	})
}

func (l *cellMean[T]) backward(_ [][]T, _, dy []T, dIn [][]T) {
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			d := dy[r*l.filters : (r+1)*l.filters]
			for cell := range l.cells {
				x := dIn[0][(r*l.cells+cell)*l.filters:][:l.filters]
				for f, v := range d {
					x[f] = v / T(l.cells)
				}
			}
		}
	})
}

// cellCrossEntropy computes for each row the mean, over its pairs of a target and a cell that have
// a class, of −log softmax(logits of the target's classes)[class]; 0 if it has none. Inputs: logits
// [rows, cells·classes], cell-major, the classes of all targets in order; and classes [rows,
// targets·cells] as numbers, NoClass where there is none.
type cellCrossEntropy[T float] struct {
	rows, cells, workers int
	targets              []int // number of classes of each target
	all                  int   // of all targets

	p      []T       // softmax(logits)
	losses []float64 // [rows] the last result
}

func newCellCrossEntropy[T float](
	rows, cells int, targets []int, workers int,
) *cellCrossEntropy[T] {
	all := nn.Auxiliary{Cells: targets}.Classes()
	return &cellCrossEntropy[T]{
		rows, cells, workers, targets, all, make([]T, rows*all*cells), make([]float64, rows),
	}
}

// known returns the number of pairs of a row that have a class.
func known[T float](classes []T) int {
	n := 0
	for _, c := range classes {
		if c >= 0 {
			n++
		}
	}
	return n
}

func (l *cellCrossEntropy[T]) forward(in [][]T, y []T) {
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			classes := in[1][r*len(l.targets)*l.cells:][:len(l.targets)*l.cells]
			total := 0.0
			for cell := range l.cells {
				at := (r*l.cells + cell) * l.all
				for k, n := range l.targets {
					if class := classes[k*l.cells+cell]; class >= 0 {
						total += softmaxAt(in[0][at:at+n], l.p[at:at+n], int(class))
					}
					at += n
				}
			}
			l.losses[r] = total / float64(max(1, known(classes)))
			y[r] = T(l.losses[r])
		}
	})
}

// softmaxAt computes the probabilities of logits and returns −log p of a class.
func softmaxAt[T float](logits, p []T, class int) float64 {
	top := math.Inf(-1)
	for _, v := range logits {
		top = max(top, float64(v))
	}
	total := 0.0
	for i, v := range logits {
		e := math.Exp(float64(v) - top)
		p[i] = T(e)
		total += e
	}
	for i := range p {
		p[i] /= T(total)
	}
	return top + math.Log(total) - float64(logits[class])
}

func (l *cellCrossEntropy[T]) backward(in [][]T, _, dy []T, dIn [][]T) {
	eachChunk(l.workers, l.rows, func(_, _, from, to int) {
		for r := from; r < to; r++ {
			classes := in[1][r*len(l.targets)*l.cells:][:len(l.targets)*l.cells]
			slope := dy[r] / T(max(1, known(classes)))
			for cell := range l.cells {
				at := (r*l.cells + cell) * l.all
				for k, n := range l.targets {
					d, class := dIn[0][at:at+n], int(classes[k*l.cells+cell])
					if class < 0 {
						clear(d)
					} else {
						for i, p := range l.p[at : at+n] {
							d[i] = slope * p
						}
						d[class] = slope * (l.p[at+class] - 1)
					}
					at += n
				}
			}
		}
	})
}

func (l *cellCrossEntropy[T]) rowLosses() []float64 { return l.losses }

// newAuxiliary makes a batch's arrays for the auxiliary heads.
func (b *Batch) newAuxiliary(spec nn.Spec, n int) {
	a := spec.Auxiliary
	if len(a.Cells) > 0 {
		b.Cells = make([]int8, n*len(a.Cells)*spec.Cells())
	}
	if a.Seats > 0 {
		b.Seats = make([]float32, n*spec.Players*a.Seats)
	}
	if len(a.Cells) > 0 || a.Seats > 0 {
		b.AuxiliaryWeight = make([]float32, n)
	}
	b.newBelief(a, n)
}

// checkAuxiliary returns an error unless the targets of the auxiliary heads fit n rows.
func (b *Batch) checkAuxiliary(spec nn.Spec, n int) error {
	a := spec.Auxiliary
	if a.IsZero() {
		return nil
	}
	targets := 0
	if len(a.Cells) > 0 || a.Seats > 0 {
		targets = n
	}
	for _, c := range []struct {
		name      string
		got, want int
	}{
		{"targets of cells", len(b.Cells), n * len(a.Cells) * spec.Cells()},
		{"targets of seats", len(b.Seats), n * spec.Players * a.Seats},
		{"weights of auxiliary targets", len(b.AuxiliaryWeight), targets},
	} {
		if c.got != c.want {
			return fmt.Errorf("batch: %d numbers of %s, want %d for %d rows",
				c.got, c.name, c.want, n)
		}
	}
	for i, class := range b.Cells {
		if k := i / spec.Cells() % len(a.Cells); class < NoClass || int(class) >= a.Cells[k] {
			return fmt.Errorf(
				"batch: a cell of row %d has class %d of target %d; %d to %d is wanted",
				i/spec.Cells()/len(a.Cells), class, k, NoClass, a.Cells[k]-1)
		}
	}
	if err := checkWeights("auxiliary", b.AuxiliaryWeight); err != nil {
		return err
	}
	return b.checkBelief(a, n)
}

// checkWeights returns an error if a weight is negative or not finite.
func checkWeights(what string, weights []float32) error {
	for r, w := range weights {
		if !(w >= 0 && w <= math.MaxFloat32) {
			return fmt.Errorf(
				"batch: the %s weight of row %d is %g; a number of at least 0 is wanted",
				what, r, w)
		}
	}
	return nil
}

// mass returns the sum of weights.
func mass(weights []float32) float64 {
	total := 0.0
	for _, w := range weights {
		total += float64(w)
	}
	return total
}

// loadAuxiliary copies rows from to from+count-1 of a batch into the inputs of the auxiliary heads.
func (n *network[T]) loadAuxiliary(b *Batch, from, count int, c Config) {
	s := n.spec
	targets := b.AuxiliaryMass()
	if n.cellLoss != nil {
		length := len(s.Auxiliary.Cells) * s.Cells()
		for i := range n.cellTarget {
			n.cellTarget[i] = NoClass
		}
		for i, class := range b.Cells[from*length : (from+count)*length] {
			n.cellTarget[i] = T(class)
		}
		setFactors(n.cellWeight, b.AuxiliaryWeight[from:from+count], c.LabelWeight, targets)
	}
	if n.seatLoss != nil {
		length := s.Players * s.Auxiliary.Seats
		setNumbers(n.seatTarget, b.Seats[from*length:(from+count)*length])
		setFactors(n.seatWeight, b.AuxiliaryWeight[from:from+count],
			c.LabelWeight/float64(length), targets)
	}
	n.loadBelief(b, from, count, c)
}

// setNumbers copies numbers, and clears the rest of dst.
func setNumbers[T float](dst []T, src []float32) {
	clear(dst)
	for i, v := range src {
		dst[i] = T(v)
	}
}

// setFactors sets the rows' factors, factor·weight / mass, and clears the rest of dst.
func setFactors[T float](dst []T, weights []float32, factor, mass float64) {
	clear(dst)
	if mass == 0 {
		return
	}
	for r, w := range weights {
		dst[r] = T(factor * float64(w) / mass)
	}
}

// auxiliaryMeasure accumulates the sums behind the losses of the auxiliary heads.
type auxiliaryMeasure struct {
	labelWeight, cells, seats float64
	belief                    beliefMeasure
}

// add adds rows 0 to rows-1 of n's last run, which are the batch's rows from from on.
func (m *auxiliaryMeasure) add(n *network[float32], rows int, b *Batch, from int) {
	m.belief.add(n, rows, b, from)
	numbers := float64(max(1, n.spec.Players*n.spec.Auxiliary.Seats))
	for r := range rows {
		if n.cellLoss != nil {
			m.cells += float64(b.AuxiliaryWeight[from+r]) * n.cellLoss.rowLosses()[r]
		}
		if n.seatLoss != nil {
			m.seats += float64(b.AuxiliaryWeight[from+r]) * n.seatLoss.rowLosses()[r] / numbers
		}
		if len(b.AuxiliaryWeight) > 0 {
			m.labelWeight += float64(b.AuxiliaryWeight[from+r])
		}
	}
}

// set writes the mean losses, and adds them to the total.
func (m *auxiliaryMeasure) set(l *nn.Losses, c Config) {
	if m.labelWeight > 0 {
		l.Cells, l.Seats = m.cells/m.labelWeight, m.seats/m.labelWeight
	}
	if more := c.LabelWeight * (l.Cells + l.Seats); more != 0 {
		l.Total += more
	}
	m.belief.set(l, c)
}
