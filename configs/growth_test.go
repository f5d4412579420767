package configs

import (
	"math/rand/v2"
	"testing"
)

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
