package rating

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/internal/random"
)

// truths are players with known ratings, and distributions of their finishes.
var truths = []struct {
	name  string
	model func() *naive
	games int
	// change applies the game's rules to an order of finish.
	change func(rng *rand.Rand, g *Game)
	// copies is how often each game is repeated, in a group.
	copies int
}{
	{name: "no ties", games: 300, model: func() *naive { return noTies(0, 100, 250, -150) }},
	{name: "ties", games: 300, model: func() *naive { return withTies(0, 100, 250, -150) }},
	{name: "ties and seats", games: 300, model: func() *naive {
		n := withTies(0, 100, 250, -150)
		n.seats = []float64{0, -60, 90}
		return n
	}},
	{name: "losers tie", games: 300, model: func() *naive { return noTies(0, 100, 250, -150) },
		change: func(_ *rand.Rand, g *Game) { losersTie(g) }},
	{name: "losers tie at random", games: 300, model: func() *naive {
		return noTies(0, 100, 250, -150)
	},
		change: func(rng *rand.Rand, g *Game) {
			if rng.IntN(2) == 0 {
				losersTie(g)
			}
		}},
	{name: "groups", games: 200, copies: 3, model: func() *naive {
		return withTies(0, 100, 250, -150)
	}},
	{name: "few games", games: 30, model: func() *naive { return withTies(0, 100, 250) }},
}

// withTies returns a model with many ties: of the first two, of all three, of the last two.
func withTies(elo ...float64) *naive {
	n := noTies(elo...)
	n.delta[3][2], n.delta[3][3], n.delta[2][2] = 0.3, 0.4, 1
	return n
}

// losersTie keeps only the first place.
func losersTie(g *Game) {
	for s, score := range g.Scores {
		if score < float64(len(g.Scores)) {
			g.Scores[s] = 0
		}
	}
}

// coverage returns how often the truth lies in the interval: for each player except
// the anchor, then for each seat except the first.
func coverage(t *testing.T, truth, repetitions int) []float64 {
	t.Helper()
	c := truths[truth]
	var inside []float64
	for repetition := range repetitions {
		rng := random.New(1, random.Test, 10, uint64(truth), uint64(repetition))
		n := c.model()
		var games []Game
		for i := range c.games {
			// In a sixth of the games a player holds two seats.
			p := rng.Perm(len(n.elo))[:3]
			if rng.IntN(4) == 0 {
				p[rng.IntN(3)] = p[rng.IntN(3)]
			}
			g := n.play(rng, p)
			if c.change != nil {
				c.change(rng, &g)
			}
			if c.copies > 0 {
				g.Group = i + 1
			}
			for range max(1, c.copies) {
				games = append(games, g)
			}
		}
		r, err := Fit(len(n.elo), games, Options{Seats: n.seats != nil})
		if err != nil {
			t.Fatal(err)
		}
		got, want := r.Ratings[1:], n.elo[1:]
		if n.seats != nil {
			got, want = slices.Concat(got, r.Seats[1:]), slices.Concat(want, n.seats[1:])
		}
		if inside == nil {
			inside = make([]float64, len(got))
		}
		for i, x := range got {
			if x.Low <= want[i] && want[i] <= x.High {
				inside[i] += 1 / float64(repetitions)
			}
		}
	}
	return inside
}

// TestCoverage uses 60 repetitions for each truth. A mean coverage below 0.90 is very
// unlikely: 0.95 has a standard error of less than 0.02.
func TestCoverage(t *testing.T) {
	for i, c := range truths {
		sum := 0.0
		inside := coverage(t, i, 60)
		for _, x := range inside {
			sum += x
		}
		if mean := sum / float64(len(inside)); mean < 0.90 {
			t.Errorf("%s: truth inside the 95 %% interval in %.3f", c.name, mean)
		}
	}
}
