package asm

import "math"

// Run executes the program in float64 on one lane. It is the reference for the generated code.
func (p *Program) Run(load func(Mem) float64, store func(Mem, float64)) {
	v := make([]float64, len(p.code)+1) // v[0] is never read
	live := p.live()
	for i, c := range p.code {
		if !live[i] {
			continue
		}
		a, b, d := v[c.a], v[c.b], v[c.c]
		var r float64
		switch c.op {
		case opLoad:
			r = load(c.mem)
		case opConst:
			r = float64(c.constant)
		case opAdd:
			r = a + b
		case opSub:
			r = a - b
		case opMul:
			r = a * b
		case opDiv:
			r = a / b
		case opSqrt:
			r = math.Sqrt(a)
		case opReLU:
			r = max(a, 0)
		case opMask:
			if b > 0 {
				r = a
			}
		case opFMA:
			r = a*b + d
		case opFNMA:
			r = d - a*b
		case opFMS:
			r = a*b - d
		case opFNMS:
			r = -(a * b) - d
		case opStore:
			store(c.mem, a)
		}
		v[i+1] = r
	}
}
