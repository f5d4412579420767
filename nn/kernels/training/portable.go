package training

import (
	"math"
	"unsafe"
)

// portable returns kernels in plain Go, which compute transforms by definition and are
// the reference for the generated ones.
func portable(g *geometry) *loops {
	x, y := newFourier(g.width, g.lx), newFourier(g.height, g.ly)
	tx, ty := newTapFourier(g.lx), newTapFourier(g.ly)
	k := &loops{products: &portableProducts}
	for variant := range k.rowsIn {
		k.rowsIn[variant] = func(half, p0, p1, p2, coef *float32, n int) {
			size := n * x.n * lanes
			a, b, c := view(p0, 0, size), view(p1, 0, size), view(p2, 0, size)
			for line := range n {
				var cells [maxSide][lanes]float32
				for i := range x.n {
					load(&cells[i], variant, a, b, c, coef, (line*x.n+i)*lanes)
				}
				x.lineIn(x.line(half, line), &cells)
			}
		}
	}
	k.columnsIn, k.columnsOut = columns{y.realIn, y.complexIn}, columns{y.realOut, y.complexOut}
	for variant := range k.rowsOut {
		k.rowsOut[variant] = func(half, p0, p1, p2, p3, coef, stats *float32, n int) {
			for line := range n {
				var cells [maxSide][lanes]float32
				x.lineOut(&cells, x.line(half, line))
				for i := range x.n {
					store(&cells[i], variant, p0, p1, p2, p3, coef, stats, (line*x.n+i)*lanes)
				}
			}
		}
	}
	k.packRows = func(half, w, factor *float32, n int) {
		for line := range n {
			var cells [maxSide][lanes]float32
			for i := range 3 {
				for c, v := range view(w, (line*3+i)*lanes, lanes) {
					cells[i][c] = v * view(factor, 0, lanes)[c]
				}
			}
			tx.lineIn(x.line(half, line), &cells)
		}
	}
	k.packColumns, k.unpackColumns = columns{ty.realIn, ty.complexIn},
		columns{ty.realOut, ty.complexOut}
	k.unpackRows = func(half, dw, factor *float32, n int) {
		for line := range n {
			var cells [maxSide][lanes]float32
			tx.lineOut(&cells, x.line(half, line))
			for i := range 3 {
				for c, v := range cells[i] {
					view(dw, (line*3+i)*lanes, lanes)[c] = v * view(factor, 0, lanes)[c]
				}
			}
		}
	}
	return k
}

// view returns the n numbers from p+offset on, or nil if p is nil.
func view(p *float32, offset, n int) []float32 {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(p), offset*4)), n)
}

// load returns one cell of an input transform's source.
func load(to *[lanes]float32, variant int, p0, p1, p2 []float32, coef *float32, at int) {
	a := p0[at : at+lanes]
	if variant == inPlain {
		copy(to[:], a)
		return
	}
	k := view(coef, 0, coefficients*lanes)
	if variant == inGradient {
		b := p1[at : at+lanes]
		for c := range to {
			to[c] = k[atGrad+c]*a[c] + k[atValue+c]*(b[c]-k[atMean+c]) + k[atConst+c]
		}
		return
	}
	for c := range to {
		v := (a[c]-k[atMean+c])*k[atScale+c] + k[atShift+c]
		if variant == inResidual {
			v += p1[at+c]
		}
		to[c] = max(v, 0)
	}
	if variant != inNorm {
		copy(p2[at:], to[:])
	}
}

// store processes one cell of an output transform's result.
func store(v *[lanes]float32, variant int, p0, p1, p2, p3, coef, stats *float32, at int) {
	sums, out := view(stats, 0, 2*lanes), view(p0, at, lanes)
	if variant == outValue {
		for c, x := range v {
			out[c] = x
			sums[c] += x
		}
		return
	}
	k := view(coef, 0, coefficients*lanes)
	a := view(p1, at, lanes)
	if variant == outGate {
		for c, x := range v {
			d := a[c] - k[atMean+c]
			if !(d*k[atScale+c]+k[atShift+c] > 0) {
				x = 0
			}
			out[c] = x
			sums[c] += x
			sums[lanes+c] += x * d
		}
		return
	}
	b, y := view(p2, at, lanes), view(p3, at, lanes)
	for c, x := range v {
		x += a[c]
		if !(b[c] > 0) {
			x = 0
		}
		out[c] = x
		sums[c] += x
		sums[lanes+c] += x * (y[c] - k[atMean+c])
	}
}

// fourier is the cyclic transform of one side: n numbers at places at, the rest of length being
// zeros.
type fourier struct {
	n, length int
	weights   bool                          // of a weight's planes, not of an activation's
	cos, sin  [maxSide + 1][maxSide]float32 // by frequency and number
}

func newFourier(n, length int) *fourier {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	return fourierAt(length, at...)
}

// newTapFourier transforms a kernel's three taps: a correlation with tap t is a
// convolution with a number at place 1 − t.
func newTapFourier(length int) *fourier {
	f := fourierAt(length, 1, 0, length-1)
	f.weights = true
	return f
}

