package compare

import (
	"math"
	"testing"
)

// TestFigureOf: the interval is Student's.
func TestFigureOf(t *testing.T) {
	f := figureOf("x", []float64{1, 2, 3, 6})
	// sd = sqrt(14/3); t(0.975, 3) = 3.18245.
	if want := 3.18245 * math.Sqrt(14.0/3) / 2; f.Mean != 3 || f.CI95 == nil ||
		math.Abs(*f.CI95-want) > 1e-4 || math.Abs(*f.SD-math.Sqrt(14.0/3)) > 1e-12 {
		t.Errorf("%+v, %v", f, f.CI95)
	}
	if f := figureOf("x", []float64{5}); f.Mean != 5 || f.N != 1 || f.CI95 != nil {
		t.Errorf("%+v", f)
	}
}
