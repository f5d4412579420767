// Package kernels computes convolutions and dense layers on small boards near the peak
// speed of one core, without cgo.
//
// A 3×3 convolution with zero padding is computed as a cyclic convolution in the frequency domain
// (see gen/fourier.go), which takes 52 matrix products on a 5×5 board instead of 225 by
// definition. Boards of 16×16 to 19×19 are computed in tiles by Winograd's algorithm
// (gen/winograd.go). A board without a transform of its own is padded to the next larger one that
// has one. [Board] decides whether that is faster; if not (boards of one line, very small or very
// large ones), the convolution is computed directly. Callers use a direct board ([NewDirectBoard])
// for numbers that are not finite.
//
// There are four paths: generated assembly for AVX-512, for AVX2 with FMA, and for NEON (arm64),
// and plain Go for every other processor. [Selected] returns the one in use. The
// environment variable TENGEN_KERNELS selects one by name.
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
// Positions are computed in groups of 16, and up to two groups form a chunk. Channels are
// computed in blocks of 16; the last is padded with zeros. Activations are
//
//	[group][channel block][16 positions][cell][16 channels]  on boards with a transform
//	[group][channel block][cell][16 positions][16 channels]  elsewhere, and for dense layers
//
// A transformed group is [channel block][product][16 positions][16 channels], with a cache
// line of padding after each product, so that all its strides except that between blocks are
// constants of the generated code. Transformed weights are
//
//	[output block][product][input block][16 inputs][16 outputs]
//
// which is the order in which they are read.
//
// The transforms of a board of up to 9×9 are one program of straight-line code. Those of boards of
// up to 15×15 are in stages, loops over rows and columns, since such code and its intermediate
// values would not fit the first caches.
//
// # Tiles
//
// On larger boards the transformed weights of a layer, 598 matrices for 19×19 in the frequency
// domain, would not fit the second cache, and one position would take as long to read them as 16.
// In place of that a position is cut into 4×4 tiles of 5×5 cells, which take the places of the 16
// positions in a transformed group, and which share 49 matrices. They need 1.3 times as many
// products. [Board.Part] tells how many positions fit the caches from layer to layer.
//
// # Few rows
//
// The time of few rows is mostly that of reading the weights, of which a processor reads from its
// second cache five times as many a second as from the third. Therefore up to eight rows have
// kernels of their own, which read
//
//	[output block][input block][16 inputs][parts][16 outputs]
//
// where the parts are the 9 taps transformed partly: on a 5×5 board 11 vectors (17 with AVX2, whose
// arithmetic takes more time) in place of 52. The rest of the transform is done in registers by the
// same operations as in advance, so that the products have the same bits. These kernels also leave
// out the inputs that fill the last block. Dense layers of one row leave out inputs that are zero,
// about half of them after ReLU. NEON has only those for dense layers: to finish a transform takes
// more vector operations (90 on a 5×5 board for each input and block of outputs) than the products
// of one row (52), and its vectors are short.
//
// # Invariants
//
// A row's result depends only on that row, the weights and the path, to the
// bit: not on the number of rows or its place among them. Each sum adds its terms in the
// same order for every register block; a term that is left out is zero, which can only change the
// sign of a sum that underflowed to zero. Rows do not affect one another: a NaN in one does not
// reach the others. Different paths agree within rounding.
//
// In the frequency domain rounding errors are relative to the largest
// activation on the board, not to that of the cell.
package kernels

//go:generate go run ./gen .
