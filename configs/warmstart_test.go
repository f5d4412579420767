package configs

import (
	"math"
	"testing"
)

func TestEpsilon(t *testing.T) {
	paper := WarmStart{Start: 0.5}
	for _, test := range []struct {
		schedule   WarmStartSchedule
		iteration  int
		iterations int
		want       float64
	}{
		{"formula", 0, 50, 0.5},
		{"formula", 10, 50, 0.3},
		{"formula", 22, 50, 0.06},
		{"formula", 23, 50, 0.05},
		{"formula", 50, 50, 0.05},
		{"formula", 0, 0, 0.05},
		{"linear", 0, 50, 0.5},
		{"linear", 25, 50, 0.275},
		{"linear", 49, 50, 0.059},
		{"linear", 50, 50, 0.05},
		{"linear", 70, 50, 0.05},
		{"constant", 0, 50, 0.5},
		{"constant", 49, 50, 0.5},
		{"none", 0, 50, 0},
	} {
		w := paper
		w.Schedule = test.schedule
		if got := w.Epsilon(test.iteration, test.iterations); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: Epsilon(%d, %d) = %v, want %v",
				test.schedule, test.iteration, test.iterations, got, test.want)
		}
	}
	low := WarmStart{Schedule: WarmStartLinear, Start: 0.01}
	if a, b := low.Epsilon(0, 10), low.Epsilon(10, 10); a != 0.01 || b != 0.01 {
		t.Errorf("a start below the floor: %v, then %v", a, b)
	}
}
