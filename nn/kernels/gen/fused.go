package main

import (
	"fmt"
	"slices"

	"tengen/nn/kernels/gen/internal/asm"
)

// A fused kernel computes the products of an output block for few rows. The time of few rows is
// mostly that of reading the weights, and a transformed 3×3 kernel is six times as large as its
// taps. So these kernels read weights that are transformed partly, and finish the transform in
// registers, for each input, by the operations of the weights kernel: the products have the same
// bits.

// transformed writes the program of fourierWeight with the taps at w, and returns the values by
// product.
func transformed(p *asm.Program, d *fourier) []asm.Value {
	values := make([]asm.Value, d.Products)
	fourierWeight(p, d, func(t int) asm.Value {
		return p.Load(asm.Mem{Base: "w", Offset: t * 16})
	}, func(q int, v asm.Value) { values[q] = v })
	return values
}

// newTransform returns an empty program, in which differences are shared.
func newTransform() *asm.Program {
	p := asm.NewProgram()
	p.Negatives = true
	return p
}

// partsOf returns the values of a program of transformed to which the weights are transformed in
// advance. Rows are transformed first, and then columns. With AVX-512 these values are as few as
// possible, without those operations that use the middle tap of a line alone or its other two
// alone. With AVX2 arithmetic takes more time than reading, so the rows' transforms are complete,
// and so are the operations that use one or two of a column's three lines.
func partsOf(t *asm.Target, d *fourier) []asm.Value {
	program := func(given []asm.Value) *asm.Program {
		p := newTransform()
		for q, v := range transformed(p, d) {
			p.Store(asm.Mem{Base: "u", Offset: q * 16}, v)
		}
		for i, v := range given {
			p.Given(v, asm.Mem{Base: "w", Offset: i * 16})
		}
		return p
	}
	whole := program(nil)
	if t == asm.AVX512 {
		values := whole.Frontier(func(m asm.Mem) int {
			line, tap := m.Offset/16/3, m.Offset/16%3
			if tap == 1 {
				return 2*line + 1
			}
			return 2 * line
		})
		if d.Lx != 6 {
			return values
		}
		// A line has three values: the middle tap, the sum of the other two, and their difference
		// times √3/2, which is the imaginary part at both complex frequencies.
		return program(values).Frontier(func(m asm.Mem) int {
			if i := m.Offset / 16; !whole.Scaled(values[i]) {
				return i
			}
			return -1
		})
	}
	lines := whole.Frontier(func(m asm.Mem) int { return m.Offset / 16 / 3 })
	n := len(lines) / 3
	return program(lines).Frontier(func(m asm.Mem) int {
		i := m.Offset / 16
		column, middle := i%n, i/n == 0 // the signal begins with the kernel's second line
		switch {
		case d.Lx == 6 && whole.Scaled(lines[i]):
			return -1
		case middle:
			return 2*column + 1
		}
		return 2 * column
	})
}

// partial returns the kernel that transforms w [n][9][16] partly.
func partial(t *asm.Target, d *fourier) asm.Kernel {
	values := partsOf(t, d)
	name := fmt.Sprintf("parts%dx%d", d.Ly, d.Lx)
	return asm.Kernel{
		Name: name,
		Comment: fmt.Sprintf("// %s transforms w, n kernels of [9][16], partly, to u [n][%d][16].",
			name, len(values)),
		Args: []asm.Arg{{Name: "u", Advance: 16 * len(values)}, {Name: "w", Advance: 9 * 16}},
		Body: func(p *asm.Program) {
			p.Negatives = true
			transformed(p, d)
			for i, v := range values {
				p.Store(asm.Mem{Base: "u", Offset: i * 16}, v)
			}
		},
	}
}

// passes divides a domain's frequencies, at most so many sums each: a pass over a block of inputs
// has the sums of all its products in registers.
func passes(d *fourier, most int) [][]frequency {
	size := func(f frequency) int {
		if f.isComplex {
			return 3
		}
		return 1
	}
	// Frequencies that share most of their transform are next to one another.
	period := 2
	if d.Ly%4 == 0 {
		period = 4
	}
	key := func(f frequency) int {
		column := f.Kx
		if f.Kx == d.Lx/2 {
			column = 0
		}
		return (column*2+min(1, f.Kx/(d.Lx/2)))*1000 + min(f.Ky%period,
			(d.Ly-f.Ky)%period)*100 + min(f.Ky, d.Ly-f.Ky)
	}
	order := slices.Clone(d.Frequencies)
	slices.SortStableFunc(order, func(f, g frequency) int { return key(f) - key(g) })
	var list [][]frequency
	n := most + 1
	for _, f := range order {
		if n+size(f) > most {
			list, n = append(list, nil), 0
		}
		list[len(list)-1] = append(list[len(list)-1], f)
		n += size(f)
	}
	return list
}

