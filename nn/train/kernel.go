package train

// kernel computes 3×3 convolutions on small boards and their gradients, as matrix products with
// gonum's BLAS (SSE on amd64, plain Go elsewhere). It holds a layer's weights, or their gradient,
// packed for a board. Forward and Backward may be called concurrently, but not concurrently with
// methods that write the weights.
//
// Activations are cell-major: a row (one position) is [Height, Width, channels]. Through each line
// of the kernel, an input cell affects at most three adjacent output cells, whose channels are
// contiguous in memory: a window. With W the weights of that line, [in, window],
//
//	forward:   window  += cell · W
//	backward:  d cell   = W · d window, for all lines at once
//	weights:   dW      += cellᵀ · d window
//
// Windows end at the board's edge, so a 5×5 board takes 169 products per pair of channels instead
// of 225. Forward and weights also skip inputs that are zero, as about half are after a ReLU. As a
// consequence a weight that is not finite has no effect if its input is zero; an input that is not
// finite always has.
//
// Caveat: gonum's dot product starts with single numbers up to the next multiple of 16 bytes of its
// second operand, so the order of its sum depends on that operand's address. For results that are
// reproducible to the bit, use memory from aligned.
type kernel[T float] struct {
	board   *board
	in, out int
	sets    [][]T // for each range of columns: [in, 3 lines, columns, out]
}

// newKernel returns a layer from in to out channels whose weights are zero.
func newKernel[T float](b *board, in, out int) *kernel[T] {
	k := &kernel[T]{board: b, in: in, out: out}
	for _, c := range b.sets {
		k.sets = append(k.sets, aligned[T](in*3*(c.to-c.from)*out))
	}
	return k
}

// visit calls f for each packed weight, with its index in a set and in [out, in, 3, 3].
// An output one line below its input (line 2) reads it through the kernel's upper line.
func (k *kernel[T]) visit(f func(set []T, packed, plain int)) {
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
func (k *kernel[T]) Pack(w []T) {
	k.visit(func(set []T, packed, plain int) { set[packed] = w[plain] })
}

// Unpack writes to dw, [out, in, 3, 3], the gradient that AddGradient has accumulated: for each
// weight the sum over all places to which Pack copies it.
func (k *kernel[T]) Unpack(dw []T) {
	clear(dw)
	k.visit(func(set []T, packed, plain int) { dw[plain] += set[packed] })
}

// Clear sets all weights to zero.
func (k *kernel[T]) Clear() {
	for _, s := range k.sets {
		clear(s)
	}
}

// lines calls f for the windows of all input cells, with the cell's index, the first output cell
// and the number of cells of the window, its weights, and the stride of these between input
// channels.
func (k *kernel[T]) lines(f func(cell, origin, width int, weights []T, stride int)) {
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
func (k *kernel[T]) Forward(n int, x []T, xStride int, y []T, yStride int) {
	k.lines(func(cell, origin, width int, weights []T, stride int) {
		addProduct(n, width*k.out, k.in, x[cell*k.in:], xStride, weights, stride,
			y[origin*k.out:], yStride)
	})
}

// ScratchLen returns the length of the scratch memory that Backward needs.
func (k *kernel[T]) ScratchLen() int { return 9 * k.out }

// Backward computes the gradients dx of n rows of input from dy, those of the
// output. scratch must be aligned memory.
func (k *kernel[T]) Backward(n int, dy []T, yStride int, dx []T, xStride int, scratch []T) {
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
			matVec(k.in, length, weights, 3*run, windows, false, dx[r*xStride+index*k.in:])
		}
	}
}

// AddGradient adds to k, which holds a gradient instead of weights, that of the weights of
// input channels from ≤ i < to over n rows. Sums run over cells, and within a cell over
// rows, in order.
func (k *kernel[T]) AddGradient(n int, x []T, xStride int, dy []T, yStride int, from, to int) {
	k.lines(func(cell, origin, width int, weights []T, stride int) {
		addOuterProducts(to-from, width*k.out, n, x[cell*k.in+from:], xStride, dy[origin*k.out:],
			yStride, weights[from*stride:], stride)
	})
}

// board records, for each cell, which taps of a 3×3 kernel lie on the board. It is immutable.
type board struct {
	Height, Width int

	sets  []columns // the distinct ranges of columns that windows have
	cells []cell
}

// columns is a range of a window's columns, from ≤ column < to within 0..3;
// column 1 is the input cell's own.
type columns struct{ from, to int }

// cell is an input cell and its windows, one per line of the kernel.
type cell struct {
	set         int // index of its range of columns
	top, bottom int // its range of lines, top ≤ line < bottom within 0..3; line 1 is its own
	origin      int // first output cell of its first window
}

// newBoard returns a board.
func newBoard(height, width int) *board {
	b := &board{Height: height, Width: width}
	index := map[columns]int{}
	for y := range height {
		for x := range width {
			c := columns{max(0, 1-x), min(3, width+1-x)}
			set, ok := index[c]
			if !ok {
				set = len(b.sets)
				index[c] = set
				b.sets = append(b.sets, c)
			}
			top, bottom := max(0, 1-y), min(3, height+1-y)
			b.cells = append(b.cells, cell{set, top, bottom, (y+top-1)*width + x + c.from - 1})
		}
	}
	return b
}

// Cells returns Height × Width.
func (b *board) Cells() int { return len(b.cells) }
