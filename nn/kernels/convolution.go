package kernels

import "fmt"

// Convolution is a layer y = ReLU(bias + x ∗ w), optionally with a residual. It
// is immutable and safe for concurrent use.
type Convolution struct {
	board   *Board
	in, out int
	bias    []float32 // [out blocks][16]
	weights []float32 // transformed, or [out block][tap][in block][16 inputs][16 outputs]
	partial []float32 // [out block][in block][16 inputs][parts][16 outputs], for few rows
	terms   []term    // in the frequency domain
	taps    [][]term  // by cell, on a direct board
}

// Space is the scratch memory of one goroutine.
type Space struct {
	v, m  []float32 // a transformed chunk, and one block of its products
	t     []float32 // the spectra of a position's rows, if transforms need it
	shape shape
	list  [listed + prefetched]input // of one row of a Matrix
}

// NewSpace returns scratch memory for layers on b with up to channels inputs.
func NewSpace(b *Board, channels int) *Space {
	if b.Direct() {
		return &Space{m: aligned(chunk * b.cells * square)}
	}
	groups := chunk
	if b.transform.tiled != nil {
		groups = 1
	}
	return &Space{
		v: aligned(groups * blocks(channels) * b.between),
		m: aligned(groups * b.between),
		t: aligned(b.transform.spectrum()),
	}
}

// NewConvolution prepares the layer of a cross-correlation with weights w [out, in, 3, 3] and
// bias [out].
func NewConvolution(b *Board, in, out int, w, bias []float32) *Convolution {
	if len(w) != out*in*9 || len(bias) != out {
		panic(fmt.Sprintf(
			"kernels: a convolution from %d to %d channels got %d weights and %d biases",
			in, out, len(w), len(bias)))
	}
	c := &Convolution{board: b, in: in, out: out, bias: aligned(blocks(out) * lanes)}
	copy(c.bias, bias)
	if b.Direct() {
		c.direct(w)
		return c
	}
	n := blocks(in)
	c.terms = regular(n, b.between*size, square*size)
	t := b.transform
	planes, parts := t.products, t.parts*square
	// The kernels prefetch up to a product's weights beyond the last ones.
	c.weights = aligned((blocks(out)*planes + 1) * n * square)
	c.partial = aligned(blocks(out) * n * parts)
	kernels, transformed := aligned(lanes*9*lanes), aligned(planes*plane)
	for o := range blocks(out) {
		for i := range n {
			gather(kernels, w, o*lanes, min(lanes, out-o*lanes), i*lanes,
				min(lanes, in-i*lanes), in)
			t.weights(&transformed[0], &kernels[0], lanes)
			for q := range planes {
				copy(c.weights[((o*planes+q)*n+i)*square:][:square], transformed[q*plane:])
			}
			if parts > 0 {
				t.partial(&c.partial[(o*n+i)*parts], &kernels[0], lanes)
			}
		}
	}
	return c
}

// gather copies the kernels of outputs o to o+outs-1 and inputs i to i+ins-1 to [16 inputs][9][16
// outputs].
func gather(to, w []float32, o, outs, i, ins, in int) {
	if outs < lanes || ins < lanes {
		clear(to)
	}
	for b := range outs {
		from := w[((o+b)*in+i)*9:][:ins*9]
		for j, v := range from {
			to[j*lanes+b] = v
		}
	}
}

