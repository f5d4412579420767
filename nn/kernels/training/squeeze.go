package training

import "math"

// Excitation holds the parameters of a block's squeeze-and-excitation, or their gradients. With z the
// output of the block's last BatchNorm and z̄ its mean over cells,
//
//	h = ReLU(squeeze·z̄),  u = σ(scale·h)·z + shift·h
//
// where each of the three layers has a bias; u replaces z before the block's input is added.
type Excitation struct {
	Squeeze      Affine // [Shape.Squeeze, Filters]
	Scale, Shift Affine // [Filters, Shape.Squeeze]
}

// Affine is the weights [outputs, inputs] and biases [outputs] of a dense layer.
type Affine struct{ Weight, Bias []float32 }

// excitation is the state of a block's squeeze-and-excitation between Forward and Backward. Since it
// scales and shifts each channel of a position, it changes BatchNorm's coefficients: the kernels
// compute it with coefficients for each position in place of each layer.
type excitation struct {
	squeeze, excite *Dense
	sums            []float32 // [group][block][position][2][lanes] over cells: of y less its tile's mean, or less 0 in evaluation
	slopes          []float32 // [group][block][position][2][lanes]: Σ d and Σ d·(y − mean), d being the gradient of u

	deviation []float32 // [row][Filters] mean over cells of y, less BatchNorm's mean
	mean      []float32 // [row][Filters] z̄
	hidden    []float32 // [row][Squeeze] h
	factors   []float32 // [row][2][Filters] scales and shifts
	weight    []float32 // [2·Filters, Squeeze] of both, later their gradient
	dHidden   []float32 // as hidden
	dFactors  []float32 // gradients of the arguments of σ, and of the shifts
	dSqueeze  []float32 // [row][Filters] gradient of z̄
}

// excited reports whether squeeze-and-excitation follows layer i.
func (t *Trunk) excited(i int) bool { return t.Squeeze > 0 && i > 0 && i%2 == 0 }

// allocateExcitations allocates what squeeze-and-excitation needs.
func (t *Trunk) allocateExcitations(a *arena) {
	tiles := t.groups() * t.out * group
	a.add(&t.positional, tiles*coefficients*lanes)
	for i := range t.layers {
		if !t.excited(i) {
			continue
		}
		e := &excitation{
			squeeze: newDense(t.products, DenseShape{Rows: t.Rows, Groups: 1, In: t.Filters, Out: t.Squeeze}, t.workers),
			excite:  newDense(t.products, DenseShape{Rows: t.Rows, Groups: 1, In: t.Squeeze, Out: 2 * t.Filters}, t.workers),
		}
		t.layers[i].excitation = e
		a.add(&e.sums, tiles*2*lanes)
		a.add(&e.deviation, t.Rows*t.Filters)
		a.add(&e.mean, t.Rows*t.Filters)
		a.add(&e.hidden, t.Rows*t.Squeeze)
		a.add(&e.factors, t.Rows*2*t.Filters)
		a.add(&e.weight, 2*t.Filters*t.Squeeze)
		if t.training {
			a.add(&e.slopes, tiles*2*lanes)
			a.add(&e.dHidden, t.Rows*t.Squeeze)
			a.add(&e.dFactors, t.Rows*2*t.Filters)
			a.add(&e.dSqueeze, t.Rows*t.Filters)
		}
	}
}

// measurePositions sets the sums over cells of a block's positions, given the tile's mean.
func (t *Trunk) measurePositions(e *excitation, mean, values []float32, g, b int) {
	cells := t.cells()
	for p := range t.positions(g) {
		sums := e.sums[t.tile(g, b, p)*2*lanes:][:2*lanes]
		clear(sums)
		row := values[p*cells*lanes:][:cells*lanes]
		if cells >= 8 {
			t.deviationsOf8(&row[0], &mean[0], &sums[0], cells/8)
		}
		if rest := cells % 8; rest > 0 {
			t.deviations(&row[(cells-rest)*lanes], &mean[0], &sums[0], rest)
		}
	}
}

// tile returns the index of position p of a block of group g among all.
func (t *Trunk) tile(g, b, p int) int { return (g*t.out+b)*group + p }

// coefficientsAt returns the coefficients of a position, if they differ from those of its layer.
func (t *Trunk) coefficientsAt(g, b, p int) []float32 {
	return t.positional[t.tile(g, b, p)*coefficients*lanes:][:coefficients*lanes]
}

// eachFilter calls f on several goroutines for every row and filter of every group: with the filter's
// index among the coefficients of a block, that among the tile's sums, and that among numbers [row][Filters].
func (t *Trunk) eachFilter(f func(g, b, p, lane, row, filter int)) {
	Each(t.workers, t.groups(), func(_, g int) {
		for b := range t.out {
			from, to := t.filters(b)
			for p := range t.positions(g) {
				for c := from; c < to; c++ {
					f(g, b, p, c-from, g*group+p, c)
				}
			}
		}
	})
}

