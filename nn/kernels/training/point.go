package training

// A board of one cell needs no transform: a 3×3 kernel meets zeros everywhere but at its centre, so
// a convolution is a dense layer of the centre taps. A trunk of such boards, whose observations are
// vectors, is a residual network of dense layers. It has one plane, the numbers themselves.

// point reports whether the board has one cell.
func (g *geometry) point() bool { return g.height == 1 && g.width == 1 }

// pointLoops returns the kernels of a board of one cell. They copy, and do what the variants ask
// for; the products have most of the work.
func pointLoops(p *products) *loops {
	k := &loops{products: p}
	for variant := range k.rowsIn {
		k.rowsIn[variant] = func(half, p0, p1, p2, coef *float32, n int) {
			a, b, c, to := view(p0, 0, n*lanes), view(p1, 0, n*lanes), view(p2, 0, n*lanes),
				view(half, 0, n*lanes)
			if variant == inPlain {
				copy(to, a)
				return
			}
			for at := 0; at < n*lanes; at += lanes {
				load((*[lanes]float32)(to[at:]), variant, a, b, c, coef, at)
			}
		}
	}
	for variant := range k.rowsOut {
		k.rowsOut[variant] = func(half, p0, p1, p2, p3, coef, stats *float32, n int) {
			from := view(half, 0, n*lanes)
			for at := 0; at < n*lanes; at += lanes {
				store((*[lanes]float32)(from[at:]), variant, p0, p1, p2, p3, coef, stats, at)
			}
		}
	}
	k.columnsIn.real = func(planes, half *float32, n int) {
		copy(view(planes, 0, n*lanes), view(half, 0, n*lanes))
	}
	k.columnsOut.real = func(planes, half *float32, n int) {
		copy(view(half, 0, n*lanes), view(planes, 0, n*lanes))
	}
	// A line of weights is three taps, and a channel three lines.
	k.packRows = func(half, w, _ *float32, n int) {
		for line := range n {
			copy(view(half, line*lanes, lanes), view(w, (3*line+1)*lanes, lanes))
		}
	}
	k.packColumns.real = func(planes, half *float32, n int) {
		for c := range n {
			copy(view(planes, c*lanes, lanes), view(half, (3*c+1)*lanes, lanes))
		}
	}
	k.unpackColumns.real = func(planes, half *float32, n int) {
		for c := range n {
			copy(view(half, (3*c+1)*lanes, lanes), view(planes, c*lanes, lanes))
		}
	}
	k.unpackRows = func(half, w, _ *float32, n int) {
		clear(view(w, 0, 3*n*lanes))
		for line := 1; line < n; line += 3 {
			copy(view(w, (3*line+1)*lanes, lanes), view(half, line*lanes, lanes))
		}
	}
	return k
}
