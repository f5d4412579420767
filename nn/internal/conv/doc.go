// Package conv computes 3×3 convolutions on small boards, forwards and
// backwards, as products that gonum's BLAS does fast (SSE on amd64, plain Go
// elsewhere).
//
// Activations are cell-major: a row (one position) is [Height, Width,
// channels]. An input cell then reaches, through each line of the kernel, at most
// three neighbouring output cells, whose channels follow one another in memory: a window.
// With W the weights of that line, [in, window],
//
//	forward:   window  += cell · W
//	backward:  d cell   = W · d window, for all lines at once
//	weights:   dW      += cellᵀ · d window
//
// Windows end at the board's edge, so a 5×5 board costs 169 products a pair of channels
// in place of 225. Forward and weights also skip an input that is zero, as
// about half of them are after a ReLU. So a weight that is not finite does not
// show where its input is zero; an input that is not finite always does.
//
//	kernel := conv.NewKernel[float32](conv.NewBoard(5, 5), planes, filters)
//	kernel.Pack(weights) // [filters, planes, 3, 3]
//	kernel.Forward(rows, x, xStride, y, yStride) // adds to y
//
// Caveat: gonum's dot product begins with single numbers up to the next
// multiple of 16 bytes of its second operand, so the order of its sum depends on
// where that operand lies. What must be reproducible to the bit puts it in
// memory from [Aligned].
package conv
