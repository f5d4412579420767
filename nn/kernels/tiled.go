package kernels

// tiled holds the transforms of a board whose convolutions are computed in tiles; see gen/tiled.go.
// A transformed group has the tiles of one position, line by line, in place of 16 positions. So the
// weights of a layer take little memory, and one position is computed as fast as many.
type tiled struct {
	lines, columns int // of tiles
	inputs         int // of a tile in one dimension
	spectrum       int // float32 of t

	inputRows    func(t, x *float32, n int)
	inputColumns func(v, t *float32, n int)

	outputColumns      func(t, m *float32, n int)
	outputRows         func(y, t, bias *float32, n int)
	outputRowsResidual func(y, t, bias, skip *float32, n int)
}

// tiledPart is what Part returns for a board in tiles: with 64 channels, 0.4 MB of activations a
// layer, and so the weights, 0.8 MB, are not read from memory for each position.
const tiledPart = 4

// forwardTiled transforms a position x to v.
func (t *board) forwardTiled(s *Space, v, x []float32) {
	k := t.tiled
	k.inputRows(&s.t[0], &x[0], t.height)
	for c := range k.columns {
		k.inputColumns(&v[c*lanes], &s.t[c*k.spectrum/k.columns], k.inputs)
	}
}

// backTiled is back for a position.
func (t *board) backTiled(s *Space, y, m []float32, bias *float32, skip []float32) {
	k := t.tiled
	for c := range k.columns {
		k.outputColumns(&s.t[c*k.spectrum/k.columns], &m[c*lanes], k.inputs)
	}
	if skip == nil {
		k.outputRows(&y[0], &s.t[0], bias, t.height)
	} else {
		k.outputRowsResidual(&y[0], &s.t[0], bias, &skip[0], t.height)
	}
}

// applyTiled is Apply on a board in tiles.
func (c *Convolution) applyTiled(s *Space, n int, y, x, skip []float32) {
	b, t := c.board, c.board.transform
	groups, rows := split(n)
	ins, outs, position := blocks(c.in), blocks(c.out), b.cells*lanes
	for g := range groups {
		count := min(rows, n-g*rows)
		for r := range count {
			for i := range ins {
				t.forwardTiled(s, s.v[i*b.between:], x[((g*ins+i)*groupRows+r)*position:])
			}
			s.shape = shape{
				terms: &c.terms[0], count: ins,
				outer: t.products, cOuter: plane * size, aOuter: plane * size,
				bOuter: ins * square * size,
				inner:  1,
			}
			for o := range outs {
				b.path.products(t.tiled.lines*t.tiled.columns)(&s.m[0], &s.v[0],
					&c.weights[o*t.products*ins*square], &s.shape)
				row := (g*outs+o)*groupRows + r
				var add []float32
				if skip != nil {
					add = skip[row*position:]
				}
				t.backTiled(s, y[row*position:], s.m, &c.bias[o*lanes], add)
			}
		}
		for o := 0; o < outs && len(b.margin) > 0; o++ {
			b.clearMargin(y[(g*outs+o)*groupRows*position:], count)
		}
	}
}
