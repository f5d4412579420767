package asm

import (
	"math"
	"slices"
)

// taken is held by a register that no value gets.
const taken = -1

// never is the next use of a value that is not used again.
const never = math.MaxInt

// lowering allocates registers and writes the instructions of a program.
type lowering struct {
	t     *Target
	p     *Program
	write func(format string, args ...any)
	live  []bool
	uses  [][]int // of each value, ascending

	address  func(Mem) string
	constant func(float32) string // its place in memory
	// the address in a form that an instruction with offsets less than by has; nil: the same
	reach func(address string, by int) string

	pinned  map[int]int     // constants that stay in registers
	element map[int]element // constants that are elements of registers
	packed  []float32       // those registers, from the last one that may be held downwards
	where   map[int]int     // value → register
	held    []int           // register → value, or 0
	memory  map[int]string
	slots   int
}

// newLowering finds the uses of each value, and pins constants that keep a register to the
// last ones.
func newLowering(t *Target, p *Program) *lowering {
	l := &lowering{
		t: t, p: p, live: p.live(), pinned: map[int]int{}, element: map[int]element{},
		where: map[int]int{}, memory: map[int]string{},
	}
	l.uses = make([][]int, len(p.code)+1)
	registers := t.Registers
	for i, c := range p.code {
		if !l.live[i] {
			continue
		}
		for _, s := range [...]int{c.a, c.b, c.c} {
			if s > 0 {
				l.uses[s] = append(l.uses[s], i)
			}
		}
		if c.op == opConst && (t.pin || c.constant == 0) {
			registers--
			l.pinned[i+1] = registers
		}
	}
	if t == NEON {
		registers = l.pack(registers)
	}
	l.held = make([]int, registers)
	return l
}

// next returns the first use of v after an instruction, or never.
func (l *lowering) next(v, after int) int {
	u := l.uses[v]
	if j, _ := slices.BinarySearch(u, after+1); j < len(u) {
		return u[j]
	}
	return never
}

// free returns a free register for instruction at. If necessary it evicts a value that is not in
// keep.
func (l *lowering) free(at int, keep ...int) int {
	best, use := -1, -1
	for r, v := range l.held {
		if v == 0 {
			return r
		}
		if v == taken || slices.Contains(keep, v) {
			continue
		}
		if u := l.next(v, at-1); u > use {
			best, use = r, u
		}
	}
	v := l.held[best]
	if _, ok := l.memory[v]; !ok && use != never {
		l.memory[v] = l.t.slot(l.slots)
		l.slots++
		l.save(best, l.memory[v])
	}
	delete(l.where, v)
	l.held[best] = 0
	return best
}

func (l *lowering) place(v, r int) string {
	l.where[v], l.held[r] = r, v
	return l.t.Register(r)
}

// fetch loads a register, and save stores it.
func (l *lowering) fetch(from string, r int) { l.write("%s", l.t.load(l.near(from, 1<<16), r)) }
func (l *lowering) save(r int, to string)    { l.write("%s", l.t.store(r, l.near(to, 1<<16))) }

func (l *lowering) near(address string, by int) string {
	if l.reach == nil {
		return address
	}
	return l.reach(address, by)
}

func (l *lowering) full() bool { return !slices.Contains(l.held, 0) }

// in returns the register of a value, if it is in one.
func (l *lowering) in(v int) (string, bool) {
	if r, ok := l.pinned[v]; ok {
		return l.t.Register(r), true
	}
	r, ok := l.where[v]
	return l.t.Register(r), ok
}

// register returns the number of a value's register.
func (l *lowering) register(v int) int {
	if r, ok := l.pinned[v]; ok {
		return r
	}
	return l.where[v]
}

// resident reports whether a constant stays in a register.
func (l *lowering) resident(v int) bool {
	_, pinned := l.pinned[v]
	_, element := l.element[v]
	return pinned || element
}

// get returns the register of a value, after loading it if necessary.
func (l *lowering) get(at, v int, keep ...int) string {
	if r, ok := l.in(v); ok {
		return r
	}
	r := l.free(at, keep...)
	l.fetch(l.memory[v], r)
	return l.place(v, r)
}

// operand returns the register of a value or, if that costs less, its address in memory.
func (l *lowering) operand(at, v int, keep ...int) string {
	if _, ok := l.in(v); !ok && (l.next(v, at) == never || l.full()) {
		return l.memory[v]
	}
	return l.get(at, v, keep...)
}

// dies reports whether a value is in a register and not used after at.
func (l *lowering) dies(at, v int) bool {
	_, pinned := l.pinned[v]
	_, held := l.where[v]
	return held && !pinned && l.next(v, at) == never
}

// release frees the registers of operands that are not used after at.
func (l *lowering) release(at int, operands ...int) {
	for _, v := range operands {
		if v > 0 && l.dies(at, v) {
			l.held[l.where[v]] = 0
			delete(l.where, v)
		}
	}
}

func (l *lowering) run() {
	for i, c := range l.p.code {
		if !l.live[i] {
			continue
		}
		l.instruction(i, c)
	}
}

