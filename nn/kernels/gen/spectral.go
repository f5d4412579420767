package main

import (
	"fmt"

	"tengen/nn/kernels/internal/asm"
)

// Offsets of the fields of package kernels' spectrum, in bytes.
const (
	spectrumCount     = 0
	spectrumABetween  = 8
	spectrumBBetween  = 16
	spectrumComplexes = 24
	spectrumPlanes    = 32
)

// spectral writes the function that computes all products of a layer for few rows; see spectrum in
// package kernels. It adds the terms of each sum in the same order as product, but reads the weights
// once from beginning to end, and only the real and the imaginary part of each: the time
// is that of reading them.
func spectral(f *asm.File, rows int) {
	t := f.Target
	name := fmt.Sprintf("spectral%d%s", rows, t.Name)
	signature := fmt.Sprintf("func %s(c, a, b *float32, s *spectrum)", name)
	f.Declare(fmt.Sprintf("// %s computes the products of %d rows; see spectrum.", name, rows), signature)
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-32\n", signature, name)
	p("MOVQ c+0(FP), DI")
	p("MOVQ a+8(FP), SI")
	p("MOVQ b+16(FP), BX")
	p("MOVQ s+24(FP), R8")
	p("MOVQ %d(R8), R9", spectrumCount)
	p("MOVQ %d(R8), R11", spectrumPlanes)
	p("XORQ R10, R10") // whether c has sums already
	f.Printf("block:\n")
	p("MOVQ DI, R14") // from a to c
	p("SUBQ SI, R14")
	p("LEAQ (BX)(R11*1), AX")
	realSums(f, rows)
	p("MOVQ BX, DX")                     // imaginary parts of the weights
	p("ADDQ $%d, AX", reals*plane*4)     // real parts
	p("LEAQ %d(SI), R12", reals*plane*4) // a+b
	p("LEAQ (R12)(R11*1), R13")          // a and b
	p("MOVQ %d(R8), CX", spectrumComplexes)
	p("PCALIGN $64")
	f.Printf("complex:\n")
	complexSums(f, rows)
	p("ADDQ $%d, AX", plane*4)
	p("ADDQ $%d, DX", plane*4)
	p("ADDQ $%d, R12", plane*4)
	p("ADDQ $%d, R13", 2*plane*4)
	p("DECQ CX")
	p("JNZ complex")
	p("ADDQ %d(R8), SI", spectrumABetween)
	p("ADDQ %d(R8), BX", spectrumBBetween)
	p("MOVQ $1, R10")
	p("DECQ R9")
	p("JNZ block")
	p("VZEROUPPER")
	p("RET")
}

// half returns the name of register i. Vectors of 8 numbers are as fast as those of 16 where
// every weight is used by few rows, since the processor loads two of them at once.
func half(i int) string { return asm.AVX2.Register(i) }

// sums writes code that loads n sums into registers, or clears them for the first block, then
// body, then stores them. at returns a sum's place.
func sums(f *asm.File, label string, n int, at func(i int) string, body func()) {
	for i := range n {
		f.Printf("\t%s\n", asm.AVX2.Zero(i))
	}
	f.Printf("\tTESTQ R10, R10\n\tJZ %s\n", label)
	for i := range n {
		f.Printf("\tVMOVUPS %s, %s\n", at(i), half(i))
	}
	f.Printf("%s:\n", label)
	body()
	for i := range n {
		f.Printf("\tVMOVUPS %s, %s\n", half(i), at(i))
	}
}

// realSums writes the products of the real frequencies, with a at SI, b at AX, and c at SI + R14.
func realSums(f *asm.File, rows int) {
	last := f.Target.Registers - 1
	steps := min(reals, (last-3)/(2*rows)) // sums that there are registers for
	if steps == 3 {
		steps = 2
	}
	for first := 0; first < reals; first += steps {
		sums(f, fmt.Sprintf("real%d", first), 2*steps*rows, func(i int) string {
			return fmt.Sprintf("%d(SI)(R14*1)", (first+i/2/rows)*plane*4+i/2%rows*64+i%2*32)
		}, func() {
			for k := range 16 {
				for step := range steps {
					at := (first + step) * plane * 4
					f.Printf("\tVMOVUPS %d(AX), %s\n", at+k*64, half(last-1))
					f.Printf("\tVMOVUPS %d(AX), %s\n", at+k*64+32, half(last))
					for row := range rows {
						free, sum := last-2-row%2, 2*(step*rows+row)
						f.Printf("\tVBROADCASTSS %d(SI), %s\n", at+row*64+k*4, half(free))
						f.Printf("\tVFMADD231PS %s, %s, %s\n", half(free), half(last-1), half(sum))
						f.Printf("\tVFMADD231PS %s, %s, %s\n", half(free), half(last), half(sum+1))
					}
				}
			}
		})
	}
}

// complexSums writes the products of one complex frequency, with a+b at R12, a and b at
// R13, the weights' real part at AX and the imaginary one at DX, and c at R14 from a.
func complexSums(f *asm.File, rows int) {
	at := func(row, product, offset int) string {
		if product == 0 {
			return fmt.Sprintf("%d(R12)", row*64+offset)
		}
		return fmt.Sprintf("%d(R13)", (product-1)*plane*4+row*64+offset)
	}
	passes := [][]int{{0, 1}} // halves of the channels
	if 6*rows+8 > f.Target.Registers {
		passes = [][]int{{0}, {1}}
	}
	for _, halves := range passes {
		n := len(halves)
		c := 3 * rows * n
		difference, sum, free := c+n, c+2*n, c+3*n
		sums(f, fmt.Sprintf("products%d", halves[0]), c, func(i int) string { return at(i/n/3, i/n%3, halves[i%n]*32) + "(R14*1)" }, func() {
			for k := range 16 {
				for i, h := range halves {
					f.Printf("\tVMOVUPS %d(AX), %s\n", k*64+h*32, half(c+i))
					f.Printf("\tVMOVUPS %d(DX), %s\n", k*64+h*32, half(sum+i))
					f.Printf("\tVSUBPS %s, %s, %s\n", half(c+i), half(sum+i), half(difference+i))
					f.Printf("\tVADDPS %s, %s, %s\n", half(c+i), half(sum+i), half(sum+i))
				}
				for i := range 3 * rows {
					free := free + i%min(f.Target.Registers-free, 3)
					f.Printf("\tVBROADCASTSS %s, %s\n", at(i/3, i%3, k*4), half(free))
					for h := range n {
						f.Printf("\tVFMADD231PS %s, %s, %s\n", half(free), half(c+i%3*n+h), half(i*n+h))
					}
				}
			}
		})
	}
}
