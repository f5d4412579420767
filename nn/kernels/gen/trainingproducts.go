package main

import (
	"fmt"

	"tengen/nn/kernels/gen/internal/asm"
)

// tileProducts writes the kernels that multiply and transpose 16×16 tiles.
func tileProducts(f *asm.File) {
	tileProduct{name: "multiply", at: func(row, k int) int { return row*lanes + k }}.write(f)
	tileProduct{
		name: "multiplyAhead", at: func(row, k int) int { return row*lanes + k }, ahead: true,
	}.write(f)
	tileProduct{
		name: "correlate", at: func(row, k int) int { return k*lanes + row }, next: true,
	}.write(f)
	switch f.Target {
	case asm.AVX512:
		transposeAVX512(f)
	case asm.NEON:
		transposeNEON(f)
	default:
		transposeAVX2(f)
	}
}

// tileProduct computes c = Σ a·b over n pairs of tiles, or adds the sum to c if add is set.
//
// Rows of c stay in registers: all 16 with AVX-512, 6, then 6, then 4 with
// AVX2. Sums run over k in the same order in both cases.
type tileProduct struct {
	name string
	at   func(row, k int) int // index in a's tile of the factor of b's line k in c's row
	// prefetch from six places and advance them; there is no add argument
	ahead bool
	next  bool // prefetch c, and a's tiles of the next plane; b's are always prefetched
}

// places are the registers of the addresses to prefetch.
var places = []string{"SI", "R9", "R10", "R11", "R12", "R13"}

func (p tileProduct) write(f *asm.File) {
	t := f.Target
	if t == asm.NEON {
		p.writeNEON(f)
		return
	}
	name := p.name + t.Name
	last, size := "add bool", 49
	if p.ahead {
		last, size = "places *uintptr", 56
	}
	signature := fmt.Sprintf("func %s(c, a, b *float32, n, aStep, bStep int, %s)", name, last)
	f.Declare("", signature)
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", signature, name, size)
	f.Printf("\tMOVQ c+0(FP), DI\n\tMOVQ aStep+32(FP), DX\n\tMOVQ bStep+40(FP), R8\n\tSHLQ $2, DX\n\tSHLQ $2, R8\n")
	rows, vectors := []int{0, 16}, 1
	if t == asm.AVX2 {
		rows, vectors = []int{0, 6, 12, 16}, 2
	}
	if p.ahead {
		f.Printf("\tMOVQ places+48(FP), AX\n")
		for i, r := range places {
			f.Printf("\tMOVQ %d(AX), %s\n", 8*i, r)
		}
	}
	if p.next {
		for r := range lanes {
			f.Printf("\tPREFETCHT0 %d(DI)\n", r*64)
		}
	}
	const bias = 512 // makes offsets short enough to be encoded in one byte
	for i, first := range rows[:len(rows)-1] {
		n := rows[i+1] - first
		reg := func(row, v int) string { return t.Register((row-first)*vectors + v) }
		f.Printf("\tMOVQ a+8(FP), AX\n\tMOVQ b+16(FP), BX\n\tMOVQ n+24(FP), CX\n\tADDQ $%d, AX\n",
			bias)
		for r := range n * vectors {
			f.Printf("\t%s\n", t.Zero(r))
		}
		f.Printf("\tPCALIGN $64\nloop%d:\n", i)
		for k := range lanes {
			if t == asm.AVX512 {
				b := t.Register(31 - k%4)
				f.Printf("\tVMOVUPS %d(BX), %s\n", k*64, b)
				for r := first; r < first+n; r++ {
					f.Printf("\tVFMADD231PS.BCST %d(AX), %s, %s\n", 4*p.at(r, k)-bias, b, reg(r, 0))
				}
			} else {
				f.Printf("\tVMOVUPS %d(BX), Y12\n\tVMOVUPS %d(BX), Y13\n", k*64, k*64+32)
				for r := first; r < first+n; r++ {
					a := t.Register(14 + r%2)
					f.Printf("\tVBROADCASTSS %d(AX), %s\n", 4*p.at(r, k)-bias, a)
					f.Printf("\tVFMADD231PS %s, Y12, %s\n\tVFMADD231PS %s, Y13, %s\n",
						a, reg(r, 0), a, reg(r, 1))
				}
			}
			if i > 0 {
				continue
			}
			f.Printf("\tPREFETCHT0 %d(BX)\n", 4*stride+k*64) // the next plane's
			if p.next {
				f.Printf("\tPREFETCHT0 %d(AX)\n", 4*stride+k*64-bias)
			}
			if p.ahead && k < 2*len(places) {
				f.Printf("\tPREFETCHT1 %d(%s)\n", k%2*64, places[k/2])
			}
		}
		if p.ahead && i == 0 {
			for _, r := range places {
				f.Printf("\tADDQ $128, %s\n", r)
			}
		}
		f.Printf("\tADDQ DX, AX\n\tADDQ R8, BX\n\tDECQ CX\n\tJNZ loop%d\n", i)
		if !p.ahead {
			f.Printf("\tCMPB add+48(FP), $0\n\tJEQ store%d\n", i)
			for r := first; r < first+n; r++ {
				for v := range vectors {
					f.Printf("\tVADDPS %d(DI), %s, %s\n", r*64+v*32, reg(r, v), reg(r, v))
				}
			}
			f.Printf("store%d:\n", i)
		}
		for r := first; r < first+n; r++ {
			for v := range vectors {
				f.Printf("\tVMOVUPS %s, %d(DI)\n", reg(r, v), r*64+v*32)
			}
		}
	}
	if p.ahead {
		f.Printf("\tMOVQ places+48(FP), AX\n")
		for i, r := range places {
			f.Printf("\tMOVQ %s, %d(AX)\n", r, 8*i)
		}
	}
	f.Printf("\tVZEROUPPER\n\tRET\n")
}

