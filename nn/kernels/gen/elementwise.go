package main

import "tengen/nn/kernels/gen/internal/asm"

func arg(name string) asm.Arg { return asm.Arg{Name: name, Advance: lanes} }

// elementwise returns the kernels without transforms.
func elementwise() []asm.Kernel {
	at := func(base string) asm.Mem { return asm.Mem{Base: base} }
	return []asm.Kernel{
		{
			Name: "finishPlain", Args: []asm.Arg{arg("dst"), arg("y"), {Name: "coef"}},
			Body: func(p *asm.Program) { p.Store(at("dst"), p.ReLU(norm(p, p.Load(at("y"))))) },
		},
		{
			Name: "finish", Args: []asm.Arg{arg("dst"), arg("y"), arg("skip"), {Name: "coef"}},
			Body: func(p *asm.Program) {
				p.Store(at("dst"), p.ReLU(p.Add(norm(p, p.Load(at("y"))), p.Load(at("skip")))))
			},
		},
		{
			Name: "gate", Args: []asm.Arg{
				arg("d"), arg("slope"), arg("open"), arg("y"), {Name: "coef"}, {Name: "stats"},
			},
			Body: func(p *asm.Program) {
				s := newSums(p)
				v := p.MaskPositive(p.Load(at("slope")), p.Load(at("open")))
				s.add(v, centred(p, p.Load(at("y"))))
				p.Store(at("d"), v)
				s.store(true)
			},
		},
		deviations("deviations", 1),
		deviations("deviationsOf8", 8),
		{
			Name: "adam", Args: []asm.Arg{
				arg("w"), arg("first"), arg("second"), arg("gradient"), {Name: "constants"},
			},
			Body: adam,
		},
	}
}

// deviations sums y − mean and its square over several vectors per round, since passing the sums
// through memory between rounds takes longer than the rest.
func deviations(name string, vectors int) asm.Kernel {
	return asm.Kernel{
		Name: name, Args: []asm.Arg{
			{Name: "y", Advance: vectors * lanes}, {Name: "coef"}, {Name: "stats"},
		},
		Body: func(p *asm.Program) {
			s := newSums(p)
			for i := range vectors {
				d := centred(p, p.Load(asm.Mem{Base: "y", Offset: i * lanes}))
				s.add(d, d)
			}
			s.store(true)
		},
	}
}

// adam is Adam's update. Its constants are in the order of package training's.
func adam(p *asm.Program) {
	k := func(row int) asm.Value { return p.Load(asm.Mem{Base: "constants", Offset: row * lanes}) }
	w, m, v, g := asm.Mem{Base: "w"}, asm.Mem{Base: "first"}, asm.Mem{Base: "second"},
		asm.Mem{Base: "gradient"}
	old := p.Load(w)
	d := p.FMA(k(1), old, p.Mul(k(0), p.Load(g)))
	first, second := p.Load(m), p.Load(v)
	first = p.FMA(k(2), p.Sub(d, first), first)
	second = p.FMA(k(3), p.Sub(p.Mul(d, d), second), second)
	p.Store(m, first)
	p.Store(v, second)
	step := p.Div(p.Mul(k(6), first), p.Add(p.Sqrt(p.Mul(second, k(4))), k(5)))
	p.Store(w, p.Sub(old, step))
}
