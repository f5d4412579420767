package kernels

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
