package asm

import "fmt"

// Target is an instruction set.
type Target struct {
	Name      string // suffix of the functions' names
	Lanes     int    // float32 in a register
	Registers int
	prefix    string
	pin       bool // constants stay in registers
}

// The supported instruction sets.
var (
	AVX512 = &Target{Name: "AVX512", Lanes: 16, Registers: 32, prefix: "Z", pin: true}
	AVX2   = &Target{Name: "AVX2", Lanes: 8, Registers: 16, prefix: "Y"}
)

// Register returns the name of vector register i.
func (t *Target) Register(i int) string { return fmt.Sprintf("%s%d", t.prefix, i) }

// Zero returns the instruction that clears register i.
func (t *Target) Zero(i int) string {
	r := t.Register(i)
	if t == AVX512 {
		return fmt.Sprintf("VPXORD %s, %s, %s", r, r, r)
	}
	return fmt.Sprintf("VXORPS %s, %s, %s", r, r, r)
}

// bytes returns the size of a register.
func (t *Target) bytes() int { return 4 * t.Lanes }