func transposeHead(f *asm.File) {
	name := "transpose" + f.Target.Name
	signature := fmt.Sprintf("func %s(dst, src *float32, dstStep, srcStep int)", name)
	f.Declare("", signature)
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-32\n", signature, name)
	f.Printf("\tMOVQ dst+0(FP), DI\n\tMOVQ src+8(FP), SI\n\tMOVQ dstStep+16(FP), R8\n\tMOVQ srcStep+24(FP), R9\n\tSHLQ $2, R8\n\tSHLQ $2, R9\n")
}

// transposeAVX512 interleaves numbers, then pairs, then quarters of registers.
func transposeAVX512(f *asm.File) {
	transposeHead(f)
	op := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	for i := range 16 {
		op("VMOVUPS (SI), Z%d", i)
		op("ADDQ R9, SI")
	}
	for i := range 8 {
		op("VUNPCKLPS Z%d, Z%d, Z%d", 2*i+1, 2*i, 16+2*i)
		op("VUNPCKHPS Z%d, Z%d, Z%d", 2*i+1, 2*i, 17+2*i)
	}
	for i := range 4 {
		a := 16 + 4*i
		op("VUNPCKLPD Z%d, Z%d, Z%d", a+2, a, 4*i)
		op("VUNPCKHPD Z%d, Z%d, Z%d", a+2, a, 4*i+1)
		op("VUNPCKLPD Z%d, Z%d, Z%d", a+3, a+1, 4*i+2)
		op("VUNPCKHPD Z%d, Z%d, Z%d", a+3, a+1, 4*i+3)
	}
	shuffle := func(a, b, even, odd int) {
		op("VSHUFF32X4 $0x88, Z%d, Z%d, Z%d", b, a, even)
		op("VSHUFF32X4 $0xdd, Z%d, Z%d, Z%d", b, a, odd)
	}
	for i := range 4 {
		shuffle(i, i+4, 16+i, 20+i)
		shuffle(i+8, i+12, 24+i, 28+i)
	}
	for i := range 8 {
		shuffle(16+i, 24+i, i, 8+i)
	}
	for i := range 16 {
		op("VMOVUPS Z%d, (DI)", i)
		op("ADDQ R8, DI")
	}
	op("VZEROUPPER")
	op("RET")
}

