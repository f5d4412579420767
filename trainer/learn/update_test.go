package learn

import (
	"math"
	"slices"
	"testing"

	"tengen/internal/random"
)

// TestOrderOfSamples: an epoch has every sample once, in an order that follows from the seed; draws
// are with replacement. In both every sample is as likely at each place.
func TestOrderOfSamples(t *testing.T) {
	const n, each = 6, 2000
	through := permutation{rng: random.New(1, random.Test), n: n}
	again := permutation{rng: random.New(1, random.Test), n: n}
	drawn := draws{random.New(2, random.Test), n}
	var places, values [n]int
	for epoch := range each * n {
		var order []int
		for i := range n {
			x := through.next()
			if y := again.next(); x != y {
				t.Fatalf("the same seed gives %d and %d", x, y)
			}
			if order = append(order, x); x == 0 {
				places[i]++
			}
			values[drawn.next()]++
		}
		slices.Sort(order)
		if !slices.Equal(order, []int{0, 1, 2, 3, 4, 5}) {
			t.Fatalf("epoch %d has %d", epoch, order)
		}
	}
	for i := range n {
		if math.Abs(float64(places[i])-each) > 5*math.Sqrt(each) {
			t.Errorf("sample 0 comes to place %d %d times, %d expected", i, places[i], each)
		}
		if math.Abs(float64(values[i])-n*each) > 5*math.Sqrt(n*each) {
			t.Errorf("sample %d is drawn %d times, %d expected", i, values[i], n*each)
		}
	}
}
