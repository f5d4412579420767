package main

import (
	"fmt"

	"tengen/nn/kernels/gen/internal/asm"
)

// These must equal the constants of package training.
const (
	maxSide = 11
	lanes   = 16
	stride  = 16*lanes + 16
	batch   = 8
	reach   = batch*maxSide*lanes + 16
)

var lengths = []int{4, 6, 8, 10, 12}

func length(side int) int { return max(4, (side+2)&^1) }

// Variants of the rows, in the order of package training's constants.
var (
	inputs  = []string{"Plain", "Norm", "Store", "Residual", "Gradient"}
	outputs = []string{"Value", "Gate", "GateAfter"}
)

func rowsName(field, variant string, side int) string {
	return fmt.Sprintf("%s%s%d", field, variant, side)
}
func columnsName(field, kind string, side int) string {
	return fmt.Sprintf("%s%s%d", field, kind, side)
}
func packName(field, kind string, length int) string {
	return fmt.Sprintf("%s%s%d", field, kind, length)
}

// coefficient loads a row of a block's coefficients.
func coefficient(p *asm.Program, row int) asm.Value {
	return p.Load(asm.Mem{Base: "coef", Offset: row * lanes})
}

func centred(p *asm.Program, y asm.Value) asm.Value { return p.Sub(y, coefficient(p, 0)) }

func norm(p *asm.Program, y asm.Value) asm.Value {
	return p.FMA(centred(p, y), coefficient(p, 1), coefficient(p, 2))
}

// transforms returns the kernels of all transforms.
func transforms() []asm.Kernel {
	var all []asm.Kernel
	for side := 1; side <= maxSide; side++ {
		for _, v := range inputs {
			all = append(all, rowsIn(v, side))
		}
		for _, v := range outputs {
			all = append(all, rowsOut(v, side))
		}
		at := make([]int, side)
		for i := range at {
			at[i] = i
		}
		l := length(side)
		all = append(all,
			columnIn(columnsName("columnsIn", "Real", side), l, at, false, false),
			columnIn(columnsName("columnsIn", "Complex", side), l, at, true, false),
			columnOut(columnsName("columnsOut", "Real", side), l, at, false, false),
			columnOut(columnsName("columnsOut", "Complex", side), l, at, true, false))
	}
	for _, l := range lengths {
		at := []int{1, 0, l - 1} // tap t of a correlation is at 1 − t
		all = append(all,
			packRows(l, at), unpackRows(l, at),
			columnIn(packName("packColumns", "Real", l), l, at, false, true),
			columnIn(packName("packColumns", "Complex", l), l, at, true, true),
			columnOut(packName("unpackColumns", "Real", l), l, at, false, true),
			columnOut(packName("unpackColumns", "Complex", l), l, at, true, true))
	}
	return all
}

// spectrum transforms a line that is zero except at the places at. The returned function gives
// frequencies up to length/2.
func spectrum(
	p *asm.Program, length int, at []int, value func(i int) asm.Value,
) func(k int) complexValue {
	place := map[int]int{}
	for i, x := range at {
		place[x] = i
	}
	f := spectrumOf(p, newFourier(4, length), func(y, x int) asm.Value {
		if i, ok := place[x]; ok && y == 0 {
			return value(i)
		}
		return asm.Value{}
	})
	return func(k int) complexValue { return f(0, k) }
}

// synthesis returns the real signal x(0) + Σ Re(x(k)·exp(2πikn/length)) over 0 < k ≤ length/2, at
// every n.
func synthesis(p *asm.Program, length int, x func(k int) complexValue) (values []asm.Value) {
	synthesize(p, newFourier(4, length), func(f frequency) complexValue {
		if f.Ky != 0 {
			return complexValue{}
		}
		return x(f.Kx)
	}, []int{0}, func(_ int, v []asm.Value) { values = v })
	return values
}

func half(component, line int) asm.Mem {
	return asm.Mem{Base: "half", Offset: component*reach + line*lanes}
}

// putLine stores a line's components.
func putLine(p *asm.Program, length int, x func(k int) complexValue) {
	p.Store(half(0, 0), x(0).Re)
	p.Store(half(1, 0), x(length/2).Re)
	for k := 1; k < length/2; k++ {
		p.Store(half(2*k, 0), x(k).Re)
		p.Store(half(2*k+1, 0), x(k).Im)
	}
}

// getLine inverts a line.
func getLine(p *asm.Program, length int) []asm.Value {
	return synthesis(p, length, func(k int) complexValue {
		switch k {
		case 0:
			return complexValue{Re: p.Load(half(0, 0))}
		case length / 2:
			return complexValue{Re: p.Load(half(1, 0))}
		}
		return complexValue{Re: p.Load(half(2*k, 0)), Im: p.Load(half(2*k+1, 0))}
	})
}

