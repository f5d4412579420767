package configs

import (
	"math"
	"testing"
)

func TestExplore(t *testing.T) {
	for _, test := range []struct {
		start, end            float64
		iteration, iterations int
		want                  float64
	}{
		{0, 1, 0, 101, 0},
		{0, 1, 25, 101, 0.25},
		{0, 1, 100, 101, 1},
		{0, 1, 120, 101, 1},
		{0.5, 0.1, 0, 5, 0.5},
		{0.5, 0.1, 3, 5, 0.2},
		{0.5, 0.1, 4, 5, 0.1},
		{0.25, 0.75, 0, 1, 0.75},
		{0.25, 0.75, 0, 0, 0.75},
	} {
		d := Descent{ExploreStart: test.start, ExploreEnd: test.end}
		if got := d.Explore(test.iteration, test.iterations); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("from %v to %v: Explore(%d, %d) = %v, want %v", test.start, test.end, test.iteration, test.iterations, got, test.want)
		}
	}
}
