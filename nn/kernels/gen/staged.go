package main

import (
	"fmt"
	"strings"

	"tengen/nn/kernels/gen/internal/asm"
)

// The transforms of a large board as one program would not fit the cache of instructions, nor their
// intermediate values that of data. In place of that they are loops over the rows of a board and
// over the columns of the rows' spectra, t [Lx/2+1][height][2][16]. The first and the last column
// are real, and have kernels of their own ("edges").
//
// Kernels of columns get the transformed group several times: its places of real frequencies, of
// the first products of complex ones and of their other products advance differently from round to
// round.

// stagedBoard is a board whose transforms are staged.
type stagedBoard struct {
	d             *fourier
	height, width int
}

// kernels returns the board's transforms.
func (s stagedBoard) kernels() []asm.Kernel {
	return []asm.Kernel{
		s.inputRows(), s.inputEdges(), s.inputColumns(),
		s.outputColumns(), s.outputEdges(), s.outputRows("outputRows"),
		s.outputRows("outputRowsResidual"),
	}
}

// fields returns the fields of the board's entry in a table.
func (s stagedBoard) fields(target string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nstaged: &staged{spectrum: %d, columns: %d,\n",
		(s.d.Lx/2+1)*s.column(), s.d.Lx/2-1)
	for _, k := range []string{
		"inputRows", "inputEdges", "inputColumns", "outputColumns", "outputEdges", "outputRows",
		"outputRowsResidual",
	} {
		fmt.Fprintf(&b, "%s: %s%s,\n", k, kernelName(k, s.height, s.width), target)
	}
	b.WriteString("}")
	return b.String()
}

// in returns the address in t of a row's frequency; part is 1 for its imaginary part.
func (s stagedBoard) in(kx, y, part int) asm.Mem {
	return asm.Mem{Base: "t", Offset: ((kx*s.height+y)*2 + part) * 16}
}

// row and column return what t advances by from row to row and from column to column.
func (s stagedBoard) row() int    { return 2 * 16 }
func (s stagedBoard) column() int { return s.height * s.row() }

// index returns that of the first product of the frequency (ky, kx).
func (s stagedBoard) index(ky, kx int) int {
	for _, f := range s.d.Frequencies {
		if f.Ky == ky && f.Kx == kx {
			return f.Index
		}
	}
	panic(fmt.Sprintf("no frequency (%d, %d)", ky, kx))
}

// product returns the address of a product of the frequency (ky, kx).
func (s stagedBoard) product(base string, ky, kx, part int) asm.Mem {
	return asm.Mem{Base: base, Offset: place(s.d, s.index(ky, kx)+part) * plane}
}

// advance returns an argument for a part of the frequencies' products, which advances from one
// column to another.
func (s stagedBoard) advance(base string, ky, from, to, part int) asm.Arg {
	return asm.Arg{
		Name: base, Advance: s.product(base, ky, to, part).Offset - s.product(base, ky, from,
			part).Offset,
	}
}

// edges returns the arguments for the products of the two edges, and columns those of the other
// columns.
func (s stagedBoard) edges() []asm.Arg {
	last := s.d.Lx / 2
	return []asm.Arg{
		s.advance("real", 0, 0, last, 0), s.advance("first", 1, 0, last, 0),
		s.advance("others", 1, 0, last, 1),
	}
}

func (s stagedBoard) columns() []asm.Arg {
	return []asm.Arg{s.advance("first", 0, 1, 2, 0), s.advance("others", 0, 1, 2, 1)}
}

// store emits the three left factors of a complex frequency.
func (s stagedBoard) store(p *asm.Program, ky, kx int, v complexValue) {
	p.Store(s.product("others", ky, kx, 1), v.Re)
	p.Store(s.product("others", ky, kx, 2), v.Im)
	p.Store(s.product("first", ky, kx, 0), p.Add(v.Re, v.Im))
}

// load returns a complex frequency from its three products.
func (s stagedBoard) load(p *asm.Program, ky, kx int) complexValue {
	v := p.Load(s.product("first", ky, kx, 0))
	return complexValue{
		Re: p.Sub(v, p.Load(s.product("others", ky, kx, 2))),
		Im: p.Add(v, p.Load(s.product("others", ky, kx, 1))),
	}
}

// real reports whether a frequency is real in a transform of a real signal of length n.
func real(k, n int) bool { return k == 0 || k == n/2 }

func (s stagedBoard) kernel(
	name, comment string, args []asm.Arg, body func(p *asm.Program),
) asm.Kernel {
	name = kernelName(name, s.height, s.width)
	comment = strings.ReplaceAll(comment, "{t}",
		fmt.Sprintf("t [%d][%d][2][16]", s.d.Lx/2+1, s.height))
	return asm.Kernel{
		Name: name, Comment: fmt.Sprintf("// %s %s.", name, comment), Args: args, Body: body,
	}
}

