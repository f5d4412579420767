package main

import (
	"fmt"

	"tengen/nn/kernels/internal/asm"
	"tengen/nn/kernels/internal/fourier"
	"tengen/nn/kernels/internal/transform"
)

// squeezeKernels returns the kernels of squeeze-and-excitation that do not depend on the board.
func squeezeKernels() []asm.Kernel {
	return []asm.Kernel{linear(), pool("Cells", 0), pool("Rows", 16), sigmoid(), excite("Cells", 0), excite("Rows", 16)}
}

// outputPooled returns the kernel that transforms products back, adds bias, and sums over the cells.
func outputPooled(d *fourier.Domain, height, width int) asm.Kernel {
	name := kernelName("outputPooled", height, width)
	return asm.Kernel{
		Name: name,
		Comment: fmt.Sprintf("// %s computes y = m + bias for n boards of [%d][%d][16], and pool [n][16], the sums over cells;\n// m [%d][n of 16 boards][16] is transformed.",
			name, height, width, d.Products),
		Args: []asm.Arg{{Name: "y", Advance: height * width * 16}, {Name: "m", Advance: 16}, {Name: "bias"}, {Name: "pool", Advance: 16}},
		Body: func(p *asm.Program) {
			var sum asm.Value
			transform.Output(p, d, func(q int) asm.Value {
				return p.Load(asm.Mem{Base: "m", Offset: place(d, q) * plane})
			}, height, func(y int, values []asm.Value) {
				var line asm.Value // of its own, so that additions overlap
				for x, v := range values[:width] {
					v = p.Add(v, p.Load(asm.Mem{Base: "bias"}))
					p.Store(asm.Mem{Base: "y", Offset: (y*width + x) * 16}, v)
					line = p.Add(line, v)
				}
				sum = p.Add(sum, line)
			})
			p.Store(asm.Mem{Base: "pool"}, sum)
		},
	}
}

// linear returns the kernel that adds bias.
func linear() asm.Kernel {
	return asm.Kernel{
		Name: "linear", Comment: "// linear computes y = c + bias for n rows of 16.",
		Args: []asm.Arg{{Name: "y", Advance: 16}, {Name: "c", Advance: 16}, {Name: "bias"}},
		Body: func(p *asm.Program) {
			p.Store(asm.Mem{Base: "y"}, p.Add(p.Load(asm.Mem{Base: "c"}), p.Load(asm.Mem{Base: "bias"})))
		},
	}
}

// pool returns the kernel that adds to a sum, which advances by as many floats after each round.
func pool(name string, advance int) asm.Kernel {
	name = "pool" + name
	what := "one sum"
	if advance > 0 {
		what = "a sum each"
	}
	return asm.Kernel{
		Name: name, Comment: fmt.Sprintf("// %s computes sum += x for n rows of 16 with %s.", name, what),
		Args: []asm.Arg{{Name: "sum", Advance: advance}, {Name: "x", Advance: 16}},
		Body: func(p *asm.Program) {
			p.Store(asm.Mem{Base: "sum"}, p.Add(p.Load(asm.Mem{Base: "sum"}), p.Load(asm.Mem{Base: "x"})))
		},
	}
}

// excite returns the kernel that scales and shifts cells, adds the residual, and applies ReLU. Scale and
// shift advance by as many floats after each round.
func excite(name string, advance int) asm.Kernel {
	name = "excite" + name
	what := "one scale and shift"
	if advance > 0 {
		what = "a scale and a shift each"
	}
	return asm.Kernel{
		Name: name, Comment: fmt.Sprintf("// %s computes y = ReLU(scale·x + (shift + skip)) for n rows of 16 with %s.", name, what),
		Args: []asm.Arg{
			{Name: "y", Advance: 16}, {Name: "x", Advance: 16}, {Name: "skip", Advance: 16},
			{Name: "scale", Advance: advance}, {Name: "shift", Advance: advance},
		},
		Body: func(p *asm.Program) {
			load := func(base string) asm.Value { return p.Load(asm.Mem{Base: base}) }
			p.Store(asm.Mem{Base: "y"}, p.ReLU(p.FMA(load("scale"), load("x"), p.Add(load("shift"), load("skip")))))
		},
	}
}

// The quotient t·P(t²)/Q(t²) of polynomials, lowest powers first, is tanh t within the rounding of
// float32 for |t| ≤ clamp, where it is ±1. The coefficients are those of Eigen's ptanh_float.
var (
	numerator = []float64{4.89352455891786e-03, 6.37261928875436e-04, 1.48572235717979e-05, 5.12229709037114e-08,
		-8.60467152213735e-11, 2.00018790482477e-13, -2.76076847742355e-16}
	denominator = []float64{4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04, 1.19825839466702e-06}
)

const clamp = 9

// sigmoid returns the kernel of the logistic function of twice its argument: ½ + ½·tanh.
func sigmoid() asm.Kernel {
	return asm.Kernel{
		Name: "sigmoid", Comment: "// sigmoid computes y = 1/(1 + exp(-2·(c + bias))) for n rows of 16.",
		Args: []asm.Arg{{Name: "y", Advance: 16}, {Name: "c", Advance: 16}, {Name: "bias"}},
		Body: func(p *asm.Program) {
			t := p.Add(p.Load(asm.Mem{Base: "c"}), p.Load(asm.Mem{Base: "bias"}))
			limit, half := p.Const(clamp), p.Const(0.5)
			t = p.Sub(limit, p.ReLU(p.Sub(limit, t)))
			t = p.Sub(p.ReLU(p.Add(t, limit)), limit)
			square := p.Mul(t, t)
			polynomial := func(k []float64) asm.Value {
				v := p.Const(k[len(k)-1])
				for i := len(k) - 2; i >= 0; i-- {
					v = p.FMA(v, square, p.Const(k[i]))
				}
				return v
			}
			p.Store(asm.Mem{Base: "y"}, p.FMA(half, p.Div(p.Mul(t, polynomial(numerator)), polynomial(denominator)), half))
		},
	}
}