var mnemonics = map[op]string{
	opAdd: "VADDPS", opSub: "VSUBPS", opMul: "VMULPS", opDiv: "VDIVPS",
	opFMA: "VFMADD", opFNMA: "VFNMADD", opFMS: "VFMSUB", opFNMS: "VFNMSUB",
}

func (l *lowering) instruction(i int, c instruction) {
	v := i + 1
	if l.t == NEON && l.neon(i, c) {
		return
	}
	switch c.op {
	case opLoad: // loaded at its first use
		l.memory[v] = l.address(c.mem)
		if l.storedBeforeLastUse(v, c.mem) {
			r := l.free(i)
			l.fetch(l.memory[v], r)
			l.place(v, r)
			delete(l.memory, v)
		}
	case opConst:
		if !l.resident(v) {
			l.memory[v] = l.constant(c.constant)
		}
	case opStore:
		l.get(i, c.a)
		l.save(l.register(c.a), l.address(c.mem))
		l.release(i, c.a)
	case opSum, opSumNeg:
		l.sum(i, c)
	case opPrefetch:
		if l.t == NEON {
			l.write("PRFM %s, PLDL1KEEP", l.near(l.address(c.mem), 1<<15))
			return
		}
		l.write("PREFETCHT0 %s", l.address(c.mem))
	case opAdd, opMul, opSub, opDiv:
		a, b := c.a, c.b
		if _, ok := l.in(a); !ok && (c.op == opAdd || c.op == opMul) {
			a, b = b, a // the second operand may be in memory
		}
		x := l.get(i, a, b)
		y := l.operand(i, b, a)
		l.release(i, a, b)
		l.write("%s %s, %s, %s", mnemonics[c.op], y, x, l.place(v, l.free(i, a, b)))
	case opSqrt:
		x := l.operand(i, c.a)
		l.release(i, c.a)
		l.write("VSQRTPS %s, %s", x, l.place(v, l.free(i, c.a)))
	case opReLU: // if either operand is NaN, VMAXPS returns the one written first here
		x := l.operand(i, c.a)
		zero, _ := l.in(c.b)
		l.release(i, c.a)
		l.write("VMAXPS %s, %s, %s", x, zero, l.place(v, l.free(i, c.a)))
	case opMask:
		zero, _ := l.in(c.c)
		if l.t == AVX512 {
			x := l.get(i, c.a, c.b)
			m := l.operand(i, c.b, c.a)
			l.release(i, c.a, c.b)
			d := l.place(v, l.free(i, c.a, c.b))
			l.write("VCMPPS $1, %s, %s, K1", m, zero)
			l.write("VMOVUPS.Z %s, K1, %s", x, d)
			return
		}
		m := l.operand(i, c.b, c.a)
		d := l.place(v, l.free(i, c.a, c.b))
		l.write("VCMPPS $1, %s, %s, %s", m, zero, d)
		l.write("VANDPS %s, %s, %s", l.operand(i, c.a, c.b, v), d, d)
		l.release(i, c.a, c.b)
	case opFMA, opFNMA, opFMS, opFNMS:
		l.fused(i, c)
	default:
		panic(c.op)
	}
}

// fused writes an FMA instruction, which overwrites one of its operands: one that is not used
// again, or else a copy of c.
func (l *lowering) fused(i int, c instruction) {
	v, name := i+1, mnemonics[c.op]
	over := func(old int) string {
		r := l.where[old]
		delete(l.where, old)
		return l.place(v, r)
	}
	a, b := c.a, c.b
	if _, ok := l.in(a); !ok {
		a, b = b, a
	}
	if !l.dies(i, c.c) || c.c == a || c.c == b {
		for range 2 {
			if l.dies(i, b) && b != a && b != c.c {
				x := l.get(i, a, b, c.c)
				y := l.operand(i, c.c, a, b)
				l.release(i, a, c.c)
				l.write("%s213PS %s, %s, %s", name, y, x, over(b))
				return
			}
			a, b = b, a
		}
	}
	x := l.get(i, a, b, c.c)
	y := l.operand(i, b, a, c.c)
	if l.dies(i, c.c) && c.c != a && c.c != b {
		l.release(i, a, b)
		l.write("%s231PS %s, %s, %s", name, y, x, over(c.c))
		return
	}
	// The sum starts as a copy of c, which must not land on a or b.
	z := l.operand(i, c.c, a, b)
	d := l.place(v, l.free(i, a, b, c.c))
	l.write("VMOVUPS %s, %s", z, d)
	l.write("%s231PS %s, %s, %s", name, y, x, d)
	l.release(i, a, b, c.c)
}

// storedBeforeLastUse reports whether the memory that a value was loaded from is overwritten before
// its last use.
func (l *lowering) storedBeforeLastUse(v int, m Mem) bool {
	u := l.uses[v]
	for i := v; len(u) > 0 && i < u[len(u)-1]; i++ {
		if c := l.p.code[i]; c.op == opStore && c.mem == m {
			return true
		}
	}
	return false
}
