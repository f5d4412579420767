package asm

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/internal/random"
)

// randomProgram returns a program with far more values than there are registers, which
// overwrites memory that it has loaded.
func randomProgram(rng *rand.Rand, size int) *Program {
	p := NewProgram()
	at := func() Mem { return Mem{"x", 16 * rng.IntN(8)} }
	values := []Value{{}, p.Load(at()), p.Const(0.5), p.Const(-1.25)}
	pick := func() Value {
		v := values[max(0, len(values)-1-rng.IntN(60))]
		if len(values) < 60 {
			v = values[rng.IntN(len(values))]
		}
		if rng.IntN(4) == 0 {
			v = Neg(v)
		}
		return v
	}
	for range size {
		var v Value
		switch rng.IntN(9) {
		case 0:
			v = p.Load(at())
		case 1:
			v = p.Add(pick(), pick())
		case 2:
			v = p.Sub(pick(), pick())
		case 3:
			v = p.Mul(p.Const(0.75), pick())
		case 4, 5:
			v = p.FMA(pick(), p.Const(0.25), pick())
		case 6:
			v = p.ReLU(pick())
		case 7:
			v = p.MaskPositive(pick(), pick())
		case 8:
			p.Store(at(), pick())
			continue
		}
		values = append(values, v)
	}
	for i := range 8 {
		p.Store(Mem{"x", 16 * i}, values[max(0, len(values)-1-5*i)])
	}
	return p
}

// TestRegistersHoldTheRightValues runs the instructions generated for random programs in
// an emulator and compares the results with Program.Run.
func TestRegistersHoldTheRightValues(t *testing.T) {
	for _, target := range []*Target{AVX512, AVX2, NEON} {
		spilled := 0
		for seed := range uint64(300) {
			rng := random.New(1, random.Test, seed)
			p := randomProgram(rng, 20+rng.IntN(200))
			want := map[Mem]float64{}
			e := &emulator{
				t: t, target: target, memory: map[string]float64{}, registers: map[string]float64{},
			}
			name := func(m Mem) string { return m.Base + "+" + string(rune('0'+m.Offset/16)) }
			for i := range 8 {
				m, v := Mem{"x", 16 * i}, rng.NormFloat64()
				want[m], e.memory[name(m)] = v, v
			}
			p.Run(func(m Mem) float64 { return want[m] }, func(m Mem, v float64) { want[m] = v })
			l := newLowering(target, p)
			for i, c := range p.code {
				if r, ok := l.pinned[i+1]; ok {
					e.registers[target.Register(r)] = float64(c.constant)
				}
				if at, ok := l.element[i+1]; ok {
					e.registers[elementName(at.register, at.index)] = float64(c.constant)
				}
			}
			l.write = func(format string, args ...any) { e.do(format, args...) }
			l.address = name
			l.constant = func(c float32) string {
				n := "constant" + string(rune('0'+len(e.memory)))
				e.memory[n] = float64(c)
				return n
			}
			l.run()
			if l.slots > 0 {
				spilled++
			}
			for m, w := range want {
				if got := e.memory[name(m)]; !(math.Abs(got-w) <= 1e-9*(1+math.Abs(w))) {
					t.Fatalf("%s, program %d: %v is %g, want %g", target.Name, seed, m, got, w)
				}
			}
		}
		if spilled < 10 {
			t.Errorf("%s: %d programs spilled to the stack, want at least 10", target.Name, spilled)
		}
	}
}

// TestSignsAndZerosCostNothing counts the operations of a program with negations and zeros.
func TestSignsAndZerosCostNothing(t *testing.T) {
	p := NewProgram()
	a, b := p.Load(Mem{"x", 0}), p.Load(Mem{"x", 16})
	s := p.Sub(Neg(a), b) // −(a + b)
	s = p.Add(s, p.Mul(p.Const(2), Value{}))
	p.Store(Mem{"y", 0}, p.Sub(p.Const(1), s)) // 1 + (a + b)
	p.Add(p.Add(b, a), a)                      // not stored
	if n := p.Operations(); n != 2 {
		t.Errorf("%d operations, want 2", n)
	}
}

func TestLoadSurvivesAStore(t *testing.T) {
	for _, target := range []*Target{AVX512, AVX2, NEON} {
		p := NewProgram()
		v := p.Load(Mem{"x", 0})
		p.Store(Mem{"x", 0}, p.Add(v, v))
		p.Store(Mem{"y", 0}, v)
		p.Store(Mem{"y", 16}, p.Load(Mem{"x", 0}))
		e := &emulator{
			t: t, target: target, memory: map[string]float64{"x0": 3},
			registers: map[string]float64{},
		}
		l := newLowering(target, p)
		l.write = func(format string, args ...any) { e.do(format, args...) }
		l.address = func(m Mem) string { return m.Base + map[int]string{0: "0", 16: "1"}[m.Offset] }
		l.run()
		if e.memory["x0"] != 6 || e.memory["y0"] != 3 || e.memory["y1"] != 6 {
			t.Errorf("%s: %v", target.Name, e.memory)
		}
	}
}

func TestGeneratedTextIsGo(t *testing.T) {
	k := Kernel{Name: "double", Comment: "// double doubles.", Args: []Arg{
		{"y", 16}, {"x", 16},
	}, Body: func(p *Program) {
		p.Store(Mem{"y", 0}, p.Mul(p.Const(2), p.Load(Mem{"x", 0})))
	}}
	f := NewFile(AVX2, "kernels")
	f.Kernel(k)
	if s := string(f.Stubs()); !strings.Contains(s, "func doubleAVX2(y, x *float32, n int)") {
		t.Error(s)
	}
	portable := NewPortable("kernels")
	portable.Kernel(k)
	if s := string(portable.Source()); !strings.Contains(s,
		"func doublePortable(y, x *float32, n int)") {
		t.Error(s)
	}
}
