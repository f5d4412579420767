package main

import (
	"fmt"
	"slices"

	"tengen/nn/kernels/gen/internal/asm"
)

// Offsets of the fields of package kernels' shape, in bytes.
const (
	shapeTerms  = 0
	shapeCount  = 8
	shapeOuter  = 16
	shapeCOuter = 24
	shapeAOuter = 32
	shapeBOuter = 40
	shapeInner  = 48
	shapeCInner = 56
	shapeAInner = 64
)

// product writes the function that computes C = Σ A·B for A with the given number of rows; see
// shape in package kernels. Each sum adds its terms in order, by one fused
// multiply-add after the other, for any number of rows.
func product(f *asm.File, rows int) {
	t := f.Target
	if t == asm.NEON {
		productNEON(f, rows)
		return
	}
	name := fmt.Sprintf("product%d%s", rows, t.Name)
	signature := fmt.Sprintf("func %s(c, a, b *float32, s *shape)", name)
	f.Declare(fmt.Sprintf("// %s is a product of %d rows; see shape.", name, rows), signature)
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-32\n", signature, name)
	p("MOVQ c+0(FP), DI")
	p("MOVQ a+8(FP), SI")
	p("MOVQ b+16(FP), BX")
	p("MOVQ s+24(FP), R8")
	p("MOVQ %d(R8), CX", shapeOuter)
	p("MOVQ %d(R8), R14", shapeAOuter)
	p("MOVQ %d(R8), R15", shapeBOuter)
	f.Printf("outer:\n")
	p("MOVQ DI, R10")
	p("MOVQ SI, R11")
	p("MOVQ %d(R8), R9", shapeInner)
	f.Printf("inner:\n")
	if t == asm.AVX512 {
		sum512(f, rows)
	} else {
		first := 0
		for i, n := range map[int][]int{4: {4}, 8: {4, 4}, 12: {6, 6}, 16: {6, 5, 5}}[rows] {
			sum2(f, i, first, n)
			first += n
		}
	}
	p("ADDQ %d(R8), R10", shapeCInner)
	p("ADDQ %d(R8), R11", shapeAInner)
	p("DECQ R9")
	p("JNZ inner")
	p("ADDQ %d(R8), DI", shapeCOuter)
	p("ADDQ %d(R8), SI", shapeAOuter)
	p("ADDQ %d(R8), BX", shapeBOuter)
	p("DECQ CX")
	p("JNZ outer")
	p("VZEROUPPER")
	p("RET")
}

// term writes code that sets AX and DX to the addresses of a term's blocks of A and B.
func term(p func(string, ...any)) {
	p("MOVQ (R12), AX")
	p("MOVQ 8(R12), DX")
	p("ADDQ R11, AX")
	p("ADDQ BX, DX")
}

// sum512 writes the loop for AVX-512. It keeps the rows in registers 0 to rows-1 and prefetches
// what the next outer step reads.
func sum512(f *asm.File, rows int) {
	const near = 512 // offsets from −512 to 508 take one byte
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	p("MOVQ %d(R8), R12", shapeTerms)
	p("MOVQ %d(R8), R13", shapeCount)
	for r := range rows {
		p("%s", f.Target.Zero(r))
	}
	p("PCALIGN $64")
	f.Printf("term:\n")
	term(p)
	p("ADDQ $%d, AX", near)
	for k := range 16 {
		b := 31 - k%4
		p("VMOVUPS %d(DX), Z%d", k*64, b)
		for r := range rows {
			p("VFMADD231PS.BCST %d(AX), Z%d, Z%d", r*64+k*4-near, b, r)
		}
		p("PREFETCHT0 %d(DX)(R15*1)", k*64)
		if k < rows {
			p("PREFETCHT0 %d(AX)(R14*1)", k*64-near)
		}
	}
	p("ADDQ $16, R12")
	p("DECQ R13")
	p("JNZ term")
	for r := range rows {
		p("VMOVUPS Z%d, %d(R10)", r, r*64)
	}
}

