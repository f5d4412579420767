package kernels

import "fmt"

// Precision is how inference on a device computes: in what activations and weights are kept
// and multiplied. Sums are fp32 in all of them, and so are the heads' outputs.
type Precision string

// Precisions.
const (
	BF16 Precision = "bf16" // 7 bits of mantissa: the fastest
	TF32 Precision = "tf32" // 10 bits of mantissa, fp32's range
	FP32 Precision = "fp32" // fp32 throughout, a layer a launch: slow, the reference
)

// Validate says whether there is such a precision.
func (p Precision) Validate() error {
	switch p {
	case BF16, TF32, FP32:
		return nil
	}
	return fmt.Errorf("inference on a device: no precision is called %q; there are bf16, tf32, fp32", string(p))
}

// Element is the size in bytes of an activation and of a weight.
func (p Precision) Element() int {
	if p == BF16 {
		return 2
	}
	return 4
}

// stepBytes is a row's share of a step of a matrix product (STEP_BYTES in element.h).
const stepBytes = 32

// step is the number of channels of a step.
func (p Precision) step() int { return stepBytes / p.Element() }
