package lab

import (
	"slices"
	"testing"

	"tengen/run/history"
)

// TestLess: a curve less another, at the points that both have.
func TestLess(t *testing.T) {
	a := []history.Point{{X: 1, Y: 5}, {X: 2, Y: 6}, {X: 4, Y: 7}}
	got := less(a, []history.Point{{X: 0, Y: 9}, {X: 2, Y: 1}, {X: 3, Y: 9}, {X: 4, Y: 2}})
	if want := []history.Point{{X: 1, Y: 5}, {X: 2, Y: 5}, {X: 4, Y: 5}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if a[1].Y != 6 {
		t.Error("the curve itself was changed")
	}
}
