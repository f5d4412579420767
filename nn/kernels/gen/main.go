// Gen writes the generated files of packages kernels and training: assembly for AVX-512, AVX2 and
// NEON, its Go declarations, and the kernels of inference in plain Go. To run it:
//
//	go generate ./nn/kernels
//
// Its argument is the folder of package kernels.
//
// # Fourier
//
// The transforms in which 3×3 convolutions are computed are there as matrices, which are the
// reference for tests, and as programs of package asm.
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
// Lengths are 4, 6, 8, 10, 12, 16 and 20 in each direction, factored: 4 = 2·2, 8 = 2·2·2; 6 = 2·3,
// 10 = 2·5 and 12 = 3·4 by the prime-factor algorithm of Good and Thomas, which needs no twiddle
// factors. Forward transforms do rows first, inverse ones columns first. Zeros of the padding,
// imaginary parts of real signals and unused frequencies cost nothing: the program drops them.
//
// # Tiles
//
// Winograd's algorithm F(5×5, 3×3) for cross-correlations (Lavin, Gray 2016, "Fast Algorithms for
// Convolutional Neural Networks"): a tile of 5×5 outputs takes 49 products in place of 225. In one
// dimension
//
//	y = Output · ((Weight · w) ∘ (Input · x))   for 7 inputs x, 3 taps w and 5 outputs y
//
// which multiplies polynomials by their values at the points ±3/8, ±7/8, ±2 and ∞. The points of a
// pair share half of their sums. Of the points tried, these had the least rounding errors
// (Barabasz, Anderson, Soodhalter, Gregg 2020, "Error Analysis and Improving the Accuracy of
// Winograd Convolution for Deep Neural Networks", tells why points matter).
//
// winogradInput, winogradWeight and winogradOutput write the products with the matrices as
// programs. In two dimensions they are applied to the columns and to the lines of a tile.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// files returns the generated files by name, relative to package kernels.
func files() map[string][]byte {
	files := inference()
	for name, text := range trainingFiles() {
		files[filepath.Join("training", name)] = text
	}
	return files
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FOLDER")
		os.Exit(2)
	}
	for name, text := range files() {
		if err := os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}
