package trainer

import (
	"errors"
	"fmt"
	"math"

	"tengen/nn/train"
)

// nonFiniteError says which number of an update is NaN or infinite.
type nonFiniteError struct{ text string }

func (e *nonFiniteError) Error() string { return e.text }

// asNonFinite returns the nonFiniteError that err is or wraps, or that describes the
// train.NotFiniteError that it wraps; otherwise nil.
func asNonFinite(err error) *nonFiniteError {
	var found *nonFiniteError
	if errors.As(err, &found) {
		return found
	}
	var step *train.NotFiniteError
	if errors.As(err, &step) {
		return &nonFiniteError{fmt.Sprintf("training step %d: %s", step.Step, step.What)}
	}
	return nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
