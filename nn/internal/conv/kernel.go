package conv

// Kernel is a layer's weights, or their gradient, packed for a board. Forward
// and Backward may run in several goroutines at once, beside nothing that
// writes the weights.
type Kernel[T Float] struct {
	board   *Board
	in, out int
	sets    [][]T // for each range of columns: [in, 3 lines, columns, out]
}

// NewKernel makes a layer from in to out channels, all of whose weights are zero.
func NewKernel[T Float](b *Board, in, out int) *Kernel[T] {
	k := &Kernel[T]{board: b, in: in, out: out}
	for _, c := range b.sets {
		k.sets = append(k.sets, Aligned[T](in*3*(c.to-c.from)*out))
	}
	return k
}

// visit shows where each weight lies: index into a set, and into [out, in, 3, 3].
// An output one line below its input (line 2) sees it through the kernel's upper line.
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

// Pack takes the weights [out, in, 3, 3] of a cross-correlation.
func (k *Kernel[T]) Pack(w []T) {
	k.visit(func(set []T, packed, plain int) { set[packed] = w[plain] })
}

// Unpack writes the gradient with respect to weights [out, in, 3, 3] from a kernel that
// AddGradient filled: the sum over the places at which Pack puts a weight.
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

// lines visits the windows of all input cells: the cell's index, the first output cell and the
// number of cells of the window, its weights and their distance from one input channel to the next.
func (k *Kernel[T]) lines(f func(cell, origin, width int, weights []T, stride int)) {
	for index, c := range k.board.cells {
		set := k.board.sets[c.set]
		width := set.to - set.from
		for line := c.top; line < c.bottom; line++ {
			f(index, c.origin+(line-c.top)*k.board.Width, width, k.sets[c.set][line*width*k.out:], 3*width*k.out)
		}
	}
}

// Forward adds the convolution of n rows to y: x holds rows [Height, Width, in]
// that begin xStride apart, y rows [Height, Width, out] that begin yStride apart. A row's
// result depends on that row alone, to the bit.
func (k *Kernel[T]) Forward(n int, x []T, xStride int, y []T, yStride int) {
	k.lines(func(cell, origin, width int, weights []T, stride int) {
		addProduct(n, width*k.out, k.in, x[cell*k.in:], xStride, weights, stride, y[origin*k.out:], yStride)
	})
}

// ScratchLen is the length of the scratch that Backward wants.
func (k *Kernel[T]) ScratchLen() int { return 9 * k.out }

// Backward computes the gradients dx of n rows of input from those of the
// output. scratch is [Aligned] memory.
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

// AddGradient adds to k, which holds a gradient in place of weights, that of the weights of
// input channels from ≤ i < to over n rows. Sums run over cells, and within a cell over
// rows, in order.
func (k *Kernel[T]) AddGradient(n int, x []T, xStride int, dy []T, yStride int, from, to int) {
	k.lines(func(cell, origin, width int, weights []T, stride int) {
		addOuterProducts(to-from, width*k.out, n, x[cell*k.in+from:], xStride, dy[origin*k.out:], yStride, weights[from*stride:], stride)
	})
}