func rowsIn(variant string, width int) asm.Kernel {
	return asm.Kernel{
		Name: rowsName("rowsIn", variant, width),
		Args: []asm.Arg{
			{Name: "half", Advance: lanes}, {Name: "p0", Advance: width * lanes},
			{Name: "p1", Advance: width * lanes}, {Name: "p2", Advance: width * lanes},
			{Name: "coef"},
		},
		Body: func(p *asm.Program) {
			at := make([]int, width)
			for i := range at {
				at[i] = i
			}
			cells := make([]asm.Value, width)
			for i := range cells {
				load := func(base string) asm.Value {
					return p.Load(asm.Mem{Base: base, Offset: i * lanes})
				}
				x := load("p0")
				switch variant {
				case "Norm":
					x = p.ReLU(norm(p, x))
				case "Store":
					x = p.ReLU(norm(p, x))
					p.Store(asm.Mem{Base: "p2", Offset: i * lanes}, x)
				case "Residual":
					x = p.ReLU(p.Add(norm(p, x), load("p1")))
					p.Store(asm.Mem{Base: "p2", Offset: i * lanes}, x)
				case "Gradient":
					x = p.FMA(coefficient(p, 3), x,
						p.FMA(coefficient(p, 4), centred(p, load("p1")), coefficient(p, 5)))
				}
				cells[i] = x
			}
			l := length(width)
			putLine(p, l, spectrum(p, l, at, func(i int) asm.Value { return cells[i] }))
		},
	}
}

func rowsOut(variant string, width int) asm.Kernel {
	args := []asm.Arg{{Name: "half", Advance: lanes}}
	for _, name := range []string{"p0", "p1", "p2", "p3"} {
		args = append(args, asm.Arg{Name: name, Advance: width * lanes})
	}
	return asm.Kernel{
		Name: rowsName("rowsOut", variant, width),
		Args: append(args, asm.Arg{Name: "coef"}, asm.Arg{Name: "stats"}),
		Body: func(p *asm.Program) {
			values := getLine(p, length(width))
			sums := newSums(p)
			for i, v := range values[:width] {
				load := func(base string) asm.Value {
					return p.Load(asm.Mem{Base: base, Offset: i * lanes})
				}
				switch variant {
				case "Value":
					sums.add(v, asm.Value{})
				case "Gate":
					d := centred(p, load("p1"))
					v = p.MaskPositive(v, p.FMA(d, coefficient(p, 1), coefficient(p, 2)))
					sums.add(v, d)
				case "GateAfter":
					v = p.MaskPositive(p.Add(v, load("p1")), load("p2"))
					sums.add(v, centred(p, load("p3")))
				}
				p.Store(asm.Mem{Base: "p0", Offset: i * lanes}, v)
			}
			sums.store(variant != "Value")
		},
	}
}

// sums are two running sums, each of which alternates between two registers.
type sums struct {
	p      *asm.Program
	first  [2]asm.Value
	second [2]asm.Value
}

func newSums(p *asm.Program) *sums {
	s := &sums{p: p}
	s.first[0] = p.Load(asm.Mem{Base: "stats"})
	s.second[0] = p.Load(asm.Mem{Base: "stats", Offset: lanes})
	return s
}

// add adds v, and v·d.
func (s *sums) add(v, d asm.Value) {
	s.first[0] = s.p.Add(s.first[0], v)
	s.second[0] = s.p.FMA(v, d, s.second[0])
	s.first[0], s.first[1] = s.first[1], s.first[0]
	s.second[0], s.second[1] = s.second[1], s.second[0]
}

func (s *sums) store(both bool) {
	s.p.Store(asm.Mem{Base: "stats"}, s.p.Add(s.first[0], s.first[1]))
	if both {
		s.p.Store(asm.Mem{Base: "stats", Offset: lanes}, s.p.Add(s.second[0], s.second[1]))
	}
}

// planeAt returns the address of plane q of a column.
func planeAt(q int) asm.Mem { return asm.Mem{Base: "planes", Offset: q * stride} }

