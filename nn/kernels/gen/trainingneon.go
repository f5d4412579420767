package main

import (
	"fmt"

	"tengen/nn/kernels/gen/internal/asm"
)

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
