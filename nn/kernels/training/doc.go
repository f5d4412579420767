// Package training has the expensive parts of a training step: a residual trunk
// of 3×3 convolutions, BatchNorm and ReLU, forwards and backwards, in the
// frequency domain; the products of dense layers; and Adam's update.
//
//	t, err := training.NewTrunk(kernels.Selected(), shape, nn.NormEpsilon, workers, true)
//	t.Forward(x, layers, out)               // sets each layer's Mean and Variance
//	t.Backward(slope, layers, gradients)
//
// # The trunk
//
// With zero padding, a 3×3 convolution on H×W cells equals a cyclic one whose
// lengths are at least H+1 and W+1. The real transform of a 5×5 board then
// has 4 real and 16 complex frequencies. A complex product takes three real
// ones, so a layer is 52 products of matrices [positions, channels in] · [channels in, channels
// out]. The gradient of the input is the same convolution with rotated, transposed weights. The
// gradient of the weights is the exact adjoint of the three products: it pairs the planes a+b, a
// and b of the input with a+b, b and a of the output's gradient, summed over positions. So one
// transform of that gradient serves both, and nothing is transposed.
//
// Everything between two convolutions is done inside their transforms. The input transform applies
// BatchNorm, residual and ReLU (or BatchNorm's gradient) to what it reads. The output transform
// applies the ReLU's gradient to what it writes, and accumulates BatchNorm's sums. The transform of
// a layer's input is computed again for the weights' gradient, which is as fast as keeping it and
// halves the memory.
//
// BatchNorm's variance is computed from deviations: each tile's values, which have just been
// written and are still cached, are summed a second time around the tile's own mean, and
// tiles are merged in float64. So a small variance is exact even if the mean is large.
//
// On a board of one cell there is no transform: see point.go.
//
// # Layout
//
// Positions are in groups of 16 and channels in blocks of 16, both padded with zeros.
//
//	activations        [group][block][position][cell][channel]
//	transformed        [group][block][plane][position][channel]
//	transformed weight [block out][block in][plane][channel in][channel out]
//
// All products are of tiles of 16×16 numbers, so that one set of kernels works for any
// number of channels. Tiles are a cache line further apart than their size, to avoid
// cache aliasing. Transforms run along x, then y, each in a kernel for one length, so that
// a few kernels cover every board.
//
// Groups are independent, and so are the planes of a weight's gradient; sums over
// groups are taken in order. So results do not depend on the number of workers, to the bit.
//
// Kernels are generated for AVX-512, AVX2 and NEON; the portable ones are their
// readable reference.
//
// Caveats: sides are at most 11 cells. Buffers are kept between steps, about 140 MB for 8
// blocks of 128 filters on 5×5 at 256 rows.
package training
