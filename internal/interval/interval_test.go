package interval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// least is the coverage that is promised.
const least = 0.94

// exact returns the least coverage of the intervals of n results, of which all are 0 or 1, over all
// shares of wins: coverage is least next to the bounds of the intervals.
func exact(n int) (coverage, at float64) {
	all := make([]Interval, n+1)
	shares := []float64{0.001, 0.01}
	for wins := range all {
		all[wins] = Rate(float64(wins)/float64(n), n)
		for _, b := range []float64{all[wins].Low, all[wins].High} {
			shares = append(shares, b-1e-9, b+1e-9)
		}
	}
	logarithm := func(k int) float64 { x, _ := math.Lgamma(float64(k + 1)); return x }
	coverage = 1
	for _, p := range shares {
		if p <= 0 || p >= 1 {
			continue
		}
		sum := 0.0
		for wins, i := range all {
			if i.Low <= p && p <= i.High {
				sum += math.Exp(
					logarithm(n) - logarithm(wins) - logarithm(n-wins) + float64(wins)*math.Log(p) +
						float64(n-wins)*math.Log1p(-p))
			}
		}
		if sum < coverage {
			coverage, at = sum, p
		}
	}
	return coverage, at
}

// TestCoverageOfWins: computed without simulation, for each share of wins from 0 to 1.
func TestCoverageOfWins(t *testing.T) {
	for _, n := range winsOf {
		if c, p := exact(n); c < least {
			t.Errorf("%d games, a share of %.4f: the intervals contain it in %.4f of all matches",
				n, p, c)
		}
	}
}

// source is a distribution of results in [0, 1].
type source struct {
	name   string
	mean   float64
	sample func(*rand.Rand) float64
	smooth bool // it is one with a spread as of usual games
}

// of makes a source of some results with their probabilities.
func of(name string, results, probabilities []float64) source {
	mean := 0.0
	for i, x := range results {
		mean += x * probabilities[i]
	}
	return source{name: name, mean: mean, sample: func(rng *rand.Rand) float64 {
		u := rng.Float64()
		for i, p := range probabilities {
			if u < p {
				return results[i]
			}
			u -= p
		}
		return results[len(results)-1]
	}}
}

// sources are results of games: wins, draws and losses; rounds of several games; scores of 0 to 25
// where the winner takes nearly all, with rare results far from the others; scores that vary
// little; the same result always.
func sources() []source {
	var list []source
	for _, draws := range []float64{0.05, 0.5, 0.9, 0.98} {
		for _, wins := range []float64{0, 0.1, 0.5} { // of the others
			list = append(list,
				of(fmt.Sprintf("%g drawn, %g of the others won", draws, wins), []float64{0, 0.5, 1},
					[]float64{(1 - draws) * (1 - wins), draws, (1 - draws) * wins}))
		}
	}
	for _, rare := range []float64{0.005, 0.02, 0.05, 0.1, 0.2} {
		list = append(list,
			of(fmt.Sprintf("24 of 25, %g lose all", rare), []float64{0, 0.96},
				[]float64{rare, 1 - rare}),
			of(fmt.Sprintf("7 of 25, %g take all", rare), []float64{1, 0.28},
				[]float64{rare, 1 - rare}),
			of(fmt.Sprintf("little, %g take all", rare), []float64{0, 0.04, 0.2, 1},
				[]float64{0.8 - rare, 0.1, 0.1, rare}),
			of(fmt.Sprintf("nearly all, %g lose all", rare), []float64{1, 0.92, 0.5, 0},
				[]float64{0.6, 0.3, 0.1 - rare/2, rare / 2}))
	}
	for _, games := range []int{2, 6} {
		for _, p := range []float64{0.01, 0.1, 0.5} {
			list = append(list, source{fmt.Sprintf("rounds of %d games, %g won",
				games, p), p, func(rng *rand.Rand) float64 {
				x := 0.0
				for range games {
					if rng.Float64() < p {
						x += 1 / float64(games)
					}
				}
				return x
			}, p == 0.5})
		}
	}
	for _, power := range []float64{1, 2, 30} {
		list = append(list,
			source{
				fmt.Sprintf("U^%g", power), 1 / (power + 1), func(rng *rand.Rand) float64 {
					return math.Pow(rng.Float64(), power)
				}, power < 3,
			})
	}
	list = append(list,
		source{
			"about a half", 0.5, func(rng *rand.Rand) float64 {
				return 0.5 + 0.1*(rng.Float64()-rng.Float64())
			}, false,
		})
	for _, x := range []float64{0, 0.04, 0.5, 1} {
		list = append(list, of(fmt.Sprintf("always %g", x), []float64{x}, []float64{1}))
	}
	return list
}

// draw returns the moments of n results.
func draw(s *source, n int, rng *rand.Rand) (mean, squares float64) {
	for i := range n {
		x := s.sample(rng)
		d := x - mean
		mean += d / float64(i+1)
		squares += d * (x - mean)
	}
	return mean, squares
}

