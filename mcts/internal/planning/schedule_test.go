package planning

import (
	"math"
	"slices"
	"testing"
)

// sequence is the sequence of considered visits as the definition of mctx words it: the visits
// of all considered actions are listed, phase after phase.
func sequence(m, n int) []int32 {
	var list []int32
	if m <= 1 {
		for i := range n {
			list = append(list, int32(i))
		}
		return list
	}
	phases := math.Ceil(math.Log2(float64(m)))
	visits := make([]int32, m)
	for k := m; len(list) < n; k = max(2, k/2) {
		for range max(1, int(float64(n)/(phases*float64(k)))) {
			for j := range k {
				list = append(list, visits[j])
				visits[j]++
			}
		}
	}
	return list[:n]
}

// TestPublishedSequences holds sequence to the examples in mctx's seq_halving_test.py: runs of
// equal numbers are written as {number, times}.
func TestPublishedSequences(t *testing.T) {
	for _, test := range []struct {
		m, n int
		runs [][2]int
	}{
		{8, 24, [][2]int{{0, 8}, {1, 4}, {2, 4}, {3, 2}, {4, 2}, {5, 2}, {6, 2}}},
		{8, 47, [][2]int{
			{0, 8}, {1, 4}, {2, 4}, {3, 4}, {4, 2}, {5, 2}, {6, 2}, {7, 2}, {8, 2}, {9, 2}, {10, 2},
			{11, 2}, {12, 2}, {13, 2}, {14, 2}, {15, 2}, {16, 2}, {17, 1},
		}},
		{8, 2, [][2]int{{0, 2}}},
		{8, 13, [][2]int{{0, 8}, {1, 4}, {2, 1}}},
		{7, 24, [][2]int{{0, 7}, {1, 3}, {2, 3}, {3, 2}, {4, 2}, {5, 2}, {6, 2}, {7, 2}, {8, 1}}},
		{0, 3, [][2]int{{0, 1}, {1, 1}, {2, 1}}},
		{1, 3, [][2]int{{0, 1}, {1, 1}, {2, 1}}},
	} {
		var want []int32
		for _, run := range test.runs {
			for range run[1] {
				want = append(want, int32(run[0]))
			}
		}
		if got := sequence(test.m, test.n); !slices.Equal(got, want) {
			t.Errorf("%d actions, %d simulations:\n%v, want\n%v", test.m, test.n, got, want)
		}
	}
}

func TestConsidered(t *testing.T) {
	for m := range 40 {
		for n := range 300 {
			for i, want := range sequence(m, n) {
				if got := considered(m, n, i); got != want {
					t.Fatalf("%d actions: simulation %d of %d wants %d visits, not %d",
						m, i, n, got, want)
				}
			}
		}
	}
}

func TestAuto(t *testing.T) {
	for n, want := range map[int]int{
		0: 8, 1: 1, 2: 2, 7: 2, 8: 4, 16: 4, 23: 4, 24: 8, 32: 8, 63: 8, 64: 16, 1000: 16,
	} {
		if got := auto(n); got != want {
			t.Errorf("%d actions are considered in %d simulations, not %d", got, n, want)
		}
	}
}

// TestRound: in a round each phase has as many visits as the first, for powers of two.
func TestRound(t *testing.T) {
	for m, want := range []int{1, 1, 2, 6, 8, 15, 18, 21, 24} {
		if got := round(m); got != want {
			t.Errorf("a round of %d actions has %d simulations, not %d", m, got, want)
		}
	}
	var got []int32
	for i := range round(8) {
		got = append(got, considered(8, round(8), i))
	}
	if want := []int32{
		0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6,
	}; !slices.Equal(got, want) {
		t.Errorf("a round of 8 actions is %v, not %v", got, want)
	}
}
