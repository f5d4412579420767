package asm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// macro is a vector instruction of arm64 that Go's assembler does not have. Its operands are
// numbers of registers, the destination last.
type macro struct {
	name     string
	operands string // m and n are read, d is written, i is the element of m that is read
	word     uint32 // the encoding with operands 0
}

// macros are those that the generated code uses, for four float32.
var macros = []macro{
	{"FADD4S", "mnd", 0x4e20d400},  // d = n + m
	{"FSUB4S", "mnd", 0x4ea0d400},  // d = n − m
	{"FMUL4S", "mnd", 0x6e20dc00},  // d = n·m
	{"FDIV4S", "mnd", 0x6e20fc00},  // d = n/m
	{"FMAX4S", "mnd", 0x4e20f400},  // d = max(n, m), NaN if either is
	{"FSQRT4S", "nd", 0x6ea1f800},  // d = √n
	{"FNEG4S", "nd", 0x6ea0f800},   // d = −n
	{"FCMGT4S", "nd", 0x4ea0c800},  // d = all ones where n > 0, and zero elsewhere
	{"FMUL1S", "mind", 0x4f809000}, // d = n·m[i]
	{"FMLA1S", "mind", 0x4f801000}, // d += n·m[i]
	{"FMLS1S", "mind", 0x4f805000}, // d −= n·m[i]
}

// String returns the macro's definition.
func (m macro) String() string {
	fields := map[byte]string{
		'm': "(m)<<16", 'n': "(n)<<5", 'd': "(d)", 'i': "((i)&1)<<21 | ((i)>>1)<<11",
	}
	expression := fmt.Sprintf("0x%08x", m.word)
	for i := range len(m.operands) {
		expression += " | " + fields[m.operands[i]]
	}
	return fmt.Sprintf("#define %s(%s) WORD $(%s)\n",
		m.name, strings.Join(strings.Split(m.operands, ""), ", "), expression)
}

// element is a constant's place: an element of a register.
type element struct{ register, index int }

// The greatest numbers of registers for constants: of four each, and of one.
const (
	packs   = 6
	vectors = 12
)

// pack finds the constants that are only multiplied by vectors, and makes them elements of the last
// registers that are free, four in each; the most frequent if there are too many. Others get
// registers of their own. It returns the number of those that are left.
func (l *lowering) pack(registers int) int {
	constant := func(v int) bool { return v > 0 && l.p.code[v-1].op == opConst }
	vector := map[int]bool{} // constants that are needed in each lane of a register
	var list []int
	for i, c := range l.p.code {
		if !l.live[i] {
			continue
		}
		if v := i + 1; constant(v) && c.constant != 0 {
			list = append(list, v)
		}
		switch c.op {
		case opMul, opFMA, opFNMA, opFMS, opFNMS:
			if constant(c.a) && constant(c.b) {
				vector[c.a], vector[c.b] = true, true
			}
		default:
			vector[c.a], vector[c.b] = true, true
		}
		vector[c.c] = true
	}
	others := slices.DeleteFunc(slices.Clone(list), func(v int) bool { return !vector[v] })
	for _, v := range others[:min(len(others), vectors)] {
		registers--
		l.pinned[v] = registers
	}
	list = slices.DeleteFunc(list, func(v int) bool { return vector[v] })
	slices.SortStableFunc(list, func(v, w int) int {
		return cmp.Compare(len(l.uses[w]), len(l.uses[v]))
	})
	for i, v := range list[:min(len(list), 4*packs)] {
		if i%4 == 0 {
			registers--
		}
		l.element[v] = element{registers, i % 4}
		l.packed = append(l.packed, l.p.code[v-1].constant)
	}
	return registers
}

