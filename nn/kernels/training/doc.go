// Package training computes training steps at the hardware's speed: a residual trunk
// of 3×3 convolutions, BatchNorm and ReLU, forwards and backwards, in the
// frequency domain; the products of dense layers; and Adam's step.
//
//	t, err := training.NewTrunk(kernels.Selected(), shape, nn.NormEpsilon, workers, true)
//	t.Forward(x, layers, out)               // sets each layer's Mean and Variance
//	t.Backward(slope, layers, gradients)
//
// # The trunk
//
// With a border of zeros, a 3×3 convolution on H×W cells is a cyclic one whose
// lengths are at least H+1 and W+1. The real transform of a board of 5×5 then
// has 4 real and 16 complex frequencies; a complex product takes three real
// ones, so a layer is 52 products of matrices [positions, channels in] · [channels in, channels out].
// The gradient of the input is the same convolution with rotated, transposed weights.
// That of the weights is the exact adjoint of the three products: it pairs the planes a+b, a and b
// of the input with a+b, b and a of the output's gradient, summed over positions;
// so one transform of that gradient serves both, and nothing is transposed.
//
// Whatever lies between two convolutions happens inside their transforms: one
// takes BatchNorm, residual and ReLU (or BatchNorm's gradient) on its way in, and the
// other leads the gradient through the ReLU and sums up what BatchNorm wants on its way
// out. The transform of a layer's input is computed again for the weights' gradient, which is
// as fast as keeping it, and halves the memory.
//
// BatchNorm's variance comes from deviations: each tile's values, just written
// and so still cached, are summed once more around the tile's own mean, and
// tiles are merged in float64. So a small variance beside a large mean is exact.
//
// # Layout
//
// Positions come in groups of 16, channels in blocks of 16; rows and channels beyond are
// zeros.
//
//	activations        [group][block][position][cell][channel]
//	transformed        [group][block][plane][position][channel]
//	transformed weight [block out][block in][plane][channel in][channel out]
//
// Everything that is multiplied is a tile of 16×16 numbers, so that one set of
// kernels serves every number of channels; tiles lie a cache line further apart
// than their size, against aliasing. Transforms run along x, then y, each in a
// kernel for one length, so that a few kernels serve every board.
//
// Groups are independent, and so are the planes of a weight's gradient; sums over
// groups are taken in order. So results do not depend on the number of workers, to the bit.
//
// Kernels are generated for AVX-512 and AVX2; the portable ones are their
// readable reference. Caveats: sides are at most 11 cells; buffers
// are kept, some 140 MB for 8 blocks of 128 filters on 5×5 at 256 rows.
package training

//go:generate go run ./gen
