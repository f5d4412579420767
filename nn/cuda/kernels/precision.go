package kernels

import (
	"fmt"

	"tengen/nn/cuda/driver"
)

// Precision is the precision in which inference stores and multiplies activations and weights.
// Sums and the heads' outputs are always fp32.
type Precision string

// Precisions.
const (
	BF16 Precision = "bf16" // 7 bits of mantissa, fp32's range: the fastest from 8.0 on
	FP16 Precision = "fp16" // 10 bits of mantissa, up to 65,504; for inference, also on 7.5
	TF32 Precision = "tf32" // 10 bits of mantissa, fp32's range
	FP32 Precision = "fp32" // fp32 throughout, one launch per layer: slow, the reference
)

// Validate returns an error if the precision is unknown.
func (p Precision) Validate() error {
	switch p {
	case BF16, FP16, TF32, FP32:
		return nil
	}
	return fmt.Errorf("inference on a device: unknown precision %q; there are bf16, fp16, tf32, fp32",
		string(p))
}

// Least returns the least compute capability that the precision's kernels run on, 80 for 8.0.
func (p Precision) Least() int {
	if p == BF16 || p == TF32 {
		return 80
	}
	return LeastCapability
}

// LeastCapability is the least compute capability of all kernels: 7.5, Turing.
const LeastCapability = 75

// On returns an error if a device can't multiply in the precision.
func (p Precision) On(d *driver.Device) error {
	if d.Capability() < p.Least() {
		return fmt.Errorf("%s has compute capability %d.%d, and no %s, which is there from 8.0 on; fp16 (inference) or fp32 is wanted",
			d.Name, d.Major, d.Minor, p)
	}
	return nil
}

// Element returns the size in bytes of an activation and of a weight.
func (p Precision) Element() int {
	if p == BF16 || p == FP16 {
		return 2
	}
	return 4
}

// defines returns the macros of element.h.
func (p Precision) defines() []string {
	all := []string{fmt.Sprintf("ELEMENT=%d", p.Element())}
	switch p {
	case TF32:
		all = append(all, "TF32=1")
	case FP16:
		all = append(all, "FP16=1")
	}
	return all
}

// stepBytes is the number of bytes per row in a step of a matrix product (STEP_BYTES in
// element.h).
const stepBytes = 32

// step returns the number of channels per step.
func (p Precision) step() int { return stepBytes / p.Element() }