// TestCoverage simulates matches. A coverage of 0.94 is told from less by three standard errors of
// the simulation.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	slack := 3 * math.Sqrt(least*(1-least)/float64(matches))
	for _, s := range sources() {
		for _, n := range gamesOf {
			covered, width, student := 0, 0.0, 0.0
			for range matches {
				mean, squares := draw(&s, n, rng)
				i := Bounded(n, mean, squares, 0, 1)
				if i.Low <= s.mean+1e-12 && s.mean-1e-12 <= i.High {
					covered++
				}
				if !(0 <= i.Low && i.Low <= mean+1e-12 && mean-1e-12 <= i.High && i.High <= 1 &&
					i.Low < i.High) {
					t.Fatalf("%s, %d samples: %v about %g", s.name, n, i, mean)
				}
				width += i.High - i.Low
				if n >= 100 && s.smooth {
					u := Mean(n, mean, squares)
					student += u.High - u.Low
				}
			}
			if c := float64(covered) / float64(matches); c < least-slack {
				t.Errorf("%s, %d samples: %.4f of the intervals contain the mean", s.name, n, c)
			}
			if n >= 100 && s.smooth && width > 1.06*student {
				t.Errorf("%s, %d samples: %.3f times as wide as Student's",
					s.name, n, width/student)
			}
		}
	}
}

// wilson is E. B. Wilson's interval (1927), for comparison.
func wilson(rate float64, n int) (low, high float64) {
	const z = 1.959963984540054
	k := float64(n)
	centre := (rate + z*z/(2*k)) / (1 + z*z/k)
	half := z / (1 + z*z/k) * math.Sqrt(rate*(1-rate)/k+z*z/(4*k*k))
	return centre - half, centre + half
}

// From 100 games on, intervals of shares are about as wide as Wilson's.
func TestNotNeedlesslyWide(t *testing.T) {
	for _, n := range []int{100, 200, 500} {
		for _, rate := range []float64{0.1, 0.3, 0.5, 0.8, 0.9} {
			i := Rate(rate, n)
			low, high := wilson(rate, n)
			if wide := (i.High - i.Low) / (high - low); wide > 1.06 || wide < 0.99 {
				t.Errorf("%g of %d: %.3f times Wilson's width", rate, n, wide)
			}
		}
	}
}

// Values by hand, and what other units and too few samples give.
func TestByHand(t *testing.T) {
	near := func(what string, got, want Interval) {
		t.Helper()
		if !(math.Abs(got.Low-want.Low) < 5e-4 && math.Abs(got.High-want.High) < 5e-4) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	// 4 + 1.92 of 7.84, and Student's 2.375 with 6.84 degrees of freedom: 0.755 ± 0.391.
	near("4 of 4", Rate(1, 4), Interval{0.3643, 1})
	near("0 of 4", Rate(0, 4), Interval{0, 0.6357})
	// Each of 12 draws, and 1.3 wins and losses: a spread of 0.65; 2.133 with 14.84 degrees: ±
	// 0.1221.
	near("12 draws", Bounded(12, 0.5, 0, 0, 1), Interval{0.3779, 0.6221})
	near("points", Bounded(12, 12.5, 0, 0, 25), Interval{9.4484, 15.5516})
	near("a difference", Bounded(12, 0, 0, -1, 1), Interval{-0.2441, 0.2441})
	// 1, 2, 4: mean 7/3, deviations 14/3; Student's 4.3027 with 2 degrees.
	near("Student", Mean(3, 7./3, 14./3), Interval{7./3 - 3.7946, 7./3 + 3.7946})
	near("a sum", Sum([]float64{1, 2}, []Interval{{0.7, 1.3}, {1.6, 2.1}}), Interval{2.5, 3.3162})
	for what, i := range map[string]Interval{
		"one result": Bounded(1, 1, 0, 0, 1), "no result": Rate(0, 0), "one number": Mean(1, 3, 0),
		"equal numbers":  Mean(9, 3, 0),
		"no range":       Bounded(9, 1, 0, 1, 1),
		"a sum with one": Sum([]float64{1, 2}, []Interval{{0, 2}, None}),
	} {
		if i.Known() || i.Text("%.0f") != "–" || !math.IsInf(i.Half(1), 1) {
			t.Errorf("%s: %v", what, i)
		}
	}
	for _, i := range []Interval{{1, 2}, None, {math.Inf(-1), 3}} {
		if got := i.Bounds().Interval(); got != i {
			t.Errorf("%v in JSON is %v", i, got)
		}
	}
	if i := (Interval{0.45, 1}); i.Times(100).Text("%.0f") != "45 to 100" ||
		math.Abs(i.Half(0.9)-0.45) > 1e-12 {
		t.Errorf("%v: %s, %g", i, i.Times(100).Text("%.0f"), i.Half(0.9))
	}
}

// TestQuantile: the density beyond the quantile integrates to 2.5 %.
func TestQuantile(t *testing.T) {
	for _, degrees := range []int{
		1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 40, 100, 1000, 100_000,
	} {
		v := float64(degrees)
		a, _ := math.Lgamma((v + 1) / 2)
		b, _ := math.Lgamma(v / 2)
		scale := math.Exp(a-b) / math.Sqrt(v*math.Pi)
		density := func(x float64) float64 { return scale * math.Exp(-(v+1)/2*math.Log1p(x*x/v)) }
		const steps = 10_000
		q := Quantile(v)
		half := 0.0 // between 0 and q, by Simpson's rule
		for i := range steps + 1 {
			weight := 2 + 2*float64(i%2)
			if i == 0 || i == steps {
				weight = 1
			}
			half += weight * density(q*float64(i)/steps) * q / steps / 3
		}
		if off := (half - 0.475) / density(q); math.Abs(off) > 2e-4 {
			t.Errorf("%d degrees: %g is off by %g", degrees, q, off)
		}
	}
}
