// Package fourier holds the mathematics of 3×3 convolutions by the discrete
// Fourier transform: lengths, frequencies, and the transforms as matrices.
//
// With a border of zeros, a 3×3 cross-correlation on a board of H×W cells is a
// cyclic one of lengths at least H+1 and W+1. The transform of a real signal is given by
// four real frequencies and by one of each pair of conjugate ones, and a
// product of complex numbers takes three real products:
//
//	(a + ib)(c + id) = (p − r) + i(p + q)   with p = (a+b)c, q = a(d−c), r = b(c+d)
//
// so that, with ∘ the product element by element,
//
//	y = Output · ((Input · x) ∘ (Weight · w))
//
// For a board of 5×5 the lengths are 6 and the products 52, where the
// definition takes 225. With many channels each product becomes one of
// matrices.
//
//	d, _ := fourier.For(5, 5)
//	input := d.Input(5, 5) // [d.Products][25]
//
// The matrices are the reference that generated code is held to; they are not
// meant to be fast.
package fourier
