package main

import (
	"fmt"

	"tengen/nn/kernels/gen/internal/asm"
)

// begin declares a function for NEON and returns how to write its instructions.
func begin(
	f *asm.File, comment, signature, name string, size int,
) func(format string, args ...any) {
	f.Declare(comment, signature)
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", signature, name, size)
	return func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
}

// productNEON is product for NEON. It computes a few rows at a time; see sumNEON.
func productNEON(f *asm.File, rows int) {
	name := fmt.Sprintf("product%dNEON", rows)
	p := begin(f, fmt.Sprintf("// %s is a product of %d rows; see shape.", name, rows),
		fmt.Sprintf("func %s(c, a, b *float32, s *shape)", name), name, 32)
	shapeNEON(p)
	p("MOVD %d(R3), R7", shapeCInner)
	p("MOVD %d(R3), R8", shapeAInner)
	f.Printf("outer:\n")
	p("MOVD R0, R10")
	p("MOVD R1, R11")
	p("MOVD %d(R3), R12", shapeInner)
	f.Printf("inner:\n")
	first := 0
	for i, n := range map[int][]int{4: {4}, 8: {4, 4}, 12: {6, 6}, 16: {6, 5, 5}}[rows] {
		sumNEON(f, i, first, n)
		first += n
	}
	p("ADD R7, R10")
	p("ADD R8, R11")
	p("SUBS $1, R12")
	p("BNE inner")
	p("ADD R9, R0")
	p("ADD R5, R1")
	p("ADD R6, R2")
	p("SUBS $1, R4")
	p("BNE outer")
	p("RET")
}

// shapeNEON writes code that loads a product's arguments: C to R0, A to R1, B to R2, the shape to
// R3, and from it the number of outer steps to R4 and A's, B's and C's strides to R5, R6 and R9.
func shapeNEON(p func(string, ...any)) {
	p("MOVD c+0(FP), R0")
	p("MOVD a+8(FP), R1")
	p("MOVD b+16(FP), R2")
	p("MOVD s+24(FP), R3")
	p("MOVD %d(R3), R4", shapeOuter)
	p("MOVD %d(R3), R5", shapeAOuter)
	p("MOVD %d(R3), R6", shapeBOuter)
	p("MOVD %d(R3), R9", shapeCOuter)
}

// sumNEON writes the loop over the terms for rows first to first+n-1. Each row's sums take four
// registers. Those that follow hold each row's next four factors (eight if there are enough), and
// the others the weights by which they are multiplied.
func sumNEON(f *asm.File, index, first, n int) {
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	ahead := 1 // registers for the factors of a row
	if n <= 4 {
		ahead = 2
	}
	pairs := (32 - 4*n - ahead*n) / 2
	p("MOVD %d(R3), R13", shapeTerms)
	p("MOVD %d(R3), R14", shapeCount)
	for r := range 4 * n {
		p("%s", f.Target.Zero(r))
	}
	f.Printf("term%d:\n", index)
	p("LDP.P 16(R13), (R15, R19)")
	p("ADD R11, R15")
	p("ADD R2, R19")
	p("ADD R5, R15, R20")
	if index == 0 {
		p("ADD R6, R19, R21")
	}
	for k := range 16 {
		if k%(4*ahead) == 0 {
			for r := range n {
				at, to := (first+r)*64+k*4, 4*n+r*ahead
				if ahead == 1 {
					p("FMOVQ %d(R15), F%d", at, to)
				} else {
					p("FLDPQ %d(R15), (F%d, F%d)", at, to, to+1)
				}
			}
		}
		for half := range 2 {
			b := 32 - 2*pairs + (2*k+half)%pairs*2
			p("FLDPQ %d(R19), (F%d, F%d)", k*64+half*32, b, b+1)
			for r := range n {
				a := 4*n + r*ahead + k%(4*ahead)/4
				p("FMLA1S(%d, %d, %d, %d)", a, k%4, b, 4*r+2*half)
				p("FMLA1S(%d, %d, %d, %d)", a, k%4, b+1, 4*r+2*half+1)
			}
		}
		if index == 0 {
			p("PRFM %d(R21), PLDL1KEEP", k*64)
		}
		if k < n {
			p("PRFM %d(R20), PLDL1KEEP", (first+k)*64)
		}
	}
	p("SUBS $1, R14")
	p("BNE term%d", index)
	for r := range n {
		p("FSTPQ (F%d, F%d), %d(R10)", 4*r, 4*r+1, (first+r)*64)
		p("FSTPQ (F%d, F%d), %d(R10)", 4*r+2, 4*r+3, (first+r)*64+32)
	}
}

