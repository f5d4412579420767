package main

import (
	"fmt"

	"tengen/nn/kernels/gen/internal/asm"
)

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