// pass returns the program for one input and its sums, as products.
func pass(
	t *asm.Target, d *fourier, rows int, frequencies []frequency,
) (p *asm.Program, sums []int) {
	given := partsOf(t, d)
	p = newTransform()
	values := transformed(p, d)
	for i, v := range given {
		p.Given(v, asm.Mem{Base: "w", Offset: i * 16})
	}
	for _, f := range frequencies {
		n := 1
		if f.isComplex {
			n = 3
		}
		for q := f.Index; q < f.Index+n; q++ {
			for r := range rows {
				p.Sum(len(sums)*rows+r,
					asm.Mem{Base: "a", Offset: place(d, q)*plane + r*16}, values[q])
			}
			sums = append(sums, q)
		}
	}
	p.Late()
	return p, sums
}

// most is the greatest number of registers for a pass's sums.
func most(t *asm.Target, rows int) int {
	if t == asm.AVX512 {
		return []int{18, 18, 18, 24}[rows-1]
	}
	return []int{9, 12, 9, 12}[rows-1]
}

// fused writes the function that computes all products of an output block for few rows.
func fused(f *asm.File, d *fourier, rows int) {
	t := f.Target
	name := fmt.Sprintf("fused%dx%dRows%d%s", d.Ly, d.Lx, rows, t.Name)
	signature := fmt.Sprintf("func %s(c, a, w *float32, inputs, between, outputs int)", name)
	f.Declare(fmt.Sprintf("// %s computes the products of %d rows; see fused.",
		name, rows), signature)
	p := func(format string, args ...any) { f.Printf("\t"+format+"\n", args...) }
	parts := len(partsOf(t, d))
	stride := parts * 64
	var text []func()
	frame := 0
	list := passes(d, most(t, rows)/rows)
	vectors := 16 / t.Lanes
	at := func(q, row, half int) string {
		return fmt.Sprintf("%d(DI)", (place(d, q)*plane+row*16)*4+half*32)
	}
	for i, frequencies := range list {
		program, sums := pass(t, d, rows, frequencies)
		setup, round, spilled := f.Lower(program, len(sums)*rows, func(m asm.Mem) string {
			return fmt.Sprintf("%d(%s)",
				4*m.Offset, map[string]string{"a": "SI", "w": "DX"}[m.Base])
		})
		if spilled > 0 {
			frame = max(frame, (spilled+1)*4*t.Lanes)
		}
		for half := range vectors {
			text = append(text, func() {
				if half > 0 {
					p("CMPQ outputs+40(FP), $8")
					p("JLE done%d_%d", i, half)
				}
				for _, s := range setup {
					p("%s", s)
				}
				for s, q := range sums {
					for r := range rows {
						p("VMOVUPS %s, %s", at(q, r, half), t.Register(s*rows+r))
					}
				}
				p("MOVQ R11, SI")
				if half == 0 {
					p("MOVQ R12, DX")
				} else {
					p("LEAQ 32(R12), DX")
				}
				p("MOVQ R8, R10")
				p("PCALIGN $64")
				f.Printf("input%d_%d:\n", i, half)
				for _, s := range round {
					p("%s", s)
				}
				j, n := i*vectors+half, len(list)*vectors
				for l := parts * j / n; l < parts*(j+1)/n; l++ {
					p("PREFETCHT0 %d(DX)", stride*16+l*64-half*32)
				}
				p("ADDQ $4, SI")
				p("ADDQ $%d, DX", stride)
				p("DECQ R10")
				p("JNZ input%d_%d", i, half)
				for s, q := range sums {
					for r := range rows {
						p("VMOVUPS %s, %s", t.Register(s*rows+r), at(q, r, half))
					}
				}
				if half > 0 {
					f.Printf("done%d_%d:\n", i, half)
				}
			})
		}
	}
	flags := "NOSPLIT"
	if frame > 0 {
		flags = "0"
	}
	f.Printf("\n// %s\nTEXT ·%s(SB), %s, $%d-48\n", signature, name, flags, frame)
	p("MOVQ c+0(FP), DI")
	p("MOVQ a+8(FP), R11")
	p("MOVQ w+16(FP), R12")
	p("MOVQ inputs+24(FP), CX")
	p("MOVQ between+32(FP), R9")
	if frame > 0 { // the stack is not aligned to vectors
		p("LEAQ %d(SP), BX", 4*t.Lanes-1)
		p("ANDQ $-%d, BX", 4*t.Lanes)
	}
	p("%s", t.Zero(0))
	for q := range d.Products {
		for i := range rows * vectors {
			p("VMOVUPS %s, %s", t.Register(0), at(q, i/vectors, i%vectors))
		}
	}
	f.Printf("block:\n")
	p("MOVQ $16, R8")
	p("CMPQ CX, R8")
	p("CMOVQLT CX, R8")
	for _, write := range text {
		write()
	}
	p("ADDQ R9, R11")
	p("ADDQ $%d, R12", stride*16)
	p("SUBQ R8, CX")
	p("JNZ block")
	p("VZEROUPPER")
	p("RET")
}
