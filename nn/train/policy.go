package train

// pointwise is a policy head's 1×1 convolution. It maps the trunk [rows, cells·filters],
// cell-major, to [rows, maps·cells], channel-major, with a ReLU if relu is set. If pass is
// set, a row has one more output: a dense layer on the trunk's mean over cells. Inputs: x,
// weight [maps, filters], bias [maps], and with pass its weight [filters] and bias [1].
type pointwise[T float] struct {
	rows, cells, filters, maps, workers int
	relu, pass                          bool

	mean [][]T // [worker][filters] the trunk's mean over cells
	sums [][]T // [chunk][(maps+1)·(filters+1)] gradients of weights and biases
}

func newPointwise[T float](
	rows, cells, filters, maps, workers int, relu, pass bool,
) *pointwise[T] {
	l := &pointwise[T]{
		rows: rows, cells: cells, filters: filters, maps: maps, workers: workers,
		relu: relu, pass: pass,
	}
	for range workers {
		l.mean = append(l.mean, aligned[T](filters))
	}
	for range tasks(rows) {
		l.sums = append(l.sums, make([]T, (maps+1)*(filters+1)))
	}
	return l
}

// width returns the length of an output row.
func (l *pointwise[T]) width() int {
	if l.pass {
		return l.maps*l.cells + 1
	}
	return l.maps * l.cells
}

func (l *pointwise[T]) forward(in [][]T, y []T) {
	x, w, bias := in[0], in[1], in[2]
	width := l.width()
	eachChunk(l.workers, l.rows, func(worker, _, from, to int) {
		for r := from; r < to; r++ {
			row, out := x[r*l.cells*l.filters:], y[r*width:(r+1)*width]
			for k := range l.maps {
				logits := out[k*l.cells:][:l.cells]
				matVec(l.cells, l.filters, row, l.filters, w[k*l.filters:], false, logits)
				for i, v := range logits {
					v += bias[k]
					if l.relu && v < 0 {
						v = 0
					}
					logits[i] = v
				}
			}
			if l.pass {
				mean := l.mean[worker]
				l.meanOverCells(row, mean)
				matVec(1, l.filters, in[3], l.filters, mean, false, out[width-1:])
				out[width-1] += in[4][0]
			}
		}
	})
}

func (l *pointwise[T]) meanOverCells(row, mean []T) {
	clear(mean)
	for cell := range l.cells {
		for f, v := range row[cell*l.filters:][:l.filters] {
			mean[f] += v
		}
	}
	for f := range mean {
		mean[f] /= T(l.cells)
	}
}

func (l *pointwise[T]) backward(in [][]T, y, dy []T, dIn [][]T) {
	x, w := in[0], in[1]
	width, n := l.width(), l.filters
	eachChunk(l.workers, l.rows, func(worker, task, from, to int) {
		sums := l.sums[task]
		clear(sums)
		for r := from; r < to; r++ {
			row, dRow := x[r*l.cells*n:][:l.cells*n], dIn[0][r*l.cells*n:][:l.cells*n]
			out, dOut := y[r*width:][:width], dy[r*width:][:width]
			clear(dRow)
			for k := range l.maps {
				dw, wk := sums[k*(n+1):][:n+1], w[k*n:][:n]
				for cell := range l.cells {
					g := dOut[k*l.cells+cell]
					if l.relu && out[k*l.cells+cell] <= 0 {
						continue
					}
					axpy(g, row[cell*n:][:n], dw)
					axpy(g, wk, dRow[cell*n:][:n])
					dw[n] += g
				}
			}
			if l.pass {
				g := dOut[width-1]
				mean, dw := l.mean[worker], sums[l.maps*(n+1):]
				l.meanOverCells(row, mean)
				axpy(g, mean, dw)
				dw[n] += g
				for cell := range l.cells {
					axpy(g/T(l.cells), in[3], dRow[cell*n:][:n])
				}
			}
		}
	})
	for _, d := range dIn[1:] {
		clear(d)
	}
	for _, s := range l.sums {
		for k := range l.maps {
			axpy(1, s[k*(n+1):][:n], dIn[1][k*n:])
			dIn[2][k] += s[k*(n+1)+n]
		}
		if l.pass {
			axpy(1, s[l.maps*(n+1):][:n], dIn[3])
			dIn[4][0] += s[l.maps*(n+1)+n]
		}
	}
}

// axpy adds a·x to y.
func axpy[T float](a T, x, y []T) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}
