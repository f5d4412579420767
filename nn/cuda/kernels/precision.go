package kernels

import "fmt"

// Precision is the precision in which inference stores and multiplies activations and weights.
// Sums and the heads' outputs are always fp32.
type Precision string

// Precisions.
const (
	BF16 Precision = "bf16" // 7 bits of mantissa: the fastest
	TF32 Precision = "tf32" // 10 bits of mantissa, fp32's range
	FP32 Precision = "fp32" // fp32 throughout, one launch per layer: slow, the reference
)

// Validate returns an error if the precision is unknown.
func (p Precision) Validate() error {
	switch p {
	case BF16, TF32, FP32:
		return nil
	}
	return fmt.Errorf("inference on a device: unknown precision %q; there are bf16, tf32, fp32",
		string(p))
}

// Element returns the size in bytes of an activation and of a weight.
func (p Precision) Element() int {
	if p == BF16 {
		return 2
	}
	return 4
}

// stepBytes is the number of bytes per row in a step of a matrix product (STEP_BYTES in
// element.h).
const stepBytes = 32

// step returns the number of channels per step.
func (p Precision) step() int { return stepBytes / p.Element() }
