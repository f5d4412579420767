package arena

import (
	"encoding/json"
	"math"
	"testing"

	"tengen/internal/interval"
	"tengen/internal/random"
)

// TestEstimateAgainstClusters: mean and interval agree with the cluster-robust formula with
// rounds as clusters. The variance of the mean is R/(R−1)·Σ(sum of a round's residuals)² ÷ n².
func TestEstimateAgainstClusters(t *testing.T) {
	rng := random.New(2, random.Test)
	for _, rounds := range []int{2, 7, 300} {
		var e Estimate
		var all [][]float64
		n, sum := 0.0, 0.0
		for range rounds {
			shared := 3 * rng.NormFloat64()
			round := make([]float64, 4)
			for i := range round {
				round[i] = 10 + shared + rng.NormFloat64()
				sum += round[i]
				n++
			}
			e.addRound(round)
			all = append(all, round)
		}
		mean, variance, squares := sum/n, 0.0, 0.0
		for _, round := range all {
			residual := 0.0
			for _, x := range round {
				residual += x - mean
				squares += (x - mean) * (x - mean)
			}
			variance += residual * residual
		}
		variance *= float64(rounds) / float64(rounds-1) / (n * n)
		want := interval.Quantile(float64(rounds-1)) * math.Sqrt(variance)
		if math.Abs(e.Mean()-mean) > 1e-9 || math.Abs(e.CI()-want) > 1e-9 ||
			math.Abs(e.SD()-math.Sqrt(squares/(n-1))) > 1e-9 {
			t.Errorf("%d rounds: %v, want %g ± %g", rounds, &e, mean, want)
		}
		if e.N() != 4*rounds || e.Rounds() != rounds {
			t.Errorf("%d rounds: n %d, rounds %d", rounds, e.N(), e.Rounds())
		}
	}
}

// TestEstimateOfEqualRounds: rounds that were all won, or all drawn, leave room for others.
func TestEstimateOfEqualRounds(t *testing.T) {
	for _, x := range []float64{0.5, 1} {
		e := newEstimate(0, 1)
		for range 4 {
			e.addRound([]float64{x, x})
		}
		if i := e.Interval(); !(0 < i.Low && i.Low < x-0.2 && x <= i.High && i.High <= 1) ||
			math.Abs(e.CI()-(x-i.Low)) > 1e-9 {
			t.Errorf("always %g: %v", x, &e)
		}
	}
}

func TestEstimateWithoutRounds(t *testing.T) {
	var e Estimate
	e.addRound(nil)
	if e.Rounds() != 0 {
		t.Errorf("a round without observations counts")
	}
	e.addRound([]float64{1, 3})
	text, err := json.Marshal(e)
	if want := `{"n":2,"rounds":1,"mean":2,"sd":1.4142135623730951,"low":null,"high":null}`; err !=
		nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	e.addRound([]float64{4, 6})
	text, err = json.Marshal(e)
	var back Estimate
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || math.Abs(back.CI()-e.CI()) > 1e-9 || back.Mean() != e.Mean() ||
		back.N() != 4 || back.Rounds() != 2 {
		t.Errorf("%s reads back as %v, %v", text, &back, err)
	}
}

func TestStatAgainstTwoPasses(t *testing.T) {
	rng := random.New(1, random.Test, 1)
	for _, n := range []int{2, 3, 17, 500} {
		var s Stat
		xs := make([]float64, n)
		sum := 0.0
		for i := range xs {
			xs[i] = 25 * rng.Float64()
			sum += xs[i]
			s.Add(xs[i])
		}
		mean := sum / float64(n)
		squares := 0.0
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
		sd := math.Sqrt(squares / float64(n-1))
		if math.Abs(s.Mean-mean) > 1e-9 || math.Abs(s.SD()-sd) > 1e-9 {
			t.Errorf("n %d: mean %g, s %g; want %g, %g", n, s.Mean, s.SD(), mean, sd)
		}
		if want := interval.Quantile(float64(n-1)) * sd / math.Sqrt(float64(n)); math.Abs(
			s.CI()-want) > 1e-9 {
			t.Errorf("n %d: interval ± %g, want ± %g", n, s.CI(), want)
		}
	}
}

// TestPaperInterval: in the paper's Table 3, ± 1.0 at 500 games corresponds to a standard
// deviation of about 11.4.
func TestPaperInterval(t *testing.T) {
	var s Stat
	for i := range 500 {
		s.Add(11.4 * float64(1-2*(i%2)))
	}
	if ci := s.CI(); math.Abs(ci-1.0) > 0.005 {
		t.Errorf("interval ± %g, want ± 1.0", ci)
	}
}

func TestStatWithoutSpread(t *testing.T) {
	var s Stat
	s.Add(3)
	if !math.IsInf(s.CI(), 1) || s.SD() != 0 {
		t.Errorf("one observation: s %g, ± %g; want 0, infinite", s.SD(), s.CI())
	}
	text, err := json.Marshal(s)
	if err != nil || string(text) != `{"n":1,"mean":3,"sd":0,"low":null,"high":null}` {
		t.Errorf("JSON is %s, %v", text, err)
	}
}

func TestStatJSON(t *testing.T) {
	var s, back Stat
	for _, x := range []float64{1, 2, 6} {
		s.Add(x)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if math.Abs(back.CI()-s.CI()) > 1e-12 || back.N != 3 || back.Mean != 3 {
		t.Errorf("%s reads back as %v, want %v", text, back, s)
	}
}

func TestSumOf(t *testing.T) {
	a, b := Stat{}, Stat{}
	for i := range 100 {
		a.Add(float64(i % 2))     // mean 0.5, s about 0.5
		b.Add(float64(i%2) * 2.0) // mean 1, s about 1
	}
	sum := SumOf([]Stat{a, b})
	if want := math.Hypot(a.CI(), b.CI()); sum.Mean != 1.5 || math.Abs(sum.CI()-want) > 1e-12 {
		t.Errorf("sum %v, want 1.5 ± %g", sum, want)
	}
}

func TestWinShare(t *testing.T) {
	for _, c := range []struct {
		scores []float32
		want   []float64
	}{
		{[]float32{25, 0, 0}, []float64{1, 0, 0}},
		{[]float32{9, 9, 7}, []float64{0.5, 0.5, 0}},
		{[]float32{8, 8, 8}, []float64{1. / 3, 1. / 3, 1. / 3}},
	} {
		for seat, want := range c.want {
			if got := winShare(c.scores, seat); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v, seat %d: %g, want %g", c.scores, seat, got, want)
			}
		}
	}
}

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