// sum2 writes the loop for AVX2 for rows first to first+n-1, each in two registers.
func sum2(f *asm.File, index, first, n int) {
	const near = 128
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	p("MOVQ %d(R8), R12", shapeTerms)
	p("MOVQ %d(R8), R13", shapeCount)
	for r := range 2 * n {
		p("%s", f.Target.Zero(r))
	}
	p("PCALIGN $32")
	f.Printf("term%d:\n", index)
	term(p)
	p("ADDQ $%d, AX", first*64+near)
	for k := range 16 {
		p("VMOVUPS %d(DX), Y12", k*64)
		p("VMOVUPS %d(DX), Y13", k*64+32)
		for r := range n {
			b := 14 + r%2
			p("VBROADCASTSS %d(AX), Y%d", r*64+k*4-near, b)
			p("VFMADD231PS Y%d, Y12, Y%d", b, 2*r)
			p("VFMADD231PS Y%d, Y13, Y%d", b, 2*r+1)
		}
		if index == 0 {
			p("PREFETCHT0 %d(DX)(R15*1)", k*64)
		}
		if k < n {
			p("PREFETCHT0 %d(AX)(R14*1)", k*64-near)
		}
	}
	p("ADDQ $16, R12")
	p("DECQ R13")
	p("JNZ term%d", index)
	for r := range n {
		p("VMOVUPS Y%d, %d(R10)", 2*r, (first+r)*64)
		p("VMOVUPS Y%d, %d(R10)", 2*r+1, (first+r)*64+32)
	}
}

// narrow writes the same function for fewer rows than product's. It computes several outer steps
// at once, so that their sums hide the latency of each other's additions. There is only one inner
// step. Nothing is prefetched: the processor does it better where weights are read once. Vectors
// have 8 numbers: each weight is used by few rows, and the processor loads two such vectors at
// once, but one of 16.
func narrow(f *asm.File, rows int) {
	t := f.Target
	if t == asm.NEON {
		narrowNEON(f, rows)
		return
	}
	name := fmt.Sprintf("product%d%s", rows, t.Name)
	signature := fmt.Sprintf("func %s(c, a, b *float32, s *shape)", name)
	f.Declare(fmt.Sprintf("// %s is a product of %d rows with s.inner = 1; see shape.",
		name, rows), signature)
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-32\n", signature, name)
	p("MOVQ c+0(FP), DI")
	p("MOVQ a+8(FP), SI")
	p("MOVQ b+16(FP), BX")
	p("MOVQ s+24(FP), R8")
	p("MOVQ %d(R8), CX", shapeOuter)
	p("MOVQ %d(R8), R14", shapeAOuter)
	p("MOVQ %d(R8), R15", shapeBOuter)
	p("LEAQ (R14)(R14*2), R9")
	p("LEAQ (R15)(R15*2), R10")
	for _, steps := range stepsOf(rows) {
		f.Printf("outer%d:\n", steps)
		p("CMPQ CX, $%d", steps)
		p("JLT done%d", steps)
		p("MOVQ %d(R8), R12", shapeTerms)
		p("MOVQ %d(R8), R13", shapeCount)
		n := steps * rows
		for r := range 2 * n {
			p("%s", t.Zero(r))
		}
		p("PCALIGN $64")
		f.Printf("term%d:\n", steps)
		p("MOVQ (R12), AX")
		p("MOVQ 8(R12), DX")
		p("ADDQ SI, AX")
		p("ADDQ BX, DX")
		aIndex, bIndex := []string{"", "(R14*1)", "(R14*2)", "(R9*1)"},
			[]string{"", "(R15*1)", "(R15*2)", "(R10*1)"}
		weight := t.Registers - 4
		for k := range 16 {
			for i := range n {
				if k%4 == 0 {
					four(f, fmt.Sprintf("%d(AX)%s", i%rows*64+k*4, aIndex[i/rows]), 2*n+i)
				}
				if i%rows == 0 {
					p("VMOVUPS %d(DX)%s, %s", k*64, bIndex[i/rows], t.Register(weight))
					p("VMOVUPS %d(DX)%s, %s", k*64+32, bIndex[i/rows], t.Register(weight+1))
				}
				free := weight + 2 + i%2
				one(f, k, 2*n+i, free)
				p("VFMADD231PS %s, %s, %s", t.Register(free), t.Register(weight), t.Register(2*i))
				p("VFMADD231PS %s, %s, %s",
					t.Register(free), t.Register(weight+1), t.Register(2*i+1))
			}
		}
		p("ADDQ $16, R12")
		p("DECQ R13")
		p("JNZ term%d", steps)
		for i := range n {
			p("VMOVUPS %s, %d(DI)", t.Register(2*i), i%rows*64)
			p("VMOVUPS %s, %d(DI)", t.Register(2*i+1), i%rows*64+32)
			if i%rows == rows-1 {
				p("ADDQ %d(R8), DI", shapeCOuter)
				p("ADDQ R14, SI")
				p("ADDQ R15, BX")
			}
		}
		p("SUBQ $%d, CX", steps)
		p("JMP outer%d", steps)
		f.Printf("done%d:\n", steps)
	}
	p("VZEROUPPER")
	p("RET")
}

