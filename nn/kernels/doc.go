// Package kernels computes convolutions and dense layers on small boards at
// the speed of one core, without cgo.
//
// A 3×3 convolution with a border of zeros is done as a cyclic one in the
// frequency domain (see internal/fourier): 52 products of matrices on a board of
// 5×5, where its definition takes 225. A board for which there is no transform is laid
// into the next larger one for which there is; where that does not pay (boards of one
// line, very small or very large ones), and wherever a number is not
// finite, the convolution is computed directly. [Board] decides.
//
// There are three paths: generated assembly for AVX-512 and for AVX2 with FMA,
// and plain Go for every other processor, of which [Selected] tells the one in
// use. The environment variable TENGEN_KERNELS forces one by its name.
//
//	board := kernels.NewBoard(kernels.Selected(), 5, 5)
//	layer := kernels.NewConvolution(board, in, out, weights, bias)
//	space := kernels.NewSpace(board, max(in, out))
//	x, y := board.Activations(in), board.Activations(out)
//	board.Load(x, n, planes, observations)
//	layer.Apply(space, n, y, x, nil) // y = ReLU(bias + x ∗ weights)
//
// # Layout
//
// Positions are computed in groups of 16, of which one chunk holds up to two;
// channels in blocks of 16, the last filled up with zeros. Activations are
//
//	[group][channel block][16 positions][cell][16 channels]  on boards with a transform
//	[group][channel block][cell][16 positions][16 channels]  elsewhere, and for dense layers
//
// A transformed group is [channel block][product][16 positions][16 channels],
// transformed weights are [output block][input block][product][16 inputs][16 outputs], with
// a cache line of padding after each product. So all strides but that from block to
// block are constants of the generated code, and one set of kernels serves every
// number of channels; and a group's share of a product is one contiguous square.
//
// # Invariants
//
// A row's result depends on that row, the weights and the path alone, to the
// bit: never on the number of rows or its place among them. Each sum runs over its terms in
// one order whatever the register block. Rows never meet: one that is not
// finite leaves its neighbours alone. Paths differ from one another within
// rounding.
//
// In the frequency domain rounding errors are relative to the largest
// activation on the board, not to the cell's own.
package kernels

//go:generate go run ./gen .
