package training

import "tengen/nn/kernels"

// Coefficients of a block of channels, [coefficients][lanes].
const (
	atMean  = iota * lanes // the mean, which is subtracted
	atScale                // γ/√(variance + ε)
	atShift                // β
	atGrad                 // in BatchNorm's gradient: the factor of the output's gradient,
	atValue                // that of y − mean,
	atConst                // and the constant term
	coefficients
)

// Variants of input transforms, by what they transform. norm(y) is
// (y − mean)·scale + shift.
const (
	inPlain    = iota // p0
	inNorm            // ReLU(norm(p0))
	inStore           // the same, stored at p2 as well
	inResidual        // ReLU(norm(p0) + p1), stored at p2 as well
	inGradient        // grad·p0 + value·(p1 − mean) + const
	inputs
)

// Variants of output transforms, by what they do with a result v. They add to two sums per
// channel in stats.
const (
	outValue     = iota // p0 = v; Σ v
	outGate             // p0 = v where norm(p1) > 0; Σ of it, and of it·(p1 − mean)
	outGateAfter        // p0 = v + p1 where p2 > 0; Σ of it, and of it·(p3 − mean)
	outputs
)

// loops are the kernels of one path for one board. All work on one block of 16 channels of float32.
//
// A half-transformed batch is [component][line][lanes], with components reach floats
// apart and the lines of its positions in order. Components are kx = 0, Lx/2, then real and
// imaginary part of 1, 2 … Lx/2 − 1.
type loops struct {
	// rowsIn transforms n lines along x; p0, p1 and p2 are [line][cell][lanes].
	rowsIn [inputs]rowsInFunc
	// rowsOut inverts n lines.
	rowsOut [outputs]rowsOutFunc
	// columnsIn transforms n positions along y, to planes stride floats apart; a complex
	// frequency has three: re + im, re and im. columnsOut inverts, from the three products.
	columnsIn, columnsOut columns

	// packRows transforms n lines of three taps, of weights [channel][9][lanes], times factor
	// [lanes], and packColumns the columns of n input channels, to planes re, im − re and
	// re + im of the correlation. unpackColumns and unpackRows are the adjoint; they take the
	// third plane's gradient with the opposite sign.
	packRows, unpackRows       packRowsFunc
	packColumns, unpackColumns columns

	*products
}

type (
	rowsInFunc   func(half, p0, p1, p2, coef *float32, n int)
	rowsOutFunc  func(half, p0, p1, p2, p3, coef, stats *float32, n int)
	packRowsFunc func(half, w, factor *float32, n int)
)

// columns are the kernels for the two kinds of columns of a half-transformed batch: real (one
// component) and complex (two components).
type columns struct {
	real, complex func(planes, half *float32, n int)
}

// each applies columns to n positions; planes starts at the first position's first plane.
func (c *columns) each(g *geometry, planes, half []float32, n int) {
	realPlanes, complexPlanes := 3*g.ly/2-1, 3*g.ly
	c.real(&planes[0], &half[0], n)
	if g.point() {
		return
	}
	c.real(&planes[realPlanes*stride], &half[reach], n)
	for j := range g.lx/2 - 1 {
		c.complex(&planes[(2*realPlanes+j*complexPlanes)*stride], &half[(2+2*j)*reach], n)
	}
}

// products are the kernels of a path that do not depend on the board.
type products struct {
	// multiply computes the tile c = Σ a·b over n pairs of tiles, or adds it to c; a's and
	// b's tiles are aStep and bStep floats apart. correlate does the same for aᵀ·b.
	multiply, correlate func(c, a, b *float32, n, aStep, bStep int, add bool)
	// multiplyAhead does not add. It prefetches to the second-level cache two lines per tile
	// from each of places[:6], which it advances.
	multiplyAhead func(c, a, b *float32, n, aStep, bStep int, places *uintptr)
	// transpose transposes a 16×16 tile; lines are dstStep and srcStep floats apart.
	transpose func(dst, src *float32, dstStep, srcStep int)

	// finish computes dst = ReLU(norm(y) + skip) for n vectors, finishPlain without skip.
	finish      func(dst, y, skip, coef *float32, n int)
	finishPlain func(dst, y, coef *float32, n int)
	// gate computes d = g where a > 0, and the sums of d and d·(y − mean).
	gate func(d, g, a, y, coef, stats *float32, n int)
	// deviations sums y − mean and its square over n vectors, deviationsOf8 over 8·n.
	deviations, deviationsOf8 func(y, coef, stats *float32, n int)

	// adam takes a step of Adam with n vectors; constants are [adamConstants][lanes].
	adam func(w, first, second, gradient, constants *float32, n int)
}

// Generated reports whether a path has generated kernels in this package. The portable ones are a
// reference, no faster than an ordinary library's products.
func Generated(p *kernels.Path) bool {
	_, ok := generated[p.String()]
	return ok
}

// loopsOf returns the loops of a path for a board, in plain Go if none are generated.
func loopsOf(p *kernels.Path, g *geometry) *loops {
	if g.point() {
		return pointLoops(productsOf(p))
	}
	if t, ok := generated[p.String()]; ok {
		return t.loops(g)
	}
	return portable(g)
}

// productsOf returns the products of a path, in plain Go if none are generated.
func productsOf(p *kernels.Path) *products {
	if t, ok := generated[p.String()]; ok {
		return &t.products
	}
	return &portableProducts
}

// table lists generated kernels by the side of a board or the length of a transform.
type table struct {
	rowsIn                     [inputs][maxSide + 1]rowsInFunc
	rowsOut                    [outputs][maxSide + 1]rowsOutFunc
	columnsIn, columnsOut      [maxSide + 1]columns
	packRows, unpackRows       map[int]packRowsFunc
	packColumns, unpackColumns map[int]columns
	products                   products
}

// loops returns the kernels of a board.
func (t *table) loops(g *geometry) *loops {
	k := &loops{
		columnsIn: t.columnsIn[g.height], columnsOut: t.columnsOut[g.height],
		packRows: t.packRows[g.lx], unpackRows: t.unpackRows[g.lx],
		packColumns: t.packColumns[g.ly], unpackColumns: t.unpackColumns[g.ly],
		products: &t.products,
	}
	for v := range k.rowsIn {
		k.rowsIn[v] = t.rowsIn[v][g.width]
	}
	for v := range k.rowsOut {
		k.rowsOut[v] = t.rowsOut[v][g.width]
	}
	return k
}
