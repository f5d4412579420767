// Package conv computes 3×3 convolutions on small boards and their gradients, as
// matrix products with gonum's BLAS (SSE on amd64, plain Go elsewhere).
//
// Activations are cell-major: a row (one position) is [Height, Width,
// channels]. Through each line of the kernel, an input cell affects at most
// three adjacent output cells, whose channels are contiguous in memory: a window.
// With W the weights of that line, [in, window],
//
//	forward:   window  += cell · W
//	backward:  d cell   = W · d window, for all lines at once
//	weights:   dW      += cellᵀ · d window
//
// Windows end at the board's edge, so a 5×5 board takes 169 products per pair of channels
// instead of 225. Forward and weights also skip inputs that are zero, as about half
// are after a ReLU. As a consequence a weight that is not finite has no effect if its
// input is zero; an input that is not finite always has.
//
//	kernel := conv.NewKernel[float32](conv.NewBoard(5, 5), planes, filters)
//	kernel.Pack(weights) // [filters, planes, 3, 3]
//	kernel.Forward(rows, x, xStride, y, yStride) // adds to y
//
// Caveat: gonum's dot product starts with single numbers up to the next
// multiple of 16 bytes of its second operand, so the order of its sum depends on
// that operand's address. For results that are reproducible to the bit, use memory
// from [Aligned].
package conv
