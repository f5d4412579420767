package turtle

import (
	"context"
	"errors"
	"testing"

	"tengen/internal/random"
)

// With u of the five on an unstacked start, where there is no order, the other m = 5 -
// u stand in stacks on s squares: s·(s+1)·…·(s+m-1) ways, as each one added stands on
// an empty square or on one of those before it. On a stacked start all five are
// stacked.
func boards(squares int, stacked bool) int {
	ways := func(m, s int) int {
		n := 1
		for i := range m {
			n *= s + i
		}
		return n
	}
	if stacked {
		return ways(5, squares)
	}
	n := 0
	for m, choose := range []int{1, 5, 10, 10, 5, 1} {
		n += choose * ways(m, squares-1)
	}
	return n
}

func TestCountPositions(t *testing.T) {
	for _, c := range []struct {
		game          string
		squares       int
		stacked       bool
		printed, with uint64
	}{
		{"turtle", 10, false, 3000, 3120},
		{"turtle:squares=3", 3, false, 120 * 4, 120 * 5},
		{"turtle:squares=5,start=stacked", 5, true, 120 * 10, 120 * 11},
	} {
		counts, err := made(t, c.game).CountPositions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all, on := uint64(boards(c.squares, c.stacked)), uint64(boards(c.squares-1, c.stacked))
		for i, want := range []uint64{all, on, all - on, c.printed, c.with} {
			if counts[i].N != want {
				t.Errorf("%s: %s: %d; want %d", c.game, counts[i].Name, counts[i].N, want)
			}
		}
	}
	if n, on := boards(10, false), boards(9, false); n != 224_686 || on != 142_601 {
		t.Errorf("there are %d boards, %d of them not finished", n, on)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := made(t, "turtle").CountPositions(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a count that was cancelled gives %v", err)
	}
}

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