// neon writes an instruction for NEON, whose operands are all in registers. It reports whether it
// did; the others are the same for all targets.
func (l *lowering) neon(i int, c instruction) bool {
	v := i + 1
	read := func(v int, keep ...int) int {
		l.get(i, v, keep...)
		return l.register(v)
	}
	write := func(keep ...int) int {
		r := l.free(i, keep...)
		l.place(v, r)
		return r
	}
	three := func(name string) {
		n, m := read(c.a, c.b), read(c.b, c.a)
		l.release(i, c.a, c.b)
		l.write("%s(%d, %d, %d)", name, m, n, write(c.a, c.b))
	}
	two := func(name string) {
		n := read(c.a)
		l.release(i, c.a)
		l.write("%s(%d, %d)", name, n, write(c.a))
	}
	switch c.op {
	case opAdd:
		three("FADD4S")
	case opSub:
		three("FSUB4S")
	case opDiv:
		three("FDIV4S")
	case opReLU:
		three("FMAX4S")
	case opSqrt:
		two("FSQRT4S")
	case opMul:
		a, e, ok := l.elementOf(c)
		if !ok {
			three("FMUL4S")
			break
		}
		n := read(a)
		l.release(i, a)
		l.write("FMUL1S(%d, %d, %d, %d)", e.register, e.index, n, write(a))
	case opMask:
		m, n := read(c.b, c.a), read(c.a, c.b)
		if c.b != c.a {
			l.release(i, c.b)
		}
		d := write(c.a, c.b)
		l.write("FCMGT4S(%d, %d)", m, d)
		l.write("VAND V%d.B16, V%d.B16, V%d.B16", n, d, d)
		l.release(i, c.a)
	case opFMA, opFNMA, opFMS, opFNMS:
		l.fusedNEON(i, c)
	default:
		return false
	}
	return true
}

// elementOf returns the operand by which a constant that is an element is multiplied, and its
// place; or else c.a.
func (l *lowering) elementOf(c instruction) (other int, e element, ok bool) {
	if e, ok = l.element[c.a]; ok {
		return c.b, e, true
	}
	e, ok = l.element[c.b]
	return c.a, e, ok
}

// fusedNEON writes an FMA instruction, which adds to the register of c if it is not used again, and
// else to a copy.
func (l *lowering) fusedNEON(i int, c instruction) {
	v := i + 1
	a, e, byElement := l.elementOf(c)
	keep := []int{c.a, c.b, c.c}
	l.get(i, a, keep...)
	if !byElement {
		l.get(i, c.b, keep...)
	}
	negate := c.op == opFMS || c.op == opFNMS
	_, held := l.in(c.c)
	last := l.next(c.c, i) == never && c.c != c.a && c.c != c.b
	var d int
	switch {
	case held && last && !l.resident(c.c):
		d = l.where[c.c]
		delete(l.where, c.c)
		l.place(v, d)
		if negate {
			l.write("FNEG4S(%d, %d)", d, d)
		}
	case !held && last:
		d = l.free(i, keep...)
		l.fetch(l.memory[c.c], d)
		l.place(v, d)
		if negate {
			l.write("FNEG4S(%d, %d)", d, d)
		}
	default:
		l.get(i, c.c, keep...)
		from := l.register(c.c)
		d = l.free(i, keep...)
		l.place(v, d)
		if negate {
			l.write("FNEG4S(%d, %d)", from, d)
		} else {
			l.write("VMOV V%d.B16, V%d.B16", from, d)
		}
	}
	subtract := c.op == opFNMA || c.op == opFNMS
	switch n := l.register(a); {
	case byElement && subtract:
		l.write("FMLS1S(%d, %d, %d, %d)", e.register, e.index, n, d)
	case byElement:
		l.write("FMLA1S(%d, %d, %d, %d)", e.register, e.index, n, d)
	case subtract:
		l.write("VFMLS V%d.S4, V%d.S4, V%d.S4", l.register(c.b), n, d)
	default:
		l.write("VFMLA V%d.S4, V%d.S4, V%d.S4", l.register(c.b), n, d)
	}
	l.release(i, keep...)
}

// literal returns the operand of an instruction that loads c to each lane.
func literal(c float32) string {
	b := uint64(math.Float32bits(c))
	return fmt.Sprintf("$0x%016[1]x, $0x%016[1]x", b<<32|b)
}

// window keeps addresses within the offsets that an instruction can have: it adds the rest to
// registers, of which it reuses the one that was used least recently.
type window struct {
	write func(format string, args ...any)
	held  []string // what each register holds
	used  []int
	clock int
}

var windows = []string{
	"R10", "R11", "R12", "R13", "R14", "R15", "R19", "R20", "R21", "R22", "R23", "R24",
	"R25", "R26",
}

