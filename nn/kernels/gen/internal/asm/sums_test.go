package asm

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/random"
)

// TestSums runs the instructions of random programs with sums in the emulator, twice as a loop
// would, and compares the sums with those of the values that the same program stores.
func TestSums(t *testing.T) {
	const sums = 6
	for _, target := range []*Target{AVX512, AVX2} {
		spilled := 0
		for seed := range uint64(200) {
			rng := random.New(2, random.Test, seed)
			stores, p := NewProgram(), NewProgram()
			x := make([]float64, sums)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			a, b := []Value{}, []Value{}
			for i := range 8 {
				a, b = append(a, stores.Load(Mem{"w", 16 * i})), append(b, p.Load(Mem{"w", 16 * i}))
			}
			for range 40 {
				i, j, k := rng.IntN(len(a)), rng.IntN(len(a)), rng.IntN(3)
				one := func(p *Program, v []Value) Value {
					switch k {
					case 0:
						return p.Add(v[i], v[j])
					case 1:
						return p.Sub(v[i], v[j])
					}
					return p.FMA(p.Const(-0.5), v[i], v[j])
				}
				a, b = append(a, one(stores, a)), append(b, one(p, b))
			}
			for i := range sums {
				v := len(a) - 1 - 5*i
				stores.Store(Mem{"y", i}, a[v])
				if i == 3 {
					p.Sum(i, Mem{"x", i}, Neg(Neg(b[v])))
				} else {
					p.Sum(i, Mem{"x", i}, Neg(b[v]))
				}
			}
			p.Late()
			e := &emulator{
				t: t, target: target, memory: map[string]float64{}, registers: map[string]float64{},
			}
			name := func(m Mem) string { return fmt.Sprintf("%d(%s)", m.Offset, m.Base) }
			for i := range 8 {
				e.memory[name(Mem{"w", 16 * i})] = rng.NormFloat64()
			}
			want := map[int]float64{}
			stores.Run(func(m Mem) float64 { return e.memory[name(m)] }, func(m Mem, v float64) {
				want[m.Offset] = v
			})
			for i := range sums {
				e.registers[target.Register(i)] = 0
				e.memory[name(Mem{"x", i})] = x[i]
			}
			f := NewFile(target, "kernels")
			setup, round, n := f.Lower(p, sums, name)
			if n > 0 {
				spilled++
			}
			for _, c := range []float32{0, 0.5} {
				for _, lanes := range []int{1, target.Lanes} {
					e.memory[f.constant(c, lanes)] = float64(c)
				}
			}
			for _, text := range setup {
				if text[:5] == "VPXOR" || text[:5] == "VXORP" {
					e.registers[text[len(text)-3:]] = 0
					continue
				}
				e.do("%s", text)
			}
			for range 2 {
				for _, text := range round {
					e.do("%s", text)
				}
			}
			for i := range sums {
				w := -2 * x[i] * want[i]
				if i == 3 {
					w = -w
				}
				if got := e.registers[target.Register(i)]; !(math.Abs(got-w) <=
					1e-9*(1+math.Abs(w))) {
					t.Fatalf("%s, program %d: sum %d is %g, want %g", target.Name, seed, i, got, w)
				}
			}
		}
		if target == AVX2 && spilled < 10 {
			t.Errorf("%s: %d programs spilled to the stack, want at least 10", target.Name, spilled)
		}
	}
}

// TestFrontier divides a program by hand, and runs its second part on values of the first.
func TestFrontier(t *testing.T) {
	program := func() (*Program, Value) {
		p := NewProgram()
		p.Negatives = true
		a, b, c := p.Load(Mem{"x", 0}), p.Load(Mem{"x", 16}), p.Load(Mem{"x", 32})
		d := p.Mul(p.Const(2), p.Sub(a, b)) // depends on a and b only
		p.Store(Mem{"y", 0}, p.Add(d, c))
		p.Store(Mem{"y", 16}, p.Add(p.Mul(p.Const(2), p.Sub(b, a)), c))
		return p, d
	}
	p, d := program()
	group := func(m Mem) int { return m.Offset / 32 }
	values := p.Frontier(group)
	if len(values) != 2 || values[1] != d && values[0] != d {
		t.Fatalf("the frontier is %v, want the third load and %v", values, d)
	}
	if n := p.Operations(); n != 4 {
		t.Errorf("%d operations, want 4: b − a is the negative of a − b", n)
	}
	if !p.Scaled(d) {
		t.Error("2·(a − b) is not called scaled")
	}
	second, _ := program()
	for i, v := range values {
		second.Given(v, Mem{"part", 16 * i})
	}
	second.Late()
	if n := second.Operations(); n != 2 {
		t.Errorf("%d operations in the second part, want 2", n)
	}
	x := []float64{3, 5, 7}
	parts := map[int]float64{}
	for i, v := range values {
		parts[i] = x[2]
		if v == d {
			parts[i] = 2 * (x[0] - x[1])
		}
	}
	got := map[Mem]float64{}
	second.Run(func(m Mem) float64 {
		if m.Base != "part" {
			t.Fatalf("the second part loads %v", m)
		}
		return parts[m.Offset/16]
	}, func(m Mem, v float64) { got[m] = v })
	if got[Mem{"y", 0}] != 3 || got[Mem{"y", 16}] != 11 {
		t.Errorf("the second part stores %v", got)
	}
}