// narrowNEON is narrow for NEON.
func narrowNEON(f *asm.File, rows int) {
	name := fmt.Sprintf("product%dNEON", rows)
	p := begin(f, fmt.Sprintf("// %s is a product of %d rows with s.inner = 1; see shape.",
		name, rows), fmt.Sprintf("func %s(c, a, b *float32, s *shape)", name), name, 32)
	shapeNEON(p)
	as, bs := []string{"R15", "R19", "R20", "R21"}, []string{"R22", "R23", "R24", "R25"}
	for _, steps := range stepsOf(rows) {
		f.Printf("outer%d:\n", steps)
		p("CMP $%d, R4", steps)
		p("BLT done%d", steps)
		p("MOVD %d(R3), R13", shapeTerms)
		p("MOVD %d(R3), R14", shapeCount)
		n := steps * rows
		for r := range 4 * n {
			p("%s", f.Target.Zero(r))
		}
		f.Printf("term%d:\n", steps)
		p("LDP.P 16(R13), (%s, %s)", as[0], bs[0])
		p("ADD R1, %s", as[0])
		p("ADD R2, %s", bs[0])
		for i := 1; i < steps; i++ {
			p("ADD R5, %s, %s", as[i-1], as[i])
			p("ADD R6, %s, %s", bs[i-1], bs[i])
		}
		pairs, next := (32-5*n)/2, 0
		for k := range 16 {
			for i := range n {
				if k%4 == 0 {
					p("FMOVQ %d(%s), F%d", i%rows*64+k*4, as[i/rows], 4*n+i)
				}
			}
			for step := range steps {
				for half := range 2 {
					b := 32 - 2*pairs + next%pairs*2
					next++
					p("FLDPQ %d(%s), (F%d, F%d)", k*64+half*32, bs[step], b, b+1)
					for i := step * rows; i < (step+1)*rows; i++ {
						p("FMLA1S(%d, %d, %d, %d)", 4*n+i, k%4, b, 4*i+2*half)
						p("FMLA1S(%d, %d, %d, %d)", 4*n+i, k%4, b+1, 4*i+2*half+1)
					}
				}
			}
		}
		p("SUBS $1, R14")
		p("BNE term%d", steps)
		for i := range n {
			p("FSTPQ (F%d, F%d), %d(R0)", 4*i, 4*i+1, i%rows*64)
			p("FSTPQ (F%d, F%d), %d(R0)", 4*i+2, 4*i+3, i%rows*64+32)
			if i%rows == rows-1 {
				p("ADD R9, R0")
				p("ADD R5, R1")
				p("ADD R6, R2")
			}
		}
		p("SUB $%d, R4", steps)
		p("JMP outer%d", steps)
		f.Printf("done%d:\n", steps)
	}
	p("RET")
}

// sparseNEON is sparse for NEON.
func sparseNEON(f *asm.File, blocks int) {
	name := fmt.Sprintf("sparse%dNEON", blocks)
	p := begin(f, fmt.Sprintf("// %s computes %d output blocks; see sparse.", name, blocks),
		fmt.Sprintf("func %s(c *float32, list *input, w *float32, n int)", name), name, 32)
	p("MOVD c+0(FP), R0")
	p("MOVD list+8(FP), R1")
	p("MOVD w+16(FP), R2")
	p("MOVD n+24(FP), R3")
	sums := 4 * blocks
	at := func(i int) int { return i/4*1024 + i%4*16 }
	for i := range sums {
		p("FMOVQ %d(R0), F%d", at(i), i)
	}
	f.Printf("input:\n")
	p("FMOVS (R1), F31")
	p("MOVD 8(R1), R5")
	p("MOVD %d(R1), R6", 16*ahead+8)
	shift := map[int]int{1: 0, 2: 1, 4: 2}[blocks]
	p("ADD R5<<%d, R2, R5", shift)
	p("ADD R6<<%d, R2, R6", shift)
	for i := 0; i < sums; i += 2 {
		if i%4 == 0 {
			p("PRFM %d(R6), PLDL1KEEP", i*16)
		}
		b := sums + i%12
		p("FLDPQ %d(R5), (F%d, F%d)", i*16, b, b+1)
		p("FMLA1S(31, 0, %d, %d)", b, i)
		p("FMLA1S(31, 0, %d, %d)", b+1, i+1)
	}
	p("ADD $16, R1")
	p("SUBS $1, R3")
	p("BNE input")
	for i := range sums {
		p("FMOVQ F%d, %d(R0)", i, at(i))
	}
	p("RET")
}

// peakNEON is peak for NEON, with 24 sums.
func peakNEON(f *asm.File) {
	const accumulators = 24
	p := begin(f,
		fmt.Sprintf("// peakNEON does n times %d vectors of 4 fused multiplications and additions.",
			accumulators), "func peakNEON(n int)", "peakNEON", 8)
	p("MOVD n+0(FP), R0")
	for r := range accumulators + 2 {
		p("%s", f.Target.Zero(r))
	}
	f.Printf("loop:\n")
	for r := range accumulators {
		p("VFMLA V%d.S4, V%d.S4, V%d.S4", accumulators, accumulators+1, r)
	}
	p("SUBS $1, R0")
	p("BNE loop")
	p("RET")
}
