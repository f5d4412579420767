package configs

import "testing"

// TestShare: the nearest limit says how far a run is.
func TestShare(t *testing.T) {
	c := Config{Training: Training{Iterations: 10, Games: 100}}
	for _, x := range []struct {
		minutes              float64
		evaluations          int
		iteration            int
		asked, seconds, want float64
	}{
		{0, 0, 0, 0, 100, 0},
		{0, 0, 3, 500, 100, 0.3},
		{0, 0, 11, 0, 0, 1},
		{10, 0, 3, 0, 60, 0.3},
		{10, 0, 3, 0, 450, 0.75},
		{10, 0, 3, 0, 4500, 1},
		{0, 1000, 3, 800, 4500, 0.8},
		{10, 1000, 3, 200, 240, 0.4},
	} {
		c.Training.Minutes, c.Training.Evaluations = x.minutes, x.evaluations
		if got := c.Share(x.iteration, x.asked, x.seconds); got != x.want {
			t.Errorf("%+v: %g", x, got)
		}
	}
}
