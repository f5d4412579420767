package asm

import (
	"fmt"
	"strings"
)

// Target is an instruction set.
type Target struct {
	Name      string // suffix of the functions' names
	Lanes     int    // float32 in a register
	Registers int
	prefix    string
	pin       bool // constants stay in registers
	arch      string
}

// The supported instruction sets.
var (
	AVX512 = &Target{
		Name: "AVX512", Lanes: 16, Registers: 32, prefix: "Z", pin: true, arch: "amd64",
	}
	AVX2 = &Target{Name: "AVX2", Lanes: 8, Registers: 16, prefix: "Y", arch: "amd64"}
	NEON = &Target{Name: "NEON", Lanes: 4, Registers: 32, prefix: "F", arch: "arm64"}
)

// Register returns the name of vector register i.
func (t *Target) Register(i int) string { return fmt.Sprintf("%s%d", t.prefix, i) }

// Zero returns the instruction that clears register i.
func (t *Target) Zero(i int) string {
	r := t.Register(i)
	if t == NEON {
		return fmt.Sprintf("VEOR V%d.B16, V%d.B16, V%d.B16", i, i, i)
	}
	if t == AVX512 {
		return fmt.Sprintf("VPXORD %s, %s, %s", r, r, r)
	}
	return fmt.Sprintf("VXORPS %s, %s, %s", r, r, r)
}

// Suffix returns how the names of its files end, without an extension.
func (t *Target) Suffix() string { return strings.ToLower(t.Name) + "_" + t.arch }

// load returns the instruction that loads register i.
func (t *Target) load(from string, i int) string {
	if t != NEON {
		return fmt.Sprintf("VMOVUPS %s, %s", from, t.Register(i))
	}
	if strings.HasPrefix(from, "$") {
		return fmt.Sprintf("VMOVQ %s, V%d", from, i)
	}
	return fmt.Sprintf("FMOVQ %s, F%d", from, i)
}

// store returns the instruction that stores register i.
func (t *Target) store(i int, to string) string {
	if t == NEON {
		return fmt.Sprintf("FMOVQ F%d, %s", i, to)
	}
	return fmt.Sprintf("VMOVUPS %s, %s", t.Register(i), to)
}

// slot returns the address of a vector on the stack.
func (t *Target) slot(i int) string {
	if t == NEON {
		return fmt.Sprintf("%d(RSP)", 16*i+16)
	}
	return fmt.Sprintf("%d(BX)", i*t.bytes())
}

// bytes returns the size of a register.
func (t *Target) bytes() int { return 4 * t.Lanes }
