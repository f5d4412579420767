package arena

import (
	"math"
	"testing"

	"tengen/internal/random"
)

// TestTallyAgainstLists: all figures agree with those computed from lists of all observations.
func TestTallyAgainstLists(t *testing.T) {
	for _, c := range []struct{ players, seats int }{{2, 2}, {2, 3}, {3, 3}, {4, 2}, {3, 1}} {
		seatings, err := Seatings(c.players, c.seats)
		if err != nil {
			t.Fatal(err)
		}
		tally := newTally(c.players, c.seats, seatings, true, 0, 3)
		rng := random.New(3, random.Test, uint64(c.players), uint64(c.seats))
		var rounds [][]Result
		for r := range 20 {
			round := make([]Result, len(seatings))
			for i := range round {
				round[i] = Result{
					Number: r*len(seatings) + i, Seating: i, Scores: make([]float32, c.seats),
					Line: rng.Uint64(),
				}
				for s := range c.seats {
					round[i].Scores[s] = float32(rng.IntN(4))
				}
			}
			tally.add(round)
			rounds = append(rounds, round)
		}
		// mean returns the mean of f over all seats, or pairs of seats, of all games.
		mean := func(f func(g *Result, seating []int) (sum float64, n int)) float64 {
			sum, n := 0.0, 0
			for _, round := range rounds {
				for i := range round {
					x, k := f(&round[i], seatings[i])
					sum, n = sum+x, n+k
				}
			}
			return sum / float64(n)
		}
		near := func(what string, got Estimate, want float64) {
			if got.N() > 0 && math.Abs(got.Mean()-want) > 1e-9 ||
				got.N() == 0 && !math.IsNaN(want) {
				t.Errorf("%d players, %d seats: %s is %g, want %g",
					c.players, c.seats, what, got.Mean(), want)
			}
		}
		for p := range c.players {
			near("points", tally.pointsOfAll[p], mean(func(
				g *Result, seating []int,
			) (sum float64, n int) {
				for s, q := range seating {
					if q == p {
						sum, n = sum+float64(g.Scores[s]), n+1
					}
				}
				return sum, n
			}))
			near("wins in the last seat", tally.wins[p][c.seats-1], mean(func(
				g *Result, seating []int,
			) (sum float64, n int) {
				if seating[c.seats-1] == p {
					return winShare(g.Scores, c.seats-1), 1
				}
				return 0, 0
			}))
			for q := range c.players {
				if p == q {
					continue
				}
				near("dominance", tally.above[p][q], mean(func(
					g *Result, seating []int,
				) (sum float64, n int) {
					for a := range seating {
						for b := range seating {
							if seating[a] == p && seating[b] == q {
								n++
								if g.Scores[a] > g.Scores[b] {
									sum++
								}
								if g.Scores[a] == g.Scores[b] {
									sum += 0.5
								}
							}
						}
					}
					return sum, n
				}))
				if got := tally.above[p][q].Mean() + tally.above[q][p].Mean(); c.seats > 1 &&
					math.Abs(got-1) > 1e-9 {
					t.Errorf("%d players, %d seats: %d before %d and %d before %d: together %g",
						c.players, c.seats, p, q, q, p, got)
				}
			}
		}
		if c.players == 2 && c.seats == 2 {
			for i, got := range tally.pairs {
				want := (winShare(rounds[i][0].Scores, 0) + winShare(rounds[i][1].Scores, 1)) / 2
				if got != want {
					t.Errorf("pair %d: %g, want %g", i, got, want)
				}
			}
		}
		// A round that repeats an earlier one is added to the number of games only.
		counted := tally.counted
		tally.add(rounds[3])
		if tally.counted != counted || tally.rounds != 21 || len(tally.seen) != 20 ||
			tally.games != 21*len(seatings) {
			t.Errorf("a repeated round: %d counted, %d seen, %d rounds",
				tally.counted, len(tally.seen), tally.rounds)
		}
		tally.once = false
		tally.add(rounds[3])
		if tally.counted != counted+1 {
			t.Error("a repeated round is not counted where players draw")
		}
	}
}
