package training

import "tengen/nn/kernels"

// DenseShape is the shape of a dense layer with independent Groups, each of which maps In
// numbers of a row of Groups·In to Out.
type DenseShape struct{ Rows, Groups, In, Out int }

// Dense computes a dense layer's products y = x·Wᵀ and their gradients. Arrays
// are x [Rows, Groups·In], y [Rows, Groups·Out], W [Groups·Out, In]. A Dense is used by one
// goroutine; it runs tasks on others, and results do not depend on their number.
type Dense struct {
	DenseShape
	*products
	workers         int
	rows, ins, outs int // tiles

	// Tiles of each group, in the order in which sums read them.
	x          []float32 // [group][row][in], of Forward
	g          []float32 // [group][row][out], the gradient of y
	weight     []float32 // [group][in][out], tiles [out][in]
	transposed []float32 // [group][out][in], tiles [in][out]
	tile       []float32 // a result, by worker
}

// NewDense returns a layer.
func NewDense(path *kernels.Path, shape DenseShape, workers int) *Dense {
	return newDense(productsOf(path), shape, workers)
}

func newDense(p *products, shape DenseShape, workers int) *Dense {
	d := &Dense{DenseShape: shape, products: p, workers: max(workers, 1),
		rows: blocks(shape.Rows), ins: blocks(shape.In), outs: blocks(shape.Out)}
	var a arena
	a.add(&d.x, d.Groups*d.rows*d.ins*stride)
	a.add(&d.g, d.Groups*d.rows*d.outs*stride)
	a.add(&d.weight, d.Groups*d.ins*d.outs*stride)
	a.add(&d.transposed, d.Groups*d.ins*d.outs*stride)
	a.add(&d.tile, d.workers*stride)
	a.allocate()
	return d
}

// cut copies a tile of a matrix [rows, columns] whose rows are step apart, padded with zeros.
func cut(to, from []float32, step, row, column, rows, columns int) {
	height, width := min(lanes, rows-row), min(lanes, columns-column)
	if height < lanes || width < lanes {
		clear(to[:square])
	}
	from = from[row*step+column:]
	for i := range height {
		copy(to[i*lanes:][:width], from[i*step:])
	}
}

// paste is the inverse of cut.
func paste(to, from []float32, step, row, column, rows, columns int) {
	height, width := min(lanes, rows-row), min(lanes, columns-column)
	to = to[row*step+column:]
	for i := range height {
		copy(to[i*step:][:width], from[i*lanes:])
	}
}

// Forward computes y.
func (d *Dense) Forward(x, w, y []float32) {
	Each(d.workers, d.Groups*d.rows, func(_, task int) {
		group, row := task/d.rows, task%d.rows
		for i := range d.ins {
			cut(d.x[(task*d.ins+i)*stride:], x[group*d.In:], d.Groups*d.In, row*lanes, i*lanes,
				d.Rows, d.In)
		}
	})
	Each(d.workers, d.Groups*d.outs, func(worker, task int) {
		group, out := task/d.outs, task%d.outs
		turned := d.transposed[task*d.ins*stride:]
		for i := range d.ins {
			weight := d.weight[((group*d.ins+i)*d.outs+out)*stride:]
			cut(weight, w[group*d.Out*d.In:], d.In, out*lanes, i*lanes, d.Out, d.In)
			d.transpose(&turned[i*stride], &weight[0], lanes, lanes)
		}
		tile := d.tile[worker*stride:]
		for row := range d.rows {
			d.multiply(&tile[0], &d.x[(group*d.rows+row)*d.ins*stride], &turned[0], d.ins, stride,
				stride, false)
			paste(y[group*d.Out:], tile, d.Groups*d.Out, row*lanes, out*lanes, d.Rows, d.Out)
		}
	})
}

// Backward computes dx and dw from g, the gradient with respect to the y of the last Forward, whose
// x and w it has kept.
func (d *Dense) Backward(g, dx, dw []float32) {
	Each(d.workers, d.Groups*d.rows, func(_, task int) {
		group, row := task/d.rows, task%d.rows
		for o := range d.outs {
			cut(d.g[(task*d.outs+o)*stride:], g[group*d.Out:], d.Groups*d.Out, row*lanes, o*lanes,
				d.Rows, d.Out)
		}
	})
	Each(d.workers, d.Groups*d.ins, func(worker, task int) {
		group, in := task/d.ins, task%d.ins
		tile := d.tile[worker*stride:]
		for row := range d.rows {
			d.multiply(&tile[0], &d.g[(group*d.rows+row)*d.outs*stride],
				&d.weight[task*d.outs*stride], d.outs, stride, stride, false)
			paste(dx[group*d.In:], tile, d.Groups*d.In, row*lanes, in*lanes, d.Rows, d.In)
		}
		for o := range d.outs {
			d.correlate(&tile[0], &d.g[(group*d.rows*d.outs+o)*stride],
				&d.x[(group*d.rows*d.ins+in)*stride], d.rows, d.outs*stride, d.ins*stride, false)
			paste(dw[group*d.Out*d.In:], tile, d.In, o*lanes, in*lanes, d.Out, d.In)
		}
	})
}

// Transpose copies a matrix [a, b] to its transpose [b, a].
func Transpose(path *kernels.Path, a, b int, src, dst []float32) {
	if a < lanes || b < lanes {
		for i := range a {
			for j, v := range src[i*b : (i+1)*b] {
				dst[j*a+i] = v
			}
		}
		return
	}
	// The last tiles of a row or column overlap their neighbours.
	turn := productsOf(path).transpose
	for i := 0; i < a; i += lanes {
		i := min(i, a-lanes)
		for j := 0; j < b; j += lanes {
			j := min(j, b-lanes)
			turn(&dst[j*a+i], &src[i*b+j], a, b)
		}
	}
}
