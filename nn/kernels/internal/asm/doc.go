// Package asm writes vector kernels: straight-line programs over vectors of
// float32, built once and lowered to AVX-512 or AVX2 assembly, to plain Go, or
// run in float64 by tests.
//
// A [Kernel] is a function of pointers and a number of rounds. In each round
// its program works on 16 channels, then each pointer advances. A [Program] is
// built by calling its methods; it is in static single assignment form, with equal
// values computed once and signs kept symbolic, so that zeros and negations
// cost nothing. Lowering drops what no store needs and allocates registers by
// Belady's rule: when none is free, the value used last is given up, and comes
// back from where it was loaded, or from the stack.
//
//	scale := asm.Kernel{
//		Name: "scale",
//		Args: []asm.Arg{{"y", 16}, {"x", 16}, {"k", 0}},
//		Body: func(p *asm.Program) {
//			p.Store(asm.Mem{"y", 0}, p.Mul(p.Load(asm.Mem{"k", 0}), p.Load(asm.Mem{"x", 0})))
//		},
//	}
//	file := asm.NewFile(asm.AVX2, "kernels")
//	file.Kernel(scale) // func scaleAVX2(y, x, k *float32, n int)
//
// Offsets and advances are in float32. The AVX2 form works on the first eight
// channels of a round, then on the other eight.
//
// Caveats: n is at least 1. A value loaded through one argument must not be
// used after a store through another that overlaps it. Kernels that do not
// fit this mould (products of matrices) are written with [File.Printf].
package asm