func (s stagedBoard) inputRows() asm.Kernel {
	comment := fmt.Sprintf("transforms n rows x [%d][16] of a board to {t}", s.width)
	args := []asm.Arg{{Name: "t", Advance: s.row()}, {Name: "x", Advance: s.width * 16}}
	return s.kernel("inputRows", comment, args, func(p *asm.Program) {
		x := make([]complexValue, s.d.Lx)
		for i := range s.width {
			x[i].Re = p.Load(asm.Mem{Base: "x", Offset: i * 16})
		}
		for kx, v := range dft(p, x, -1)[:s.d.Lx/2+1] {
			p.Store(s.in(kx, 0, 0), v.Re)
			if !real(kx, s.d.Lx) {
				p.Store(s.in(kx, 0, 1), v.Im)
			}
		}
	})
}

func (s stagedBoard) inputEdges() asm.Kernel {
	args := append(s.edges(), asm.Arg{Name: "t", Advance: s.d.Lx / 2 * s.column()})
	return s.kernel("inputEdges", "transforms the n columns of {t} that are real", args,
		func(p *asm.Program) {
			x := make([]complexValue, s.d.Ly)
			for y := range s.height {
				x[y].Re = p.Load(s.in(0, y, 0))
			}
			for ky, v := range dft(p, x, -1)[:s.d.Ly/2+1] {
				if real(ky, s.d.Ly) {
					p.Store(s.product("real", ky, 0, 0), v.Re)
				} else {
					s.store(p, ky, 0, v)
				}
			}
		})
}

func (s stagedBoard) inputColumns() asm.Kernel {
	args := append(s.columns(), asm.Arg{Name: "t", Advance: s.column()})
	return s.kernel("inputColumns", "transforms n columns of {t}, from the second one on", args,
		func(p *asm.Program) {
			x := make([]complexValue, s.d.Ly)
			for y := range s.height {
				x[y] = complexValue{Re: p.Load(s.in(1, y, 0)), Im: p.Load(s.in(1, y, 1))}
			}
			for ky, v := range dft(p, x, -1) {
				s.store(p, ky, 1, v)
			}
		})
}

func (s stagedBoard) outputColumns() asm.Kernel {
	args := append([]asm.Arg{{Name: "t", Advance: s.column()}}, s.columns()...)
	return s.kernel("outputColumns",
		"transforms products back to n columns of {t}, from the second one on", args,
		func(p *asm.Program) {
			x := make([]complexValue, s.d.Ly)
			for ky := range x {
				x[ky] = s.load(p, ky, 1)
			}
			for y, v := range dft(p, x, 1)[:s.height] {
				p.Store(s.in(1, y, 0), v.Re)
				p.Store(s.in(1, y, 1), v.Im)
			}
		})
}

func (s stagedBoard) outputEdges() asm.Kernel {
	args := append([]asm.Arg{{Name: "t", Advance: s.d.Lx / 2 * s.column()}}, s.edges()...)
	return s.kernel("outputEdges", "transforms products back to the n columns of {t} that are real",
		args, func(p *asm.Program) {
			x := make([]complexValue, s.d.Ly/2+1)
			for ky := range x {
				if real(ky, s.d.Ly) {
					x[ky].Re = p.Load(s.product("real", ky, 0, 0))
				} else {
					x[ky] = s.load(p, ky, 0)
				}
			}
			for y, v := range realSignal(p, x)[:s.height] {
				p.Store(s.in(0, y, 0), v)
			}
		})
}

// outputRows returns the kernel that transforms rows back and adds the bias. outputRowsResidual
// adds skip too. Both apply ReLU.
func (s stagedBoard) outputRows(name string) asm.Kernel {
	return outputRowsKernel(name, s.width, asm.Arg{
		Name: "t", Advance: s.row(),
	}, s.kernel, func(p *asm.Program) []asm.Value {
		x := make([]complexValue, s.d.Lx/2+1)
		for kx := range x {
			x[kx].Re = p.Load(s.in(kx, 0, 0))
			if !real(kx, s.d.Lx) {
				x[kx].Im = p.Load(s.in(kx, 0, 1))
			}
		}
		return realSignal(p, x)[:s.width]
	})
}

// outputRowsKernel makes the kernel outputRows or outputRowsResidual of a board from what
// transforms a row back.
func outputRowsKernel(name string, width int, t asm.Arg,
	kernel func(name, comment string, args []asm.Arg, body func(p *asm.Program)) asm.Kernel,
	row func(p *asm.Program) []asm.Value) asm.Kernel {
	args := []asm.Arg{{Name: "y", Advance: width * 16}, t, {Name: "bias"}}
	what, residual := "y = ReLU(t + bias)", name == "outputRowsResidual"
	if residual {
		what = "y = ReLU(t + bias + skip)"
		args = append(args, asm.Arg{Name: "skip", Advance: width * 16})
	}
	comment := fmt.Sprintf("computes %s for n rows [%d][16] of a board, where {t} is transformed",
		what, width)
	return kernel(name, comment, args, func(p *asm.Program) {
		for i, v := range row(p) {
			v = p.Add(v, p.Load(asm.Mem{Base: "bias"}))
			if residual {
				v = p.Add(v, p.Load(asm.Mem{Base: "skip", Offset: i * 16}))
			}
			p.Store(asm.Mem{Base: "y", Offset: i * 16}, p.ReLU(v))
		}
	})
}