// excite computes the squeeze-and-excitation after layer i, whose values and BatchNorm's coefficients
// are known, and sets the coefficients of each position.
func (t *Trunk) excite(i int, with *Excitation) {
	l := &t.layers[i]
	e, cells := l.excitation, float32(t.cells())
	t.eachFilter(func(g, b, p, lane, row, c int) {
		k := l.coef[b*coefficients*lanes+lane:]
		d := e.sums[t.tile(g, b, p)*2*lanes+lane]/cells - k[atMean]
		if t.training {
			d += l.moments[(g*t.out+b)*3*lanes+lane]
		}
		e.deviation[row*t.Filters+c] = d
		e.mean[row*t.Filters+c] = d*k[atScale] + k[atShift]
	})
	e.squeeze.Forward(e.mean, with.Squeeze.Weight, e.hidden)
	for row := range t.Rows {
		for j, bias := range with.Squeeze.Bias {
			e.hidden[row*t.Squeeze+j] = max(e.hidden[row*t.Squeeze+j]+bias, 0)
		}
	}
	half := t.Filters * t.Squeeze
	copy(e.weight[:half], with.Scale.Weight)
	copy(e.weight[half:], with.Shift.Weight)
	e.excite.Forward(e.hidden, e.weight, e.factors)
	t.eachFilter(func(g, b, p, lane, row, c int) {
		scale, shift := &e.factors[2*row*t.Filters+c], &e.factors[(2*row+1)*t.Filters+c]
		*scale = float32(1 / (1 + math.Exp(-float64(*scale+with.Scale.Bias[c]))))
		*shift += with.Shift.Bias[c]
		from, to := l.coef[b*coefficients*lanes+lane:], t.coefficientsAt(g, b, p)[lane:]
		to[atMean] = from[atMean]
		to[atScale] = from[atScale] * *scale
		to[atShift] = from[atShift]**scale + *shift
	})
}

// differentiateExcitation computes the gradients of the squeeze-and-excitation after layer i from the
// slopes of its positions. Those of z are left to differentiate and spreadGradient: d·σ(scale·h) plus,
// through z̄, dSqueeze/cells.
func (t *Trunk) differentiateExcitation(i int, to *Excitation) {
	l := &t.layers[i]
	e := l.excitation
	t.eachFilter(func(g, b, p, lane, row, c int) {
		k, s := l.coef[b*coefficients*lanes+lane:], e.slopes[t.tile(g, b, p)*2*lanes+lane:]
		slope := s[0]
		product := s[lanes]*k[atScale] + slope*k[atShift] // Σ d·z
		factor := e.factors[2*row*t.Filters+c]
		e.dFactors[2*row*t.Filters+c] = product * factor * (1 - factor)
		e.dFactors[(2*row+1)*t.Filters+c] = slope
	})
	e.excite.Backward(e.dFactors, e.dHidden, e.weight)
	half := t.Filters * t.Squeeze
	copy(to.Scale.Weight, e.weight[:half])
	copy(to.Shift.Weight, e.weight[half:])
	sumColumns(to.Scale.Bias, e.dFactors, 2*t.Filters)
	sumColumns(to.Shift.Bias, e.dFactors[t.Filters:], 2*t.Filters)
	for j, v := range e.hidden {
		if !(v > 0) {
			e.dHidden[j] = 0
		}
	}
	e.squeeze.Backward(e.dHidden, e.dSqueeze, to.Squeeze.Weight)
	sumColumns(to.Squeeze.Bias, e.dHidden, t.Squeeze)
}

// sumColumns sets sums to the sums of columns of a matrix whose rows are step apart.
func sumColumns(sums, x []float32, step int) {
	total := make([]float64, len(sums))
	for ; len(x) >= len(sums); x = x[min(step, len(x)):] {
		for c, v := range x[:len(sums)] {
			total[c] += float64(v)
		}
	}
	for c, v := range total {
		sums[c] = float32(v)
	}
}

// slopesOf returns the sums over all cells of filter c of the gradient of z, and of its products with
// y − mean.
func (e *excitation) slopesOf(t *Trunk, b, c int) (sum, product float64) {
	for row := range t.Rows {
		s := e.slopes[t.tile(row/group, b, row%group)*2*lanes+c%lanes:]
		factor, through := float64(e.factors[2*row*t.Filters+c]), float64(e.dSqueeze[row*t.Filters+c])
		sum += factor*float64(s[0]) + through
		product += factor*float64(s[lanes]) + through*float64(e.deviation[row*t.Filters+c])
	}
	return sum, product
}

// spreadGradient sets the coefficients of BatchNorm's gradient for each position from those of layer i.
func (t *Trunk) spreadGradient(i int) {
	l := &t.layers[i]
	e, cells := l.excitation, float32(t.cells())
	t.eachFilter(func(g, b, p, lane, row, c int) {
		from, to := l.coef[b*coefficients*lanes+lane:], t.coefficientsAt(g, b, p)[lane:]
		to[atMean] = from[atMean]
		to[atGrad] = from[atGrad] * e.factors[2*row*t.Filters+c]
		to[atValue] = from[atValue]
		to[atConst] = from[atConst] + from[atGrad]*e.dSqueeze[row*t.Filters+c]/cells
	})
}
