package rating

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"tengen/internal/random"
)

// definedScores is model.scores from the definition, by differences: a game's or a group's gradient
// is a sample, the variance of whose mean has n-1 in place of n.
func definedScores(m *model, games []Game, beta []float64) []float64 {
	samples := map[int][]float64{}
	for number, g := range games {
		key := -1 - number
		if g.Group != 0 {
			key = g.Group
		}
		if samples[key] == nil {
			samples[key] = make([]float64, m.dim)
		}
		const h = 1e-5
		for i := range beta {
			at := func(by float64) float64 {
				moved := append([]float64(nil), beta...)
				moved[i] += by
				return math.Log(asNaive(m, moved).probability(g))
			}
			samples[key][i] += (at(h) - at(-h)) / (2 * h)
		}
	}
	sum, n := make([]float64, m.dim*m.dim), float64(len(samples))
	for _, g := range samples {
		for i := range g {
			for j := range g {
				sum[i*m.dim+j] += g[i] * g[j] * n / (n - 1)
			}
		}
	}
	return sum
}

// TestIntervalsAgainstTheDefinition: at a bound the likelihood, at its greatest for that rating,
// has lost what χ² allows, times the robust variance over the model's.
func TestIntervalsAgainstTheDefinition(t *testing.T) {
	rng := random.New(1, random.Test, 5)
	finite, widened := 0, 0
	for round := range 6 {
		games := anyGames(rng, 80)
		for i := range games {
			switch {
			case round >= 4: // games that repeat each other tell less than they seem to
				games[i] = games[i/8*8]
				games[i].Group = 1 + i/8
			case i%3 == 0:
				games[i].Group = 1 + i/12
			}
		}
		m := newModel(4, games, Options{Anchor: round % 4, Seats: round%2 == 0})
		in := newIntervals(m)
		want := definedScores(m, games, in.estimate)
		for i := range want {
			if math.Abs(in.scores[i]-want[i]) > 1e-5*(1+math.Abs(want[i])) {
				t.Fatalf("round %d: sum [%d, %d] of the gradients' products is %g, want %g",
					round, i/m.dim, i%m.dim, in.scores[i], want[i])
			}
		}
		for _, c := range append(append([]int(nil), m.player...), m.seat...) {
			if r := in.rating(c, 100); c == none {
				if r != (Rating{Elo: 100, Low: 100, High: 100}) {
					t.Errorf("round %d: the anchor has %+v", round, r)
				}
				continue
			}
			unit := make([]float64, m.dim)
			unit[c] = 1
			column := in.at.solve(unit)[0]
			robust := 0.0
			for i, x := range column {
				for j, y := range column {
					robust += x * y * want[i*m.dim+j]
				}
			}
			widening := robust / column[c]
			if widening > 1 {
				widened++
			}
			allowed := math.Sqrt(chi2 * max(1, widening))
			r := in.rating(c, 100)
			if !(r.Low < r.Elo && r.Elo < r.High) ||
				math.Abs(r.Elo-100-eloPerNat*in.estimate[c]) > 1e-9 {
				t.Errorf("round %d, coordinate %d: %+v", round, c, r)
			}
			for _, bound := range []float64{r.Low, r.High} {
				if math.IsInf(bound, 0) {
					continue
				}
				finite++
				start := append([]float64(nil), in.estimate...)
				start[c] = (bound - 100) / eloPerNat
				_, value := m.maximise(start, priorGames, c, m.tolerance())
				if lost := math.Sqrt(2 * (in.greatest - value)); math.Abs(lost-allowed) > 1e-3 {
					t.Errorf(
						"round %d, coordinate %d: at %g the root of twice the loss is %g, want %g",
						round, c, bound, lost, allowed)
				}
			}
		}
	}
	if finite < 30 || widened < 5 {
		t.Errorf("%d bounds are finite, %d intervals widened", finite, widened)
	}
}

