// Package transform builds the programs of the two-dimensional Fourier
// transforms that package fourier defines by matrices: lengths 4, 6, 8 and 10
// in each direction, factored (4 = 2·2, 8 = 2·2·2; 6 = 2·3 and 10 = 2·5 by
// Good and Thomas's map, which needs no twiddles), rows first on the way in,
// columns first on the way out. What is zero on the board, imaginary parts of real
// signals and frequencies that nobody asks for cost nothing: the program drops
// them.
//
//	transform.Input(p, domain, cell, func(q int, v asm.Value) { p.Store(…) })
package transform
