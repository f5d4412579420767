package asm

import (
	"fmt"
	"math"
)

// Sum adds x·v to sum i, a register that the caller of [File.Lower] clears before and stores
// after a loop around the program. x is one number in memory.
func (p *Program) Sum(i int, x Mem, v Value) {
	if v.IsZero() {
		return
	}
	kind := opSum
	if v.negative {
		kind = opSumNeg
	}
	p.emit(instruction{op: kind, a: v.id, mem: x, sum: i})
}

// sum writes the instructions of opSum and opSumNeg.
func (l *lowering) sum(i int, c instruction) {
	name := map[op]string{opSum: "VFMADD231PS", opSumNeg: "VFNMADD231PS"}[c.op]
	sum := l.t.Register(c.sum)
	if l.t == AVX512 {
		l.write("%s.BCST %s, %s, %s", name, l.address(c.mem), l.get(i, c.a), sum)
	} else {
		v := l.operand(i, c.a)
		x := l.t.Register(l.free(i, c.a))
		l.write("VBROADCASTSS %s, %s", l.address(c.mem), x)
		l.write("%s %s, %s, %s", name, v, x, sum)
	}
	l.release(i, c.a)
}

// Lower returns the instructions of one round of a program with so many sums, in registers 0 to
// sums-1, those that the loop needs before its first round, and the number of vectors that it
// spills to the stack, at BX.
func (f *File) Lower(
	p *Program, sums int, address func(Mem) string,
) (setup, round []string, spilled int) {
	l := newLowering(f.Target, p)
	for i := range sums {
		l.held[i] = taken
	}
	l.write = func(format string, args ...any) {
		round = append(round, fmt.Sprintf(format, args...))
	}
	l.address = address
	l.constant = func(c float32) string { return f.constant(c, f.Target.Lanes) }
	l.run()
	for i, c := range p.code {
		if r, ok := l.pinned[i+1]; ok {
			if c.constant == 0 {
				setup = append(setup, f.Target.Zero(r))
			} else {
				setup = append(setup,
					fmt.Sprintf("VBROADCASTSS %s, %s",
						f.constant(c.constant, 1), f.Target.Register(r)))
			}
		}
	}
	return setup, round, l.slots
}

// Late moves each computation to just before its first use, so that fewer values are held in
// registers at once. The program must not overwrite memory that it loads.
func (p *Program) Late() {
	var code []instruction
	moved := make([]int, len(p.code)+1)
	var move func(id int) int
	move = func(id int) int {
		if id == 0 || moved[id] != 0 {
			return moved[id]
		}
		c := p.code[id-1]
		c.a, c.b, c.c = move(c.a), move(c.b), move(c.c)
		code = append(code, c)
		moved[id] = len(code)
		return moved[id]
	}
	for i, c := range p.code {
		if c.effect() {
			move(i + 1)
		}
	}
	p.code, p.known = code, map[instruction]int{}
}

// Frontier divides a program that stores its results in two parts. The first computes what depends
// on one group of loads only; it returns those of its values that the second part uses.
func (p *Program) Frontier(group func(Mem) int) []Value {
	const none, mixed = math.MinInt, math.MaxInt
	live, of := p.live(), make([]int, len(p.code)+1)
	of[0] = none
	used := make([]bool, len(p.code)+1)
	for i, c := range p.code {
		of[i+1] = none
		if c.op == opLoad {
			of[i+1] = group(c.mem)
		}
		for _, s := range [...]int{c.a, c.b, c.c} {
			switch {
			case of[s] == none:
			case of[i+1] == none:
				of[i+1] = of[s]
			case of[i+1] != of[s]:
				of[i+1] = mixed
			}
		}
		if !live[i] {
			continue
		}
		for _, s := range [...]int{c.a, c.b, c.c} {
			if of[s] != none && of[s] != mixed && (of[i+1] == mixed || c.op == opStore) {
				used[s] = true
			}
		}
	}
	var values []Value
	for id, u := range used {
		if u {
			values = append(values, Value{id: id})
		}
	}
	return values
}

// Given makes the program load a value from m in place of computing it.
func (p *Program) Given(v Value, m Mem) { p.code[v.id-1] = instruction{op: opLoad, mem: m} }

// Scaled reports whether a value is the product of a constant and a sum or difference.
func (p *Program) Scaled(v Value) bool {
	c := p.code[v.id-1]
	if c.op != opMul {
		return false
	}
	for _, s := range [...]int{c.a, c.b} {
		if o := p.code[s-1].op; o != opConst && o != opAdd && o != opSub {
			return false
		}
	}
	return true
}
