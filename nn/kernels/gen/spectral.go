package main

import (
	"fmt"
	"maps"
	"slices"

	"tengen/nn/kernels/internal/asm"
)

// Offsets of the fields of package kernels' spectrum, in bytes.
const (
	spectrumCount      = 0
	spectrumComplexes  = 8
	spectrumABetween   = 16
	spectrumABlocks    = 24
	spectrumAPlanes    = 32
	spectrumBPlane     = 40
	spectrumBImaginary = 48
)

// spectral writes the function that computes all products of an output block for few rows; see spectrum in
// package kernels. It adds the terms of each sum in the same order as product, but reads only the real
// and the imaginary part of each weight, since it takes most of the time to read them.
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
	p("MOVQ %d(R8), R10", spectrumABetween)
	p("MOVQ %d(R8), R11", spectrumAPlanes)
	p("MOVQ %d(R8), R15", spectrumBPlane)
	p("MOVQ DI, R14") // from a to c
	p("SUBQ SI, R14")
	p("MOVQ BX, AX")
	p("ADDQ %d(R8), AX", spectrumBImaginary)
	realSums(f, rows)
	p("LEAQ (AX)(R15*%d), AX", reals)    // real parts of the weights
	p("MOVQ BX, DX")                     // imaginary parts
	p("LEAQ %d(SI), R12", reals*plane*4) // a+b
	p("LEAQ (R12)(R11*1), R13")          // a and b
	p("MOVQ %d(R8), CX", spectrumComplexes)
	f.Printf("complex:\n")
	complexSums(f, rows)
	p("ADDQ R15, AX")
	p("ADDQ R15, DX")
	p("ADDQ $%d, R12", plane*4)
	p("ADDQ $%d, R13", 2*plane*4)
	p("DECQ CX")
	p("JNZ complex")
	p("VZEROUPPER")
	p("RET")
}

// sums writes code that computes n sums in registers and stores them. term writes the code for one
// input block; its pointers advance by the given registers, and return to where they were. at returns a sum's place.
func sums(f *asm.File, label string, n int, pointers map[string]string, at func(i int) string, term func()) {
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	for i := range n {
		p("%s", f.Target.Zero(i))
	}
	p("MOVQ %d(R8), R9", spectrumCount)
	p("PCALIGN $64")
	f.Printf("%s:\n", label)
	term()
	order := slices.Sorted(maps.Keys(pointers))
	for _, pointer := range order {
		p("ADDQ %s, %s", pointers[pointer], pointer)
	}
	p("DECQ R9")
	p("JNZ %s", label)
	for _, pointer := range order {
		if pointers[pointer] == "R10" {
			p("SUBQ %d(R8), %s", spectrumABlocks, pointer)
		} else {
			p("SUBQ R15, %s", pointer)
		}
	}
	for i := range n {
		p("VMOVUPS %s, %s", f.Target.Register(i), at(i))
	}
}

const block = "$1024" // bytes of a block of weights

// realSums writes the products of the real frequencies, with a at SI, b at AX, and c at SI + R14.
func realSums(f *asm.File, rows int) {
	r, vectors := f.Target.Register, 16/f.Target.Lanes
	steps := reals
	if f.Target == asm.AVX2 && rows > 1 {
		steps = 2
	}
	for first := 0; first < reals; first += steps {
		n := steps * rows
		row := func(i, offset int) string {
			return fmt.Sprintf("%d(SI)", (first+i/rows)*plane*4+i%rows*64+offset)
		}
		f.Printf("\tLEAQ (AX)(R15*2), DX\n")
		weights := []string{"(AX)", "(AX)(R15*1)", "(DX)", "(DX)(R15*1)"}[first:]
		sums(f, fmt.Sprintf("real%d", first), n*vectors, map[string]string{"SI": "R10", "AX": block, "DX": block}, func(i int) string {
			return row(i/vectors, i%vectors*32) + "(R14*1)"
		}, func() {
			weight := f.Target.Registers - 4
			for k := range 16 {
				if k%4 == 0 && f.Target == asm.AVX2 {
					for i := range n {
						four(f, row(i, k*4), 2*n+i)
					}
				}
				for i := range n {
					if i%rows == 0 {
						for part := range vectors {
							f.Printf("\tVMOVUPS %d%s, %s\n", k*64+part*32, weights[i/rows], r(weight+part))
						}
					}
					if f.Target == asm.AVX512 {
						f.Printf("\tVFMADD231PS.BCST %s, %s, %s\n", row(i, k*4), r(weight), r(i))
						continue
					}
					one(f, k, 2*n+i, weight+2+i%2)
					f.Printf("\tVFMADD231PS %s, %s, %s\n", r(weight+2+i%2), r(weight), r(2*i))
					f.Printf("\tVFMADD231PS %s, %s, %s\n", r(weight+2+i%2), r(weight+1), r(2*i+1))
				}
			}
		})
	}
}

