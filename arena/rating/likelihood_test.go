package rating

import (
	"math"
	"math/rand/v2"
	"testing"

	"tengen/internal/random"
)

// anyGames returns games of 2 to 4 seats among 4 players with every kind of tie, some
// players in several seats, and games of a player against itself.
func anyGames(rng *rand.Rand, n int) []Game {
	games := make([]Game, n)
	for i := range games {
		seats := 2 + rng.IntN(3)
		for range seats {
			games[i].Players = append(games[i].Players, rng.IntN(4))
			games[i].Scores = append(games[i].Scores, float64(rng.IntN(3)))
		}
		if i%7 == 0 {
			for s := range games[i].Players {
				games[i].Players[s] = games[i].Players[0]
			}
		}
	}
	return games
}

// asNaive returns the definition of the model at beta.
func asNaive(m *model, beta []float64) *naive {
	n := &naive{}
	for _, i := range m.player {
		n.elo = append(n.elo, eloPerNat*value(beta, [2]int{i, none}))
	}
	for _, i := range m.seat {
		n.seats = append(n.seats, eloPerNat*value(beta, [2]int{i, none}))
	}
	for r := range n.delta {
		for _, subset := range m.subsets[r] {
			t := 0
			for ; subset != 0; subset &= subset - 1 {
				t++
			}
			n.delta[r][t] = math.Exp(value(beta, [2]int{m.tie[r][t], none}))
		}
		for t := range n.delta[r] {
			if m.sized[r][t] != nil && n.delta[r][t] == 0 {
				n.delta[r][t] = math.SmallestNonzeroFloat32 // any value: it cancels
			}
		}
	}
	return n
}

func TestLikelihoodAgainstDefinition(t *testing.T) {
	rng := random.New(1, random.Test, 1)
	for round := range 20 {
		games := anyGames(rng, 60)
		seats := round%2 == 0
		m := newModel(4, games, Options{Anchor: round % 4, Seats: seats})
		beta := make([]float64, m.dim)
		constant := math.NaN()
		for range 3 {
			for i := range beta {
				beta[i] = rng.NormFloat64()
			}
			n := asNaive(m, beta)
			want := n.prior(n.elo, eloPerNat*beta[m.absent[0]], 0.7)
			if seats {
				want += n.prior(n.seats, eloPerNat*beta[m.absent[1]], 0.7)
			}
			for _, g := range games {
				want += math.Log(n.probability(g))
			}
			difference := m.logLikelihood(beta, 0.7, newDerivatives(m.dim)) - want
			if seats && math.Abs(difference) > 1e-8 {
				t.Fatalf("round %d: log-likelihood is off by %g", round, difference)
			}
			// If seats are not estimated, a player's games with itself add a constant.
			if !math.IsNaN(constant) && math.Abs(difference-constant) > 1e-8 {
				t.Fatalf("round %d: log-likelihood is off by %g, and by %g elsewhere",
					round, difference, constant)
			}
			constant = difference
		}
	}
}

func TestDerivativesAgainstDifferences(t *testing.T) {
	rng := random.New(1, random.Test, 2)
	for round := range 6 {
		m := newModel(4, anyGames(rng, 60), Options{Anchor: 1, Seats: round%2 == 0})
		beta := make([]float64, m.dim)
		for i := range beta {
			beta[i] = rng.NormFloat64()
		}
		d, up, down := newDerivatives(m.dim), newDerivatives(m.dim), newDerivatives(m.dim)
		m.logLikelihood(beta, 0.5, d)
		const h = 1e-5
		for i := range beta {
			x := beta[i]
			beta[i] = x + h
			above := m.logLikelihood(beta, 0.5, up)
			beta[i] = x - h
			below := m.logLikelihood(beta, 0.5, down)
			beta[i] = x
			if slope := (above - below) / (2 * h); math.Abs(slope-d.gradient[i]) > 1e-6 {
				t.Errorf("round %d: slope %d is %g, want %g", round, i, d.gradient[i], slope)
			}
			for j := range beta {
				bend := -(up.gradient[j] - down.gradient[j]) / (2 * h)
				if math.Abs(bend-d.information[i*m.dim+j]) > 1e-6 {
					t.Errorf("round %d: information [%d, %d] is %g, want %g",
						round, i, j, d.information[i*m.dim+j], bend)
				}
			}
		}
	}
}

// TestEstimateAgainstSearch compares with the maximum of the definition found
// coordinate by coordinate with decreasing steps.
func TestEstimateAgainstSearch(t *testing.T) {
	rng := random.New(1, random.Test, 3)
	for round := range 3 {
		games := anyGames(rng, 25)
		m := newModel(4, games, Options{Seats: round == 1})
		at := func(beta []float64) float64 {
			n := asNaive(m, beta)
			sum := n.prior(n.elo, eloPerNat*beta[m.absent[0]], priorGames)
			if n.seats != nil {
				sum += n.prior(n.seats, eloPerNat*beta[m.absent[1]], priorGames)
			}
			for _, g := range games {
				sum += math.Log(n.probability(g))
			}
			return sum
		}
		beta := make([]float64, m.dim)
		best := at(beta)
		for step := 1.0; step > 1e-5; {
			improved := false
			for i := range beta {
				for _, sign := range []float64{1, -1} {
					beta[i] += sign * step
					if x := at(beta); x > best {
						best, improved = x, true
					} else {
						beta[i] -= sign * step
					}
				}
			}
			if !improved {
				step /= 2
			}
		}
		got, _ := m.maximise(make([]float64, m.dim), priorGames, none, m.tolerance())
		for i := range got {
			if math.Abs(got[i]-beta[i]) > 1e-3 {
				t.Errorf("round %d: coordinate %d is %g, want %g", round, i, got[i], beta[i])
			}
		}
	}
}