func fourierAt(length int, at ...int) *fourier {
	f := &fourier{n: len(at), length: length}
	for k := range length {
		for i, place := range at {
			angle := 2 * math.Pi * float64(k*place%length) / float64(length)
			f.cos[k][i], f.sin[k][i] = float32(math.Cos(angle)), float32(math.Sin(angle))
		}
	}
	return f
}

// line is a line of a half-transformed batch: its components, reach floats apart.
func (f *fourier) line(half *float32, line int) []float32 {
	return view(half, line*lanes, (f.length-1)*reach+lanes)
}

// column is a channel of a position's column in such a batch, numbers lanes floats apart.
func (f *fourier) column(half *float32, component, p int) []float32 {
	return view(half, component*reach+p/lanes*f.n*lanes+p%lanes, (f.n-1)*lanes+1)
}

// realPlanes and complexPlanes are its transform: planes stride floats apart.
func (f *fourier) realPlanes(planes *float32, p int) []float32 {
	return view(planes, p, (3*f.length/2-2)*stride+1)
}

func (f *fourier) complexPlanes(planes *float32, p int) []float32 {
	return view(planes, p, (3*f.length-1)*stride+1)
}

// lineIn writes the components of a line of real cells.
func (f *fourier) lineIn(half []float32, cells *[maxSide][lanes]float32) {
	for c := range lanes {
		put := func(component, k int, table *[maxSide + 1][maxSide]float32, sign float32) {
			var sum float32
			for i := range f.n {
				sum += table[k][i] * cells[i][c]
			}
			half[component*reach+c] = sign * sum
		}
		put(0, 0, &f.cos, 1)
		put(1, f.length/2, &f.cos, 1)
		for k := 1; k < f.length/2; k++ {
			put(2*k, k, &f.cos, 1)
			put(2*k+1, k, &f.sin, -1)
		}
	}
}

// lineOut inverts lineIn, but for factors: a complex frequency stands for its conjugate too.
func (f *fourier) lineOut(cells *[maxSide][lanes]float32, half []float32) {
	for c := range lanes {
		for i := range f.n {
			sum := half[c] + f.cos[f.length/2][i]*half[reach+c]
			for k := 1; k < f.length/2; k++ {
				sum += f.cos[k][i]*half[2*k*reach+c] - f.sin[k][i]*half[(2*k+1)*reach+c]
			}
			cells[i][c] = sum
		}
	}
}

// put writes three planes of a complex frequency.
func (f *fourier) put(planes []float32, re, im float32) {
	if f.weights {
		planes[0], planes[stride], planes[2*stride] = re, im-re, re+im
	} else {
		planes[0], planes[stride], planes[2*stride] = re+im, re, im
	}
}

// get reads them back: the products of a frequency, or the gradients of a weight's planes.
func (f *fourier) get(planes []float32) (re, im float32) {
	a, b, c := planes[0], planes[stride], planes[2*stride]
	if f.weights {
		return a - b - c, b - c
	}
	return a - c, a + b
}

// single is the factor of a real frequency, which has no conjugate that counts with it.
func (f *fourier) single() float32 {
	if f.weights {
		return 0.5
	}
	return 1
}

func (f *fourier) realIn(planes, half *float32, n int) {
	for p := range n * lanes {
		column, v := f.column(half, 0, p), f.realPlanes(planes, p)
		for k := range f.length/2 + 1 {
			var re, im float32
			for i := range f.n {
				re += f.cos[k][i] * column[i*lanes]
				im -= f.sin[k][i] * column[i*lanes]
			}
			switch k {
			case 0:
				v[0] = f.single() * re
			case f.length / 2:
				v[stride] = f.single() * re
			default:
				f.put(v[(3*k-1)*stride:], re, im)
			}
		}
	}
}

func (f *fourier) complexIn(planes, half *float32, n int) {
	for p := range n * lanes {
		a, b, v := f.column(half, 0, p), f.column(half, 1, p), f.complexPlanes(planes, p)
		for k := range f.length {
			var re, im float32
			for i := range f.n {
				re += f.cos[k][i]*a[i*lanes] + f.sin[k][i]*b[i*lanes]
				im += f.cos[k][i]*b[i*lanes] - f.sin[k][i]*a[i*lanes]
			}
			f.put(v[3*k*stride:], re, im)
		}
	}
}

func (f *fourier) realOut(planes, half *float32, n int) {
	for p := range n * lanes {
		column, v := f.column(half, 0, p), f.realPlanes(planes, p)
		for i := range f.n {
			sum := f.single() * (v[0] + f.cos[f.length/2][i]*v[stride])
			for k := 1; k < f.length/2; k++ {
				re, im := f.get(v[(3*k-1)*stride:])
				sum += f.cos[k][i]*re - f.sin[k][i]*im
			}
			column[i*lanes] = sum
		}
	}
}

func (f *fourier) complexOut(planes, half *float32, n int) {
	for p := range n * lanes {
		a, b, v := f.column(half, 0, p), f.column(half, 1, p), f.complexPlanes(planes, p)
		for i := range f.n {
			var x, y float32
			for k := range f.length {
				re, im := f.get(v[3*k*stride:])
				x += f.cos[k][i]*re - f.sin[k][i]*im
				y += f.sin[k][i]*re + f.cos[k][i]*im
			}
			a[i*lanes], b[i*lanes] = x, y
		}
	}
}