// transposeAVX2 transposes four tiles of 8×8.
func transposeAVX2(f *asm.File) {
	transposeHead(f)
	op := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	op("LEAQ (SI)(R9*8), R10") // the lower half of the source
	op("LEAQ (DI)(R8*8), R11") // and of the destination
	for _, q := range []struct {
		src   string
		srcAt int
		dst   string
		dstAt int
	}{{"SI", 0, "DI", 0}, {"SI", 32, "R11", 0}, {"R10", 0, "DI", 32}, {"R10", 32, "R11", 32}} {
		op("MOVQ %s, AX", q.src)
		for i := range 8 {
			op("VMOVUPS %d(AX), Y%d", q.srcAt, i)
			op("ADDQ R9, AX")
		}
		for i := range 4 {
			op("VUNPCKLPS Y%d, Y%d, Y%d", 2*i+1, 2*i, 8+2*i)
			op("VUNPCKHPS Y%d, Y%d, Y%d", 2*i+1, 2*i, 9+2*i)
		}
		for i := range 2 {
			a := 8 + 4*i
			op("VUNPCKLPD Y%d, Y%d, Y%d", a+2, a, 4*i)
			op("VUNPCKHPD Y%d, Y%d, Y%d", a+2, a, 4*i+1)
			op("VUNPCKLPD Y%d, Y%d, Y%d", a+3, a+1, 4*i+2)
			op("VUNPCKHPD Y%d, Y%d, Y%d", a+3, a+1, 4*i+3)
		}
		op("MOVQ %s, AX", q.dst)
		for i := range 8 {
			if i < 4 {
				op("VPERM2F128 $0x20, Y%d, Y%d, Y%d", 4+i, i, 8+i)
			} else {
				op("VPERM2F128 $0x31, Y%d, Y%d, Y%d", i, i-4, 8+i)
			}
		}
		for i := range 8 {
			op("VMOVUPS Y%d, %d(AX)", 8+i, q.dstAt)
			op("ADDQ R8, AX")
		}
	}
	op("VZEROUPPER")
	op("RET")
}

