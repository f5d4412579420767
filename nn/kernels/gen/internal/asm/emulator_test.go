package asm

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// emulator executes instructions on one lane, in float64. A comparison's result "all ones" is NaN.
type emulator struct {
	t         *testing.T
	target    *Target
	memory    map[string]float64
	registers map[string]float64
	mask      bool
}

func (e *emulator) isRegister(s string) bool {
	return strings.HasPrefix(s, e.target.prefix) && !strings.Contains(s, "(")
}

func (e *emulator) get(s string) float64 {
	from := e.memory
	if e.isRegister(s) {
		from = e.registers
	}
	v, ok := from[s]
	if !ok {
		e.t.Fatalf("%s was never written", s)
	}
	return v
}

func (e *emulator) set(s string, v float64) {
	if e.isRegister(s) {
		e.registers[s] = v
	} else {
		e.memory[s] = v
	}
}

func (e *emulator) do(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if e.target == NEON {
		e.neon(text)
		return
	}
	name, rest, _ := strings.Cut(text, " ")
	name = strings.TrimSuffix(name, ".BCST")
	o := strings.Split(rest, ", ")
	last := o[len(o)-1]
	for i, s := range o[1:] { // only the first operand may be in memory, except in a store
		if name != "VMOVUPS" && !e.isRegister(s) && s != "K1" &&
			!(strings.HasPrefix(name, "VCMP") && i == 0) {
			e.t.Fatalf("%s: operand %s in memory", text, s)
		}
	}
	switch name {
	case "VBROADCASTSS":
		e.set(last, e.get(o[0]))
	case "VMOVUPS":
		if !e.isRegister(o[0]) && !e.isRegister(last) {
			e.t.Fatalf("%s: from memory to memory", text)
		}
		e.set(last, e.get(o[0]))
	case "VMOVUPS.Z":
		if e.mask {
			e.set(last, e.get(o[0]))
		} else {
			e.set(last, 0)
		}
	case "VADDPS":
		e.set(last, e.get(o[1])+e.get(o[0]))
	case "VSUBPS":
		e.set(last, e.get(o[1])-e.get(o[0]))
	case "VMULPS":
		e.set(last, e.get(o[1])*e.get(o[0]))
	case "VMAXPS":
		e.set(last, max(e.get(o[1]), e.get(o[0])))
	case "VCMPPS":
		less := e.get(o[2]) < e.get(o[1])
		if last == "K1" {
			e.mask = less
			return
		}
		e.set(last, 0)
		if less {
			e.set(last, math.NaN())
		}
	case "VANDPS":
		if math.IsNaN(e.get(o[1])) {
			e.set(last, e.get(o[0]))
		} else {
			e.set(last, 0)
		}
	default:
		e.fused(text, name, o)
	}
}

// fused executes VF[N]MADD and VF[N]MSUB in the forms 213 and 231.
func (e *emulator) fused(text, name string, o []string) {
	base := strings.TrimSuffix(name, "PS")
	form := base[len(base)-3:]
	// first, second and third operand of the manual
	x, y, z := e.get(o[2]), e.get(o[1]), e.get(o[0])
	var product, sum float64
	switch form {
	case "213":
		product, sum = y*x, z
	case "231":
		product, sum = y*z, x
	default:
		e.t.Fatalf("unknown instruction %s", text)
	}
	switch strings.TrimSuffix(base, form) {
	case "VFMADD":
		e.set(o[2], product+sum)
	case "VFNMADD":
		e.set(o[2], sum-product)
	case "VFMSUB":
		e.set(o[2], product-sum)
	case "VFNMSUB":
		e.set(o[2], -product-sum)
	default:
		e.t.Fatalf("unknown instruction %s", text)
	}
}
