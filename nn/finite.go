package nn

import (
	"fmt"
	"math"
)

// CheckFinite returns an error that names the first number of the tensors that is NaN or infinite,
// nil if there is none.
func CheckFinite(tensors []Tensor) error {
	for i := range tensors {
		t := &tensors[i]
		if k := firstNotFinite(t.Data); k >= 0 {
			return fmt.Errorf("number %d of %.200s is %g", k, t.Name, t.Data[k])
		}
	}
	return nil
}

// NotFiniteError says that a network, whose numbers may all be finite, gives a position an output
// that is NaN or infinite.
type NotFiniteError struct {
	Output string  // "policy", "value" or "belief"
	Number float32 // the output
}

// Error implements error.
func (e *NotFiniteError) Error() string {
	return fmt.Sprintf(
		"the network's %s for a position is %g; its weights are too large, or damaged",
		e.Output, e.Number)
}

// CheckFinite returns a NotFiniteError if an output of rows 0 to N-1, which a network has filled,
// is NaN or infinite. A batch without a policy has no actions, one without belief no classes. It
// reads every output once and allocates nothing but the error.
func (b *Batch) CheckFinite(actions, players, classes int) error {
	policy, belief := b.Policy, b.Belief
	if len(policy) > 0 {
		policy = policy[:b.N*actions]
	}
	if len(belief) > 0 {
		belief = belief[:b.N*classes]
	}
	for _, o := range [...]struct {
		name    string
		numbers []float32
	}{{"policy", policy}, {"value", b.Values[:b.N*players]}, {"belief", belief}} {
		if !allFinite(o.numbers) {
			return &NotFiniteError{o.name, o.numbers[firstNotFinite(o.numbers)]}
		}
	}
	return nil
}

// exponent is the greatest exponent of a float32, which NaN and infinities alone have.
const exponent = 0x7f800000

// allFinite reports whether no number is NaN or infinite, without a branch for each.
func allFinite(numbers []float32) bool {
	greatest := uint32(0)
	for _, x := range numbers {
		greatest = max(greatest, math.Float32bits(x)&exponent)
	}
	return greatest != exponent
}

// firstNotFinite returns the index of the first number that is NaN or infinite, -1 if there is
// none.
func firstNotFinite(numbers []float32) int {
	for i, x := range numbers {
		if math.Float32bits(x)&exponent == exponent {
			return i
		}
	}
	return -1
}
