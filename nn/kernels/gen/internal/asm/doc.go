// Package asm generates vector kernels: straight-line programs over vectors of
// float32, which it lowers to AVX-512, AVX2 or NEON assembly or to plain Go, and which tests
// execute in float64.
//
// A [Kernel] is a function of pointers and a number of rounds. Each round runs its
// program on 16 channels, then advances each pointer. A [Program] is built by calling
// its methods. It is in static single assignment form: equal values are computed once,
// and signs are symbolic, so that zeros and negations cost nothing. Lowering drops
// instructions that no store needs and allocates registers by Belady's rule: when none is
// free, it evicts the value whose next use is farthest away, and reloads it later from where
// it was loaded first, or from the stack.
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
// channels of a round, then on the other eight; the NEON form on four after another.
//
// Caveats: n is at least 1. A value loaded through one argument must not be
// used after a store through another that overlaps it. Kernels of another
// form (matrix products) are written with [File.Printf], and loops that add products by numbers
// to sums in registers with [Program.Sum] and [File.Lower].
package asm
