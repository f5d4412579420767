package asm

import (
	"fmt"
	"math"
)

// Mem is the address Offset float32 after the argument Base.
type Mem struct {
	Base   string
	Offset int
}

// Value is a vector computed by a Program, or its negative. The zero Value is the zero vector.
type Value struct {
	id       int // instruction + 1
	negative bool
}

// IsZero reports whether a value is zero by construction.
func (v Value) IsZero() bool { return v.id == 0 }

type op string

const (
	opLoad     op = "load"
	opConst    op = "const"
	opAdd      op = "add"
	opSub      op = "sub"
	opMul      op = "mul"
	opDiv      op = "div"
	opSqrt     op = "sqrt"
	opReLU     op = "relu"   // a; b is zero
	opMask     op = "mask"   // a where b > 0; c is zero
	opFMA      op = "fma"    // a·b + c
	opFNMA     op = "fnma"   // −a·b + c
	opFMS      op = "fms"    // a·b − c
	opFNMS     op = "fnms"   // −a·b − c
	opStore    op = "store"  // a
	opSum      op = "sum"    // sum += x·a; x is a number in memory
	opSumNeg   op = "sumneg" // sum −= x·a
	opPrefetch op = "prefetch"
)

// instruction is an operation; a, b and c are the indices of its operands + 1, 0 for none.
type instruction struct {
	op       op
	a, b, c  int
	mem      Mem
	constant float32
	sum      int
}

// effect reports whether an instruction does something else than compute a value.
func (i instruction) effect() bool {
	return i.op == opStore || i.op == opPrefetch || i.op == opSum || i.op == opSumNeg
}

// Program is a straight-line program in static single assignment form.
type Program struct {
	// Negatives makes a − b the negative of b − a if that is known already. The zeros among the
	// results may then have another sign.
	Negatives bool

	code  []instruction
	known map[instruction]int
}

// NewProgram returns an empty program.
func NewProgram() *Program { return &Program{known: map[instruction]int{}} }

func (p *Program) emit(i instruction) int {
	if i.effect() {
		p.code = append(p.code, i)
		if i.op == opStore {
			delete(p.known, instruction{op: opLoad, mem: i.mem})
		}
		return len(p.code)
	}
	if id, ok := p.known[i]; ok {
		return id
	}
	p.code = append(p.code, i)
	p.known[i] = len(p.code)
	return len(p.code)
}

// Load returns the vector at m.
func (p *Program) Load(m Mem) Value { return Value{p.emit(instruction{op: opLoad, mem: m}), false} }

// Const returns k, rounded to float32, in every lane.
func (p *Program) Const(k float64) Value {
	if k == 0 {
		return Value{}
	}
	if k < 0 {
		return Neg(p.Const(-k))
	}
	return Value{p.emit(instruction{op: opConst, constant: float32(k)}), false}
}

// zero returns the instruction for a register that holds zero.
func (p *Program) zero() int { return p.emit(instruction{op: opConst}) }

// Store writes v to m.
func (p *Program) Store(m Mem, v Value) { p.emit(instruction{op: opStore, a: p.plain(v), mem: m}) }

// Prefetch prefetches the cache line of m, which may be outside the buffer.
func (p *Program) Prefetch(m Mem) { p.emit(instruction{op: opPrefetch, mem: m}) }

// plain returns the number of an instruction that computes v including its sign.
func (p *Program) plain(v Value) int {
	switch {
	case v.IsZero():
		return p.zero()
	case !v.negative:
		return v.id
	}
	i := p.code[v.id-1]
	switch i.op {
	case opSub:
		i.a, i.b = i.b, i.a
	case opFMA:
		i.op = opFNMS
	case opFNMA:
		i.op = opFMS
	case opFMS:
		i.op = opFNMA
	case opFNMS:
		i.op = opFMA
	default:
		i = instruction{op: opSub, a: p.zero(), b: v.id}
	}
	return p.emit(i)
}

