package interval

import "math"

// OrNull returns a pointer to x, or nil if x is NaN or infinite.
func OrNull(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}