// stepsOf returns how many outer steps narrow computes at once: first as often as possible, then
// the rest.
func stepsOf(rows int) []int { return slices.Compact([]int{4 / rows, 1}) }

// peak writes a loop of independent fused multiply-adds.
func peak(f *asm.File) {
	const accumulators = 12
	t := f.Target
	if t == asm.NEON {
		peakNEON(f)
		return
	}
	name := "peak" + t.Name
	signature := fmt.Sprintf("func %s(n int)", name)
	f.Declare(fmt.Sprintf(
		"// %s does n times %d vectors of %d fused multiplications and additions.",
		name, accumulators, t.Lanes), signature)
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-8\n", signature, name)
	p("MOVQ n+0(FP), CX")
	for r := range accumulators + 2 {
		p("%s", t.Zero(r))
	}
	p("PCALIGN $64")
	f.Printf("loop:\n")
	for r := range accumulators {
		p("VFMADD231PS %s, %s, %s",
			t.Register(accumulators), t.Register(accumulators+1), t.Register(r))
	}
	p("DECQ CX")
	p("JNZ loop")
	p("VZEROUPPER")
	p("RET")
}

// four writes code that loads four numbers into register to, and one writes code that
// broadcasts number k%4 of the four in register from. This spares loads: of two vectors of 8
// numbers the processor loads both at once, but of two broadcasts from memory one after the other.
func four(f *asm.File, at string, to int) {
	f.Printf("\tVBROADCASTF128 %s, %s\n", at, f.Target.Register(to))
}

func one(f *asm.File, k, from, to int) {
	f.Printf("\tVPERMILPS $%d, %s, %s\n", k%4*0x55, f.Target.Register(from), f.Target.Register(to))
}

// ahead is how many inputs ahead the sparse kernels prefetch.
const ahead = 32

// sparse writes the function that multiplies one row's inputs that are not zero by their weights,
// for 1, 2 or 4 output blocks. Each sum adds its terms in the order of product.
func sparse(f *asm.File, blocks int) {
	t := f.Target
	if t == asm.NEON {
		sparseNEON(f, blocks)
		return
	}
	name := fmt.Sprintf("sparse%d%s", blocks, t.Name)
	signature := fmt.Sprintf("func %s(c *float32, list *input, w *float32, n int)", name)
	f.Declare(fmt.Sprintf("// %s computes %d output blocks; see sparse.", name, blocks), signature)
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-32\n", signature, name)
	p("MOVQ c+0(FP), DI")
	p("MOVQ list+8(FP), SI")
	p("MOVQ w+16(FP), DX")
	p("MOVQ n+24(FP), CX")
	sums := blocks * 16 / t.Lanes
	at := func(i int) string {
		byte := i * t.Lanes * 4
		return fmt.Sprintf("%d(DI)", byte/64*1024+byte%64)
	}
	for i := range sums {
		p("VMOVUPS %s, %s", at(i), t.Register(i))
	}
	p("PCALIGN $64")
	f.Printf("input:\n")
	p("MOVQ 8(SI), AX")
	p("MOVQ %d(SI), BX", 16*ahead+8)
	p("VBROADCASTSS (SI), %s", t.Register(sums))
	for i := range sums {
		if i*t.Lanes%16 == 0 {
			p("PREFETCHT0 %d(DX)(BX*%d)", i*t.Lanes*4, blocks)
		}
		p("VFMADD231PS %d(DX)(AX*%d), %s, %s", i*t.Lanes*4, blocks, t.Register(sums), t.Register(i))
	}
	p("ADDQ $16, SI")
	p("DECQ CX")
	p("JNZ input")
	for i := range sums {
		p("VMOVUPS %s, %s", t.Register(i), at(i))
	}
	p("VZEROUPPER")
	p("RET")
}
