// Package winograd holds Winograd's algorithm F(5×5, 3×3) for cross-correlations (Lavin, Gray 2016,
// "Fast Algorithms for Convolutional Neural Networks"): a tile of 5×5 outputs takes 49 products in place
// of 225. In one dimension, with ∘ the product element by element,
//
//	y = Output · ((Weight · w) ∘ (Input · x))   for 7 inputs x, 3 taps w and 5 outputs y
//
// which multiplies polynomials by their values at the points ±3/8, ±7/8, ±2 and ∞. The points of a pair share half of
// their sums. Of the points tried, these had the least
// rounding errors (Barabasz, Anderson, Soodhalter, Gregg 2020, "Error Analysis
// and Improving the Accuracy of Winograd Convolution for Deep Neural Networks", tells why points matter).
//
// [TransformInput], [TransformWeight] and [TransformOutput] write the products with the matrices as programs. In two dimensions
// they are applied to the columns and to the lines of a tile:
//
//	for k, v := range winograd.TransformInput(p, line) {
//		p.Store(asm.Mem{Base: "t", Offset: k * 16}, v)
//	}
//
// The matrices are the reference for tests of the programs.
package winograd