// Neg returns −a.
func Neg(a Value) Value {
	if a.IsZero() {
		return a
	}
	return Value{a.id, !a.negative}
}

// Add returns a + b.
func (p *Program) Add(a, b Value) Value {
	switch {
	case a.IsZero():
		return b
	case b.IsZero():
		return a
	case a.negative == b.negative:
		if a.id > b.id {
			a, b = b, a
		}
		return Value{p.emit(instruction{op: opAdd, a: a.id, b: b.id}), a.negative}
	case b.negative:
		return p.difference(a.id, b.id)
	default:
		return p.difference(b.id, a.id)
	}
}

func (p *Program) difference(a, b int) Value {
	if p.Negatives {
		if id, ok := p.known[instruction{op: opSub, a: b, b: a}]; ok {
			return Value{id, true}
		}
	}
	return Value{p.emit(instruction{op: opSub, a: a, b: b}), false}
}

// Sub returns a − b.
func (p *Program) Sub(a, b Value) Value { return p.Add(a, Neg(b)) }

// Mul returns a·b.
func (p *Program) Mul(a, b Value) Value {
	if a.IsZero() || b.IsZero() {
		return Value{}
	}
	if a.id > b.id {
		a, b = b, a
	}
	return Value{p.emit(instruction{op: opMul, a: a.id, b: b.id}), a.negative != b.negative}
}

// FMA returns a·b + c, rounded once in assembly and twice in plain Go.
func (p *Program) FMA(a, b, c Value) Value {
	if a.IsZero() || b.IsZero() {
		return c
	}
	if c.IsZero() {
		return p.Mul(a, b)
	}
	if a.id > b.id {
		a, b = b, a
	}
	kind := opFMA
	if (a.negative != b.negative) != c.negative {
		kind = opFNMA
	}
	return Value{p.emit(instruction{op: kind, a: a.id, b: b.id, c: c.id}), c.negative}
}

// Div returns a / b.
func (p *Program) Div(a, b Value) Value {
	return Value{
		p.emit(instruction{
			op: opDiv, a: p.plain(Value{a.id, false}), b: p.plain(Value{b.id, false}),
		}), a.negative != b.negative,
	}
}

// Sqrt returns √a.
func (p *Program) Sqrt(a Value) Value {
	return Value{p.emit(instruction{op: opSqrt, a: p.plain(a)}), false}
}

// ReLU returns the greater of a and 0, and NaN for NaN.
func (p *Program) ReLU(a Value) Value {
	return Value{p.emit(instruction{op: opReLU, a: p.plain(a), b: p.zero()}), false}
}

// MaskPositive returns a where m > 0, and 0 elsewhere (including where m is NaN).
func (p *Program) MaskPositive(a, m Value) Value {
	return Value{p.emit(instruction{op: opMask, a: p.plain(a), b: p.plain(m), c: p.zero()}), false}
}

// live returns which instructions are stores, prefetches, or needed by one.
func (p *Program) live() []bool {
	live := make([]bool, len(p.code))
	for i := len(p.code) - 1; i >= 0; i-- {
		c := p.code[i]
		if c.effect() {
			live[i] = true
		}
		if live[i] {
			for _, s := range [...]int{c.a, c.b, c.c} {
				if s > 0 {
					live[s-1] = true
				}
			}
		}
	}
	return live
}

// Operations returns the number of arithmetic instructions that a store needs.
func (p *Program) Operations() int {
	n := 0
	for i, l := range p.live() {
		switch p.code[i].op {
		case opLoad, opConst, opStore, opPrefetch, opSum, opSumNeg:
		default:
			if l {
				n++
			}
		}
	}
	return n
}

func (i instruction) String() string {
	return fmt.Sprintf("%s %d %d %d %v %g", i.op, i.a-1, i.b-1, i.c-1, i.mem, i.constant)
}

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