func (w *window) reach(address string, by int) string {
	var offset int
	var base string
	if _, err := fmt.Sscanf(address, "%d(%s", &offset, &base); err != nil ||
		offset >= 0 && offset < by {
		return address
	}
	base = strings.TrimSuffix(base, ")")
	far := offset &^ (by - 1)
	name := fmt.Sprintf("ADD $%d, %s, ", far, base)
	w.clock++
	i := slices.Index(w.held, name)
	if i < 0 {
		if len(w.held) < len(windows) {
			w.held, w.used = append(w.held, ""), append(w.used, 0)
		}
		i = slices.Index(w.used, slices.Min(w.used))
		w.held[i] = name
		w.write("%s%s", name, windows[i])
	}
	w.used[i] = w.clock
	return fmt.Sprintf("%d(%s)", offset-far, windows[i])
}

// unrolled is the number of instructions up to which a round is one piece of code, without a loop
// over its four vectors.
const unrolled = 60

// neonPointers are the registers of a kernel's arguments.
var neonPointers = []string{"R0", "R1", "R2", "R3", "R4", "R5", "R6", "R7"}

// kernelNEON adds a kernel for NEON.
func (f *File) kernelNEON(k Kernel) {
	p, t := k.Program(), f.Target
	slots := 0
	var l *lowering
	// lower returns the instructions for some of a round's vectors.
	lower := func(vectors int) (body []string) {
		w := &window{
			write: func(format string, args ...any) {
				body = append(body, fmt.Sprintf(format, args...))
			},
		}
		for vector := range vectors {
			l = newLowering(t, p)
			l.write, l.reach, l.constant = w.write, w.reach, literal
			l.address = func(m Mem) string {
				i := slices.IndexFunc(k.Args, func(a Arg) bool { return a.Name == m.Base })
				if i < 0 {
					panic(fmt.Sprintf("asm: kernel %s has no argument %q", k.Name, m.Base))
				}
				return fmt.Sprintf("%d(%s)", 4*m.Offset+vector*t.bytes(), neonPointers[i])
			}
			l.run()
			slots = l.slots
		}
		return body
	}
	body := lower(1)
	looped := len(body) > unrolled
	if !looped {
		body = lower(16 / t.Lanes)
	}

	frame := 0
	if slots > 0 {
		frame = 16*slots + 16
	}
	f.begin(k, frame, "MOVD", neonPointers, "R8")
	f.lines(l.setupNEON())
	advance := func(by func(Arg) int) {
		for i, a := range k.Args {
			switch d := by(a); {
			case d > 0:
				f.line("ADD $%d, %s", d, neonPointers[i])
			case d < 0:
				f.line("SUB $%d, %s", -d, neonPointers[i])
			}
		}
	}
	f.Printf("round:\n")
	if looped {
		f.line("MOVD $%d, R9", 16/t.Lanes)
		f.Printf("part:\n")
		f.lines(body)
		advance(func(Arg) int { return t.bytes() })
		f.line("SUBS $1, R9")
		f.line("BNE part")
		advance(func(a Arg) int { return 4*a.Advance - 64 })
	} else {
		f.lines(body)
		advance(func(a Arg) int { return 4 * a.Advance })
	}
	f.line("SUBS $1, R8")
	f.line("BNE round")
	f.line("RET")
}

// setupNEON returns the instructions that load the constants that stay in registers.
func (l *lowering) setupNEON() (setup []string) {
	for i, c := range l.p.code {
		if r, ok := l.pinned[i+1]; ok {
			if c.constant == 0 {
				setup = append(setup, l.t.Zero(r))
			} else {
				setup = append(setup, l.t.load(literal(c.constant), r))
			}
		}
	}
	for i := 0; i < len(l.packed); i += 4 {
		var b [4]uint64
		for j, c := range l.packed[i:min(len(l.packed), i+4)] {
			b[j] = uint64(math.Float32bits(c))
		}
		register := len(l.held) + (len(l.packed)-1)/4 - i/4
		setup = append(setup,
			fmt.Sprintf("VMOVQ $0x%016x, $0x%016x, V%d", b[1]<<32|b[0], b[3]<<32|b[2], register))
	}
	return setup
}
