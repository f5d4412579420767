package turtle

import (
	"testing"

	"tengen/internal/random"
)

// TestNthOfAPile compares the running sums with counting kind by kind, on piles up to
// the largest possible.
func TestNthOfAPile(t *testing.T) {
	rng := random.New(1, random.Test)
	for range 2000 {
		var p pile
		for range rng.IntN(200) {
			p.add(Card(rng.IntN(Cards)))
		}
		for i := range int(p.n) {
			if got, want := p.nth(i), p.nthFrom(0, i); got != want {
				t.Fatalf("card %d of %v is %v; want %v", i, p.count, got, want)
			}
		}
	}
}
