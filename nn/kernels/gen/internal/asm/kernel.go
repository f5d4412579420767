package asm

import (
	"fmt"
	"slices"
	"strings"
)

// Arg is a pointer argument of a kernel, and the number of float32 by which it advances
// after each round.
type Arg struct {
	Name    string
	Advance int
}

// Kernel is a function of up to eight pointers and a number of rounds.
type Kernel struct {
	Name    string // the function is called Name plus the target's name
	Comment string // what it does, in lines that begin with "// "
	Args    []Arg
	Body    func(p *Program)
}

// Program builds the kernel's program.
func (k Kernel) Program() *Program {
	p := NewProgram()
	k.Body(p)
	return p
}

func (k Kernel) signature(name string) string {
	names := make([]string, len(k.Args))
	for i, a := range k.Args {
		names[i] = a.Name
	}
	return fmt.Sprintf("func %s(%s *float32, n int)", name, strings.Join(names, ", "))
}

// pointers are the registers of a kernel's arguments.
var pointers = []string{"DI", "SI", "DX", "R8", "R9", "R10", "R11", "R12"}

// begin declares a kernel and writes its head: the arguments are moved into registers, and n into
// the counter. frame is its stack, in bytes.
func (f *File) begin(k Kernel, frame int, move string, pointers []string, counter string) {
	name := k.Name + f.Target.Name
	flags := "NOSPLIT"
	if frame > 0 {
		flags = "0"
	}
	f.declare(k.Comment, k.signature(name))
	f.Printf("\n// %s\nTEXT ·%s(SB), %s, $%d-%d\n",
		k.signature(name), name, flags, frame, 8*len(k.Args)+8)
	for i, a := range k.Args {
		f.line("%s %s+%d(FP), %s", move, a.Name, 8*i, pointers[i])
	}
	f.line("%s n+%d(FP), %s", move, 8*len(k.Args), counter)
}

// Kernel adds a kernel and its declaration.
func (f *File) Kernel(k Kernel) {
	if f.Target == NEON {
		f.kernelNEON(k)
		return
	}
	p, t := k.Program(), f.Target
	var body []string
	l := newLowering(t, p)
	l.write = func(format string, args ...any) { body = append(body, fmt.Sprintf(format, args...)) }
	l.address = func(m Mem) string {
		i := slices.IndexFunc(k.Args, func(a Arg) bool { return a.Name == m.Base })
		if i < 0 {
			panic(fmt.Sprintf("asm: kernel %s has no argument %q", k.Name, m.Base))
		}
		return fmt.Sprintf("%d(%s)", 4*m.Offset, pointers[i])
	}
	l.constant = func(c float32) string { return f.constant(c, t.Lanes) }
	l.run()

	frame := 0
	if l.slots > 0 {
		frame = (l.slots + 1) * t.bytes()
	}
	f.begin(k, frame, "MOVQ", pointers, "CX")
	if frame > 0 { // the stack is not aligned to vectors
		f.line("LEAQ %d(SP), BX", t.bytes()-1)
		f.line("ANDQ $-%d, BX", t.bytes())
	}
	for i, c := range p.code {
		if r, ok := l.pinned[i+1]; ok {
			if c.constant == 0 {
				f.line("%s", t.Zero(r))
			} else {
				f.line("VBROADCASTSS %s, %s", f.constant(c.constant, 1), t.Register(r))
			}
		}
	}
	f.Printf("round:\n")
	advance := func(by func(Arg) int) {
		for i, a := range k.Args {
			if d := by(a); d != 0 {
				f.line("ADDQ $%d, %s", d, pointers[i])
			}
		}
	}
	if t.Lanes == 16 {
		f.lines(body)
		advance(func(a Arg) int { return 4 * a.Advance })
	} else {
		f.line("MOVQ $2, R13")
		f.Printf("half:\n")
		f.lines(body)
		advance(func(Arg) int { return 32 })
		f.line("DECQ R13")
		f.line("JNZ half")
		advance(func(a Arg) int { return 4*a.Advance - 64 })
	}
	f.line("DECQ CX")
	f.line("JNZ round")
	f.line("VZEROUPPER")
	f.line("RET")
}