// four writes code that loads four numbers into register to, and one writes code that
// broadcasts number k%4 of the four in register from. This spares loads: of two vectors of 8
// numbers the processor loads both at once, but of two broadcasts from memory one after the other.
func four(f *asm.File, at string, to int) {
	name := "VBROADCASTF128"
	if f.Target == asm.AVX512 {
		name = "VBROADCASTF32X4"
	}
	f.Printf("\t%s %s, %s\n", name, at, f.Target.Register(to))
}

func one(f *asm.File, k, from, to int) {
	f.Printf("\tVPERMILPS $%d, %s, %s\n", k%4*0x55, f.Target.Register(from), f.Target.Register(to))
}

// complexSums writes the products of one complex frequency, with a+b at R12, a and b at
// R13, the weights' real part at AX and the imaginary one at DX, and c at R14 from a.
func complexSums(f *asm.File, rows int) {
	r := f.Target.Register
	at := func(i, offset int) string { // sum i is of row i/3 and product i%3
		if i%3 == 0 {
			return fmt.Sprintf("%d(R12)", i/3*64+offset)
		}
		return fmt.Sprintf("%d(R13)", (i%3-1)*plane*4+i/3*64+offset)
	}
	passes := [][]int{{0}} // offsets of the vectors that are computed at once
	if f.Target == asm.AVX2 {
		passes = map[int][][]int{1: {{0, 32}}, 2: {{0}, {32}}}[rows]
	}
	for i, offsets := range passes {
		n := len(offsets)
		c := 3 * rows * n
		difference, sum, fours := c+n, c+2*n, c+3*n
		sums(f, fmt.Sprintf("products%d", i), c, map[string]string{"AX": block, "DX": block, "R12": "R10", "R13": "R10"}, func(i int) string { return at(i/n, offsets[i%n]) + "(R14*1)" }, func() {
			for k := range 16 {
				for i, offset := range offsets {
					f.Printf("\tVMOVUPS %d(AX), %s\n", k*64+offset, r(c+i))
					f.Printf("\tVMOVUPS %d(DX), %s\n", k*64+offset, r(sum+i))
					f.Printf("\tVSUBPS %s, %s, %s\n", r(c+i), r(sum+i), r(difference+i))
					f.Printf("\tVADDPS %s, %s, %s\n", r(c+i), r(sum+i), r(sum+i))
				}
				for i := range 3 * rows {
					// With AVX-512 several rows keep the arithmetic units busy, but one row the loads.
					if f.Target == asm.AVX512 && (rows > 1 || i == 0) {
						f.Printf("\tVFMADD231PS.BCST %s, %s, %s\n", at(i, k*4), r(c+i%3), r(i))
						continue
					}
					if k%4 == 0 {
						four(f, at(i, k*4), fours+i)
					}
					free := fours + 3*rows
					one(f, k, fours+i, free)
					for part := range n {
						f.Printf("\tVFMADD231PS %s, %s, %s\n", r(free), r(c+i%3*n+part), r(i*n+part))
					}
				}
			}
		})
	}
}
