package configs

import (
	"math"
	"math/rand/v2"
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

func TestWindow(t *testing.T) {
	k := Replay{Games: 250_000, Growth: 0.4} // KataGo's
	for games, want := range map[int]int{
		0: 250_000, 250_000: 250_000,
		4_000_000:  1_183_333, // 250,000 · (1 + 0.4·(16^0.75 - 1)/0.75) with 16^0.75 = 8
		64_000_000: 8_650_000, // 256^0.75 = 64
	} {
		if got := k.Window(games); got < want-1 || got > want+1 {
			t.Errorf("after %d games the window has %d, want %d", games, got, want)
		}
	}
	if got := (Replay{Games: 20}).Window(1e6); got != 20 {
		t.Errorf("without growth the window has %d games", got)
	}
}

// TestWindowKeeps: the window never takes back a game that has left it, and never shrinks.
func TestWindowKeeps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		r := Replay{Games: 1 + rng.IntN(500), Growth: rng.Float64()}
		if rng.IntN(4) == 0 {
			r.Growth = 1
		}
		first, size := 0, 0
		for games := range 5000 {
			now := r.Window(games)
			// Rounding down may skip a game; never two.
			if from := max(0, games-now); from < first-1 || now < size || now < r.Games ||
				now > max(r.Games, games) {
				t.Fatalf("%+v: after %d games the window has %d and begins at %d; before %d, %d",
					r, games, now, from, size, first)
			} else {
				first, size = from, now
			}
		}
	}
}
