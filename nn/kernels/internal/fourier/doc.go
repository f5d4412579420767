// Package fourier holds the mathematics of 3×3 convolutions by the discrete
// Fourier transform: lengths, frequencies, and the transforms as matrices.
//
// With zero padding, a 3×3 cross-correlation on a board of H×W cells equals a
// cyclic one of lengths at least H+1 and W+1. The transform of a real signal is determined by
// four real frequencies and one of each pair of conjugate complex ones, and a
// product of complex numbers takes three real products:
//
//	(a + ib)(c + id) = (p − r) + i(p + q)   with p = (a+b)c, q = a(d−c), r = b(c+d)
//
// so that, with ∘ the product element by element,
//
//	y = Output · ((Input · x) ∘ (Weight · w))
//
// For a board of 5×5 the lengths are 6, and 52 products replace the 225 of the
// definition. With many channels each product becomes a matrix product.
//
//	d, _ := fourier.For(5, 5)
//	input := d.Input(5, 5) // [d.Products][25]
//
// The matrices are the reference for tests of generated code; they are not meant to be fast.
package fourier