// columnIn returns the kernel that transforms a column of real or complex numbers at places at.
func columnIn(name string, length int, at []int, isComplex, weights bool) asm.Kernel {
	return asm.Kernel{
		Name: name,
		Args: []asm.Arg{{Name: "planes", Advance: lanes}, {Name: "half", Advance: len(at) * lanes}},
		Body: func(p *asm.Program) {
			component := func(c int) func(k int) complexValue {
				return spectrum(p, length, at, func(i int) asm.Value { return p.Load(half(c, i)) })
			}
			put := func(q int, v asm.Value) {
				p.Prefetch(asm.Mem{Base: "planes", Offset: q*stride + 2*lanes})
				p.Store(planeAt(q), v)
			}
			three := func(q int, x complexValue) {
				if weights {
					put(q, x.Re)
					put(q+1, p.Sub(x.Im, x.Re))
					put(q+2, p.Add(x.Re, x.Im))
				} else {
					put(q+1, x.Re)
					put(q+2, x.Im)
					put(q, p.Add(x.Re, x.Im))
				}
			}
			a := component(0)
			if !isComplex {
				for q, k := range []int{0, length / 2} {
					x := a(k).Re
					if weights {
						x = p.Mul(p.Const(0.5), x)
					}
					put(q, x)
				}
				for k := 1; k < length/2; k++ {
					three(3*k-1, a(k))
				}
				return
			}
			// The transform of a + ib is A + iB; A and B are those of real numbers, so at
			// length − k they are conjugate.
			b := component(1)
			for k := range length/2 + 1 {
				x, y := a(k), b(k)
				if k == 0 || k == length/2 {
					three(3*k, complexValue{Re: x.Re, Im: y.Re})
					continue
				}
				three(3*k, complexValue{Re: p.Sub(x.Re, y.Im), Im: p.Add(x.Im, y.Re)})
				three(3*(length-k), complexValue{Re: p.Add(x.Re, y.Im), Im: p.Sub(y.Re, x.Im)})
			}
		},
	}
}

// columnOut returns the kernel that inverts columnIn.
func columnOut(name string, length int, at []int, isComplex, weights bool) asm.Kernel {
	return asm.Kernel{
		Name: name,
		Args: []asm.Arg{{Name: "planes", Advance: lanes}, {Name: "half", Advance: len(at) * lanes}},
		Body: func(p *asm.Program) {
			three := func(q int) complexValue {
				a, b, c := p.Load(planeAt(q)), p.Load(planeAt(q+1)), p.Load(planeAt(q+2))
				if weights { // the third has the opposite sign
					d := p.Sub(b, c)
					return complexValue{Re: p.Sub(p.Sub(a, b), c), Im: d}
				}
				return complexValue{Re: p.Sub(a, c), Im: p.Add(a, b)}
			}
			if !isComplex {
				values := synthesis(p, length, func(k int) complexValue {
					if k != 0 && k != length/2 {
						return three(3*k - 1)
					}
					x := p.Load(planeAt(k / (length / 2)))
					if weights {
						x = p.Mul(p.Const(0.5), x)
					}
					return complexValue{Re: x}
				})
				for i, n := range at {
					p.Store(half(0, i), values[n])
				}
				return
			}
			// The real and imaginary part of Σ x[k]·exp(2πikn/length) are the real signals of
			// x[k] + conj x[length−k] and of −i·(x[k] − conj x[length−k]).
			x := make([]complexValue, length)
			for k := range x {
				x[k] = three(3 * k)
			}
			parts := func(c int) []asm.Value {
				return synthesis(p, length, func(k int) complexValue {
					v := x[k]
					if k == 0 || k == length/2 {
						return complexValue{Re: []asm.Value{v.Re, v.Im}[c]}
					}
					w := x[length-k]
					if c == 0 {
						return complexValue{Re: p.Add(v.Re, w.Re), Im: p.Sub(v.Im, w.Im)}
					}
					return complexValue{Re: p.Add(v.Im, w.Im), Im: p.Sub(w.Re, v.Re)}
				})
			}
			for c := range 2 {
				values := parts(c)
				for i, n := range at {
					p.Store(half(c, i), values[n])
				}
			}
		},
	}
}

func packArgs() []asm.Arg {
	return []asm.Arg{
		{Name: "half", Advance: lanes}, {Name: "w", Advance: 3 * lanes}, {Name: "factor"},
	}
}

// packRows returns the kernel that transforms lines of three taps, times factor.
func packRows(length int, at []int) asm.Kernel {
	return asm.Kernel{Name: packName("packRows", "",
		length), Args: packArgs(), Body: func(p *asm.Program) {
		factor := p.Load(asm.Mem{Base: "factor"})
		putLine(p, length, spectrum(p, length, at, func(i int) asm.Value {
			return p.Mul(factor, p.Load(asm.Mem{Base: "w", Offset: i * lanes}))
		}))
	}}
}

func unpackRows(length int, at []int) asm.Kernel {
	return asm.Kernel{Name: packName("unpackRows", "",
		length), Args: packArgs(), Body: func(p *asm.Program) {
		factor := p.Load(asm.Mem{Base: "factor"})
		values := getLine(p, length)
		for i, n := range at {
			p.Store(asm.Mem{Base: "w", Offset: i * lanes}, p.Mul(factor, values[n]))
		}
	}}
}