// writeNEON is write for NEON. Rows of c stay in registers: 6, then 5, then 5. The registers that
// follow hold the factors of as many rows for a line of b, or of each row for four lines, whichever
// a's order offers.
func (p tileProduct) writeNEON(f *asm.File) {
	name := p.name + f.Target.Name
	last, size := "add bool", 49
	if p.ahead {
		last, size = "places *uintptr", 56
	}
	signature := fmt.Sprintf("func %s(c, a, b *float32, n, aStep, bStep int, %s)", name, last)
	f.Declare("", signature)
	f.Printf("\n// %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", signature, name, size)
	op := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	op("MOVD c+0(FP), R0")
	op("MOVD aStep+32(FP), R4")
	op("MOVD bStep+40(FP), R5")
	op("LSL $2, R4")
	op("LSL $2, R5")
	places := []string{"R8", "R9", "R10", "R11", "R12", "R13"}
	if p.ahead {
		op("MOVD places+48(FP), R6")
		for i, r := range places {
			op("MOVD %d(R6), %s", 8*i, r)
		}
	} else {
		op("MOVBU add+48(FP), R6")
	}
	if p.next {
		for r := range lanes {
			op("PRFM %d(R0), PLDL1KEEP", r*64)
		}
	}
	byRow := p.at(0, 1) == 1 // a row's factors for consecutive lines of b are adjacent
	for i, rows := range [][2]int{{0, 6}, {6, 11}, {11, 16}} {
		first, n := rows[0], rows[1]-rows[0]
		op("MOVD a+8(FP), R1")
		op("MOVD b+16(FP), R2")
		op("MOVD n+24(FP), R3")
		for r := range 4 * n {
			op("%s", f.Target.Zero(r))
		}
		f.Printf("loop%d:\n", i)
		for k := range lanes {
			factor := func(r int) (register, element int) { return 4*n + r, k % 4 }
			if byRow {
				if k%4 == 0 {
					for r := range n {
						op("FMOVQ %d(R1), F%d", 4*p.at(first+r, k), 4*n+r)
					}
				}
			} else {
				// the row's sixteen factors, of which those around the rows from first on are read
				from := first / 4 * 4
				count := (first + n - from + 3) / 4
				for j := range count {
					op("FMOVQ %d(R1), F%d", 4*p.at(from+4*j, k), 4*n+j)
				}
				factor = func(r int) (register, element int) {
					return 4*n + (first+r-from)/4, (first + r - from) % 4
				}
			}
			for half := range 2 {
				op("FLDPQ %d(R2), (F30, F31)", k*64+half*32)
				for r := range n {
					a, e := factor(r)
					op("FMLA1S(%d, %d, 30, %d)", a, e, 4*r+2*half)
					op("FMLA1S(%d, %d, 31, %d)", a, e, 4*r+2*half+1)
				}
			}
			if i > 0 {
				continue
			}
			op("PRFM %d(R2), PLDL1KEEP", 4*stride+k*64) // the next plane's
			if p.next {
				op("PRFM %d(R1), PLDL1KEEP", 4*stride+k*64)
			}
			if p.ahead && k < 2*len(places) {
				op("PRFM %d(%s), PLDL2KEEP", k%2*64, places[k/2])
			}
		}
		if p.ahead && i == 0 {
			for _, r := range places {
				op("ADD $128, %s", r)
			}
		}
		op("ADD R4, R1")
		op("ADD R5, R2")
		op("SUBS $1, R3")
		op("BNE loop%d", i)
		if !p.ahead {
			op("CBZ R6, store%d", i)
			for r := range 2 * n {
				op("FLDPQ %d(R0), (F30, F31)", first*64+r*32)
				op("FADD4S(30, %d, %d)", 2*r, 2*r)
				op("FADD4S(31, %d, %d)", 2*r+1, 2*r+1)
			}
			f.Printf("store%d:\n", i)
		}
		for r := range 2 * n {
			op("FSTPQ (F%d, F%d), %d(R0)", 2*r, 2*r+1, first*64+r*32)
		}
	}
	if p.ahead {
		for i, r := range places {
			op("MOVD %s, %d(R6)", r, 8*i)
		}
	}
	op("RET")
}

// transposeNEON transposes 16 tiles of 4×4.
func transposeNEON(f *asm.File) {
	const signature = "func transposeNEON(dst, src *float32, dstStep, srcStep int)"
	f.Declare("", signature)
	f.Printf("\n// %s\nTEXT ·transposeNEON(SB), NOSPLIT, $0-32\n", signature)
	op := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	op("MOVD dst+0(FP), R0")
	op("MOVD src+8(FP), R1")
	op("MOVD dstStep+16(FP), R2")
	op("MOVD srcStep+24(FP), R3")
	op("LSL $2, R2")
	op("LSL $2, R3")
	op("MOVD $4, R5")
	f.Printf("lines:\n") // four of the source
	for i := range 4 {
		op("FLDPQ (R1), (F%d, F%d)", 16+i, 20+i)
		op("FLDPQ 32(R1), (F%d, F%d)", 24+i, 28+i)
		op("ADD R3, R1")
	}
	op("MOVD R0, R6")
	for tile := range 4 {
		a := 16 + 4*tile
		for i := range 2 {
			op("VTRN1 V%d.S4, V%d.S4, V%d.S4", a+2*i+1, a+2*i, 2*i)
			op("VTRN2 V%d.S4, V%d.S4, V%d.S4", a+2*i+1, a+2*i, 2*i+1)
		}
		for i := range 2 {
			op("VTRN1 V%d.D2, V%d.D2, V%d.D2", 2+i, i, 4+i)
			op("VTRN2 V%d.D2, V%d.D2, V%d.D2", 2+i, i, 6+i)
		}
		for i := range 4 {
			op("FMOVQ F%d, (R6)", 4+i)
			op("ADD R2, R6")
		}
	}
	op("ADD $16, R0")
	op("SUBS $1, R5")
	op("BNE lines")
	op("RET")
}
