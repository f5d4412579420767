package asm

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
)

// Portable collects kernels as plain Go.
type Portable struct {
	pkg  string
	text bytes.Buffer
}

// NewPortable returns an empty file of package pkg.
func NewPortable(pkg string) *Portable { return &Portable{pkg: pkg} }

// Source returns the text of the Go file.
func (f *Portable) Source() []byte {
	return Format(generated + "package " + f.pkg +
		"\n\nimport (\n\t\"math\"\n\t\"unsafe\"\n)\n\nvar _ = math.Sqrt\n" + f.text.String())
}

// Kernel adds a kernel as a loop over rounds and channels. Products are explicitly rounded before
// they are added, so that no architecture fuses them.
func (f *Portable) Kernel(k Kernel) {
	p := k.Program()
	live := p.live()
	extent := make([]int, len(k.Args))
	for i, c := range p.code {
		if live[i] && (c.op == opLoad || c.op == opStore) {
			j := slices.IndexFunc(k.Args, func(a Arg) bool { return a.Name == c.mem.Base })
			if j < 0 {
				panic(fmt.Sprintf("asm: kernel %s has no argument %q", k.Name, c.mem.Base))
			}
			extent[j] = max(extent[j], c.mem.Offset+16)
		}
	}
	w := func(format string, args ...any) { fmt.Fprintf(&f.text, format+"\n", args...) }
	w("")
	if k.Comment != "" {
		w("%s", k.Comment)
	}
	w("%s {", k.signature(k.Name+"Portable"))
	w("for i := range n {")
	for j, a := range k.Args {
		if extent[j] > 0 {
			w("%s := (*[%d]float32)(unsafe.Add(unsafe.Pointer(%s), 4*%d*i))",
				a.Name, extent[j], a.Name, a.Advance)
		}
	}
	w("for l := range 16 {")
	n := func(id int) string {
		if c := p.code[id-1]; c.op == opConst {
			return "float32(" + strconv.FormatFloat(float64(c.constant), 'g', -1, 32) + ")"
		}
		return fmt.Sprintf("t%d", id)
	}
	for i, c := range p.code {
		if !live[i] {
			continue
		}
		v := fmt.Sprintf("t%d := ", i+1)
		switch c.op {
		case opLoad:
			w("%s%s[%d+l]", v, c.mem.Base, c.mem.Offset)
		case opConst, opPrefetch:
		case opStore:
			w("%s[%d+l] = %s", c.mem.Base, c.mem.Offset, n(c.a))
		case opAdd:
			w("%s%s + %s", v, n(c.a), n(c.b))
		case opSub:
			w("%s%s - %s", v, n(c.a), n(c.b))
		case opMul:
			w("%s%s * %s", v, n(c.a), n(c.b))
		case opDiv:
			w("%s%s / %s", v, n(c.a), n(c.b))
		case opSqrt:
			w("%sfloat32(math.Sqrt(float64(%s)))", v, n(c.a))
		case opReLU:
			w("%smax(%s, 0)", v, n(c.a))
		case opMask:
			w("%s%s\nif !(%s > 0) {\nt%d = 0\n}", v, n(c.a), n(c.b), i+1)
		case opFMA:
			w("%sfloat32(%s*%s) + %s", v, n(c.a), n(c.b), n(c.c))
		case opFNMA:
			w("%s%s - float32(%s*%s)", v, n(c.c), n(c.a), n(c.b))
		case opFMS:
			w("%sfloat32(%s*%s) - %s", v, n(c.a), n(c.b), n(c.c))
		case opFNMS:
			w("%s-float32(%s*%s) - %s", v, n(c.a), n(c.b), n(c.c))
		}
	}
	w("}\n}\n}")
}
