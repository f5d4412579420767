package conv

// Kernel holds a layer's weights, or their gradient, packed for a board. Forward
// and Backward may be called concurrently, but not concurrently with methods that
// write the weights.
type Kernel[T Float] struct {
	board   *Board
	in, out int
	sets    [][]T // for each range of columns: [in, 3 lines, columns, out]
}

// NewKernel returns a layer from in to out channels whose weights are zero.
func NewKernel[T Float](b *Board, in, out int) *Kernel[T] {
	k := &Kernel[T]{board: b, in: in, out: out}
	for _, c := range b.sets {
		k.sets = append(k.sets, Aligned[T](in*3*(c.to-c.from)*out))
	}
	return k
}

// visit calls f for each packed weight, with its index in a set and in [out, in, 3, 3].
// An output one line below its input (line 2) reads it through the kernel's upper line.
func (k *Kernel[T]) visit(f func(set []T, packed, plain int)) {
	for s, c := range k.board.sets {
		set, j := k.sets[s], 0
		for i := range k.in {
			for line := range 3 {
				for column := c.from; column < c.to; column++ {
					plain := i*9 + (2-line)*3 + 2 - column
					for range k.out {
						f(set, j, plain)
						j++
						plain += k.in * 9
					}
				}
			}
		}
	}
}

// Pack sets the weights to w, [out, in, 3, 3], of a cross-correlation.
func (k *Kernel[T]) Pack(w []T) {
	k.visit(func(set []T, packed, plain int) { set[packed] = w[plain] })
}

// Unpack writes to dw, [out, in, 3, 3], the gradient that AddGradient has accumulated: for each
// weight the sum over all places to which Pack copies it.
func (k *Kernel[T]) Unpack(dw []T) {
	clear(dw)
	k.visit(func(set []T, packed, plain int) { dw[plain] += set[packed] })
}

// Clear sets all weights to zero.
func (k *Kernel[T]) Clear() {
	for _, s := range k.sets {
		clear(s)
	}
}

// lines calls f for the windows of all input cells, with the cell's index, the first output cell
// and the number of cells of the window, its weights, and the stride of these between input
// channels.
func (k *Kernel[T]) lines(f func(cell, origin, width int, weights []T, stride int)) {
	for index, c := range k.board.cells {
		set := k.board.sets[c.set]
		width := set.to - set.from
		for line := c.top; line < c.bottom; line++ {
			f(index, c.origin+(line-c.top)*k.board.Width, width, k.sets[c.set][line*width*k.out:],
				3*width*k.out)
		}
	}
}

// Forward adds the convolution of n rows to y: x holds rows [Height, Width, in]
// xStride apart, y rows [Height, Width, out] yStride apart. A row's result depends only on
// that row, to the bit.
func (k *Kernel[T]) Forward(n int, x []T, xStride int, y []T, yStride int) {
	k.lines(func(cell, origin, width int, weights []T, stride int) {
		addProduct(n, width*k.out, k.in, x[cell*k.in:], xStride, weights, stride,
			y[origin*k.out:], yStride)
	})
}

// ScratchLen returns the length of the scratch memory that Backward needs.
func (k *Kernel[T]) ScratchLen() int { return 9 * k.out }

// Backward computes the gradients dx of n rows of input from dy, those of the
// output. scratch must be [Aligned] memory.
func (k *Kernel[T]) Backward(n int, dy []T, yStride int, dx []T, xStride int, scratch []T) {
	for index, c := range k.board.cells {
		set := k.board.sets[c.set]
		run := (set.to - set.from) * k.out
		length := (c.bottom - c.top) * run
		weights, windows := k.sets[c.set][c.top*run:], scratch[:length]
		for r := range n {
			from := dy[r*yStride+c.origin*k.out:]
			for d := 0; d < length; d += run {
				copy(windows[d:d+run], from)
				if d+run < length {
					from = from[k.board.Width*k.out:]
				}
			}
			MatVec(k.in, length, weights, 3*run, windows, false, dx[r*xStride+index*k.in:])
		}
	}
}

// AddGradient adds to k, which holds a gradient instead of weights, that of the weights of
// input channels from ≤ i < to over n rows. Sums run over cells, and within a cell over
// rows, in order.
func (k *Kernel[T]) AddGradient(n int, x []T, xStride int, dy []T, yStride int, from, to int) {
	k.lines(func(cell, origin, width int, weights []T, stride int) {
		addOuterProducts(to-from, width*k.out, n, x[cell*k.in+from:], xStride, dy[origin*k.out:],
			yStride, weights[from*stride:], stride)
	})
}