// TestBoundsWithinReach: of a few games a bound is infinite where the games alone allow all that is
// within reach of their own estimate. As the likelihood is concave, it is enough to look there.
func TestBoundsWithinReach(t *testing.T) {
	rng := random.New(1, random.Test, 6)
	finite, infinite, far := 0, 0, 0
	for round := range 14 {
		games := anyGames(rng, 3+round)
		m := newModel(4, games, Options{})
		in := newIntervals(m)
		for _, c := range m.player[1:] {
			unit := make([]float64, m.dim)
			unit[c] = 1
			column := in.at.solve(unit)[0]
			allowed := math.Sqrt(chi2 * in.widening(c, column))
			loss := func(x float64) float64 {
				start := append([]float64(nil), in.traceEstimate...)
				start[c] = x
				_, value := m.maximise(start, traceGames, c, m.tolerance())
				return math.Sqrt(2*(in.traceGreatest-value)) - allowed
			}
			r := in.rating(c, 0)
			for i, got := range []float64{r.Low, r.High} {
				side, start := float64(2*i-1), in.traceEstimate[c]
				near, reached := 2*got/eloPerNat-in.estimate[c], loss(start+side*reach) > 0
				switch {
				case math.IsInf(got, int(side)):
					infinite++
					if reached {
						t.Errorf("round %d, coordinate %d: bound %g, which the games set",
							round, c, got)
					}
					continue
				case !reached && !(side*(near-start) > reach && loss(near) > 0):
					t.Errorf("round %d, coordinate %d: bound %g, which the games do not set",
						round, c, got)
				case side*(near-start) < 0 || loss(near) < 0:
					far++
				}
				finite++
			}
		}
	}
	if finite < 20 || infinite < 20 || far < 3 {
		t.Errorf("%d bounds are finite, of which %d by games far off; %d are infinite",
			finite, far, infinite)
	}
}

// TestNewtonAgainstSearch: Newton's method finds the bounds that the search for the root finds, and
// sets no other; and the systems that it solves are those of the dense factorization.
func TestNewtonAgainstSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found, all := 0, 0
	for round := range 12 {
		players, games := 4, anyGames(rng, 60)
		if round%3 == 0 {
			players, games = 9, evaluated(8, 2+round%2, 12, 3)
		}
		m := newModel(players, games, Options{Seats: true})
		in := newIntervals(m)
		b := mat.NewVecDense(m.dim, nil)
		for i := range m.dim {
			b.SetVec(i, rng.NormFloat64())
		}
		var want mat.VecDense
		if err := want.SolveVec(mat.NewSymDense(m.dim, slices.Clone(in.at.information)),
			b); err != nil {
			t.Fatal(err)
		}
		for i, x := range in.at.solve(b.RawVector().Data)[0] {
			near(t, "a solution", x, want.AtVec(i), 1e-8*(1+math.Abs(want.AtVec(i))))
		}
		for c := range m.dim {
			unit := make([]float64, m.dim)
			unit[c] = 1
			column := in.at.solve(unit)[0]
			allowed := math.Sqrt(chi2 * in.widening(c, column))
			p := &profile{in.m, c, column, priorGames, in.estimate, in.greatest, allowed}
			for _, side := range []float64{-1, 1} {
				want := p.bound(side)
				all++
				beta, x := p.newton(side, nil)
				if beta == nil {
					continue // the search decides
				}
				found++
				if !(math.Abs(x-want) <= 10*precision*allowed*math.Sqrt(column[c])) {
					t.Errorf("round %d, coordinate %d: bound %v, want %v", round, c, x, want)
				}
				// To far more digits: the others are at their maximum, and the loss is as allowed.
				if e := p.excess(x, slices.Clone(beta)); !(math.Abs(e) < 1e-6) {
					t.Errorf("round %d, coordinate %d: at the bound the excess is %v", round, c, e)
				}
			}
		}
	}
	if found < all*3/4 {
		t.Errorf("it finds %d of %d bounds", found, all)
	}
}
