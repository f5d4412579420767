package rating_test

import (
	"math"
	"testing"

	"tengen/arena/rating"
)

func TestWilson(t *testing.T) {
	for _, c := range []struct {
		rate      float64
		n         int
		low, high float64 // where (p - rate)²·n = z²·p·(1 - p), found by bisection
	}{
		{0.8, 10, 0.4901624715, 0.9433178485},
		{0, 10, 0, 0.2775327999},
		{0.5, 500, 0.4563412653, 0.5436587347},
	} {
		low, high := rating.Wilson(c.rate, c.n)
		if math.Abs(low-c.low) > 1e-9 || math.Abs(high-c.high) > 1e-9 {
			t.Errorf("%v of %d games: %v to %v, want %v to %v", c.rate, c.n, low, high, c.low, c.high)
		}
	}
	// Newcombe 1998, table I, method 3.
	if low, high := rating.Wilson(81./263, 263); math.Abs(low-0.2553) > 5e-5 || math.Abs(high-0.3662) > 5e-5 {
		t.Errorf("81 of 263: %v to %v, want 0.2553 to 0.3662", low, high)
	}
}