// Apply computes y = ReLU(bias + x ∗ w + skip) for n ≤ ChunkRows rows; skip may be nil.
// y may be skip, but not x.
func (c *Convolution) Apply(s *Space, n int, y, x, skip []float32) {
	if c.board.Direct() {
		c.applyDirect(s, n, y, x, skip)
		return
	}
	b, t := c.board, c.board.transform
	if t.tiled != nil {
		c.applyTiled(s, n, y, x, skip)
		return
	}
	groups, rows := split(n)
	last := n - (groups-1)*rows
	ins, position := blocks(c.in), b.cells*lanes
	of := func(g int) int {
		if g == groups-1 {
			return last
		}
		return rows
	}
	for g := range groups {
		for i := range ins {
			t.forward(s, s.v[(g*ins+i)*b.between:], x[(g*ins+i)*groupRows*position:], of(g))
		}
	}
	few := rows <= b.path.few && len(t.fused) > 0
	s.shape = shape{
		terms: &c.terms[0], count: ins,
		outer: t.products, cOuter: plane * size, aOuter: plane * size, bOuter: ins * square * size,
		inner: groups, cInner: b.between * size, aInner: ins * b.between * size,
	}
	outs := blocks(c.out)
	for o := range outs {
		if few {
			w := &c.partial[o*ins*t.parts*square]
			for from := 0; from < rows; from += len(t.fused) {
				fused := t.fused[min(len(t.fused), rows-from)-1]
				fused(&s.m[from*lanes], &s.v[from*lanes], w, c.in, b.between*size, c.out-o*lanes)
			}
		} else {
			b.path.products(rows)(&s.m[0], &s.v[0], &c.weights[o*t.products*ins*square], &s.shape)
		}
		for g := range groups {
			at := (g*outs + o) * groupRows * position
			m, bias := s.m[g*b.between:], &c.bias[o*lanes]
			if skip == nil {
				t.back(s, y[at:], m, bias, nil, of(g))
			} else {
				t.back(s, y[at:], m, bias, skip[at:], of(g))
			}
			if len(b.margin) > 0 {
				b.clearMargin(y[at:], of(g))
			}
		}
	}
}

// clearMargin sets the places off the board to zero.
func (b *Board) clearMargin(y []float32, rows int) {
	for r := range rows {
		row := y[r*b.cells*lanes:][:b.cells*lanes]
		for _, p := range b.margin {
			clear(row[p*lanes:][:lanes])
		}
	}
}

// direct arranges the weights for products tap by tap, and lists for each cell the
// taps that lie on the board.
func (c *Convolution) direct(w []float32) {
	b, ins := c.board, blocks(c.in)
	c.weights = aligned(blocks(c.out) * 9 * ins * square)
	kernels := aligned(lanes * 9 * lanes)
	for o := range blocks(c.out) {
		for i := range ins {
			gather(kernels, w, o*lanes, min(lanes, c.out-o*lanes), i*lanes,
				min(lanes, c.in-i*lanes), c.in)
			for tap := range 9 {
				to := c.weights[((o*9+tap)*ins+i)*square:]
				for k := range lanes {
					copy(to[k*lanes:][:lanes], kernels[(k*9+tap)*lanes:])
				}
			}
		}
	}
	for cell := range b.Cells() {
		var terms []term
		for tap := range 9 {
			y, x := cell/b.width+tap/3-1, cell%b.width+tap%3-1
			if y < 0 || y >= b.height || x < 0 || x >= b.width {
				continue
			}
			for i := range ins {
				terms = append(terms,
					term{
						(i*b.cells + y*b.width + x) * square * size, (tap*ins + i) * square * size,
					})
			}
		}
		c.taps = append(c.taps, terms)
	}
}

func (c *Convolution) applyDirect(s *Space, n int, y, x, skip []float32) {
	b := c.board
	groups, rows := split(n)
	product := b.path.products(rows)
	ins, outs := blocks(c.in), blocks(c.out)
	for o := range outs {
		for cell, terms := range c.taps {
			s.shape = shape{
				terms: &terms[0], count: len(terms), outer: 1,
				inner: groups, cInner: b.cells * square * size,
				aInner: ins * b.cells * square * size,
			}
			product(&s.m[cell*square], &x[0], &c.weights[o*9*ins*square], &s.shape)
		}
		for g := range groups {
			for cell := range b.cells {
				at := ((g*outs+o)*b.cells + cell) * square
				m, bias := &s.m[(g*b.cells+cell)*square], &c.bias[o*lanes]
				if skip == nil {
					b.path.finish(&y[at], m, bias, min(rows, n-g*rows))
				} else {
					b.path.finishResidual(&y[at], m, bias, &skip[at], min(rows, n-g*rows))
				}
			}
		}
	}
}
