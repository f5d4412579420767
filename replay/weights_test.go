package replay

import (
	"math"
	"testing"

	"tengen/internal/stream"
)

// TestSurpriseWeights: positions are in the window as often as their surprise says, on average;
// those of held-out games once, and so are those of the other seats.
func TestSurpriseWeights(t *testing.T) {
	const share = 0.5
	games := playMany(600, 6)
	rng := stream.New(1, stream.Test)
	for _, g := range games {
		for i := range g.Moves {
			if m := &g.Moves[i]; len(m.Visits) > 0 && m.Mover == 0 {
				m.Surprise = float32(rng.ExpFloat64())
			}
		}
	}
	config := WindowConfig{Capacity: 1000, HeldOut: 0.2, Seed: 5}
	plain := newWindow(t, config)
	config.Surprise = share
	x, again := newWindow(t, config), newWindow(t, config)
	for i, g := range games {
		for _, w := range []*Window{plain, x} {
			if err := w.Add(g); err != nil {
				t.Fatal(err)
			}
		}
		if i >= 300 { // a window that begins later lists the same samples
			if err := again.Add(g); err != nil {
				t.Fatal(err)
			}
		}
	}
	if plain.Positions(true) != x.Positions(true) {
		t.Errorf("%d samples are held out, want %d", x.Positions(true), plain.Positions(true))
	}
	counts := map[Sample]int{}
	for _, s := range x.Samples(false) {
		counts[s]++
	}
	late := x.Samples(false)[x.Positions(false)-again.Positions(false):]
	for i, s := range again.Samples(false) {
		if late[i] != s {
			t.Fatalf("sample %d of a window that begins later is another", i)
		}
	}
	expected, got, variance, weighted := 0.0, 0, 0.0, 0
	for _, s := range plain.Samples(false) {
		m := &s.Game.Moves[s.Ply]
		if s.Game.Seats[m.Mover].Kind != Network || len(m.Visits) == 0 {
			if counts[s] != 1 {
				t.Fatalf("game %d, ply %d, without a surprise: %d times", s.Game.Number, s.Ply, counts[s])
			}
			continue
		}
		sum, n := 0.0, 0
		for i := range s.Game.Moves {
			if o := &s.Game.Moves[i]; o.Mover == 0 && len(o.Visits) > 0 {
				sum += float64(o.Surprise)
				n++
			}
		}
		want := 1 - share + share*float64(m.Surprise)*float64(n)/sum
		if d := float64(counts[s]) - want; d <= -1 || d >= 1 {
			t.Fatalf("game %d, ply %d: %d times, for a weight of %v", s.Game.Number, s.Ply, counts[s], want)
		}
		_, rest := math.Modf(want)
		expected, got, variance, weighted = expected+want, got+counts[s], variance+rest*(1-rest), weighted+1
	}
	if math.Abs(float64(got)-expected) > 5*math.Sqrt(variance) || math.Abs(expected-float64(weighted)) > 1e-6*expected {
		t.Errorf("%d copies of %d positions, %v expected", got, weighted, expected)
	}
	if _, err := NewWindow(pairs{}, WindowConfig{Capacity: 1, Surprise: 1.5}); err == nil {
		t.Error("a share of 1.5 is accepted")
	}
}

// TestNoSurprise: records without surprises are weighted alike.
func TestNoSurprise(t *testing.T) {
	a, b := newWindow(t, WindowConfig{Capacity: 50}), newWindow(t, WindowConfig{Capacity: 50, Surprise: 0.5})
	for _, g := range playMany(50, 3) {
		for _, w := range []*Window{a, b} {
			if err := w.Add(g); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a.Positions(false) != b.Positions(false) {
		t.Errorf("%d samples, want %d", b.Positions(false), a.Positions(false))
	}
}
