package configs

import (
	"math"
	"testing"
)

func TestExplore(t *testing.T) {
	for _, test := range []struct {
		end                   float64
		iteration, iterations int
		want                  float64
	}{
		{1, 0, 101, 0},
		{1, 25, 101, 0.25},
		{1, 100, 101, 1},
		{1, 120, 101, 1},
		{0.4, 3, 5, 0.3},
		{0.75, 0, 1, 0.75},
		{0.75, 0, 0, 0.75},
	} {
		d := Descent{ExploreEnd: test.end}
		if got := d.Explore(test.iteration, test.iterations); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("to %v: Explore(%d, %d) = %v, want %v",
				test.end, test.iteration, test.iterations, got, test.want)
		}
	}
}
