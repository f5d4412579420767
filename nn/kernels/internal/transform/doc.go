// Package transform builds programs for the two-dimensional Fourier
// transforms that package fourier defines by matrices. Lengths are 4, 6, 8, 10, 12, 16 and 20
// in each direction, factored: 4 = 2·2, 8 = 2·2·2; 6 = 2·3, 10 = 2·5 and 12 = 3·4 by
// the prime-factor algorithm of Good and Thomas, which needs no twiddle factors. Forward
// transforms do rows first, inverse ones columns first. Zeros of the padding, imaginary
// parts of real signals and unused frequencies cost nothing: the program drops them.
//
//	transform.Input(p, domain, cell, func(q int, v asm.Value) { p.Store(…) })
package transform
