package rating

import (
	"math"
	"math/rand/v2"
	"testing"

	"tengen/internal/stream"
)

// By hand: 1, 2, 0 and the virtual 2 and -2 have mean 0.6 and variance
// (0.16+1.96+0.36+1.96+6.76)/4 = 2.8; t of 4 degrees of freedom is 2.131847 at 0.95,
// so the bound is 0.6 - 2.131847·√(2.8/5).
func TestBetterByHand(t *testing.T) {
	better, low := Better([]float64{1, 2, 0}, 0.95)
	if want := 0.6 - 2.131847*math.Sqrt(0.56); better || math.Abs(low-want) > 1e-6 {
		t.Errorf("%v, low %g, want %g", better, low, want)
	}
	if better, low := Better([]float64{1, 1, 1, 1}, 0.95); better || low > 0 {
		t.Errorf("four wins: %v, low %g", better, low)
	}
	if better, low := Better([]float64{1, 1, 1, 1, 1}, 0.95); !better || low <= 0 {
		t.Errorf("five wins: %v, low %g", better, low)
	}
	if better, low := Better(nil, 0.95); better || !math.IsInf(low, -1) {
		t.Errorf("nothing: %v, low %g", better, low)
	}
	if better, low := Better(make([]float64, 100), 0.95); better || low != 0 {
		t.Errorf("draws: %v, low %g", better, low)
	}
	if better, low := Better([]float64{1, math.NaN()}, 0.6); better || !math.IsNaN(low) {
		t.Errorf("NaN: %v, low %g", better, low)
	}
	if better, _ := Better([]float64{1, 1, -1}, 0.5); !better {
		t.Error("a mean above 0 does not reach a confidence of 0.5")
	}
}

// TestBetterExactly adds the probabilities of all numbers of wins of a fair coin with
// which a new player passes. They increase in steps: with few games a step is 0.05.
func TestBetterExactly(t *testing.T) {
	for _, confidence := range []float64{0.8, 0.9, 0.95, 0.99} {
		for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 20, 40, 100, 200} {
			wrong := 0.0
			results := make([]float64, n)
			for won := 0; won <= n; won++ {
				for i := range results {
					results[i] = -1
					if i < won {
						results[i] = 1
					}
				}
				if better, _ := Better(results, confidence); better {
					all, _ := math.Lgamma(float64(n + 1))
					a, _ := math.Lgamma(float64(won + 1))
					b, _ := math.Lgamma(float64(n - won + 1))
					wrong += math.Exp(all - a - b - float64(n)*math.Ln2)
				}
			}
			if want := 1 - confidence; wrong > 1.6*want || n >= 100 && (wrong > 1.15*want || wrong < 0.8*want) {
				t.Errorf("confidence %g, %d games: passes by luck in %.4f", confidence, n, wrong)
			}
		}
	}
}

// differences are distributions of results with mean 0.
var differences = []struct {
	name string
	draw func(rng *rand.Rand) float64
}{
	{"normal", func(rng *rand.Rand) float64 { return rng.NormFloat64() }},
	{"mostly draws", func(rng *rand.Rand) float64 { return []float64{-1, 0, 0, 0, 0, 0, 0, 0, 0, 1}[rng.IntN(10)] }},
	{"rarely first", func(rng *rand.Rand) float64 { return []float64{-0.5, -0.5, 1}[rng.IntN(3)] }},
	{"rarely last", func(rng *rand.Rand) float64 { return []float64{-1, 0.5, 0.5}[rng.IntN(3)] }},
	{"skew", func(rng *rand.Rand) float64 { return 1 - rng.ExpFloat64() }},
}

// passes returns the fraction of repetitions in which results with the given mean
// pass.
func passes(difference, n int, mean, confidence float64, repetitions int) float64 {
	passed := 0.0
	rng := stream.New(1, stream.Test, 20, uint64(difference), uint64(n))
	results := make([]float64, n)
	for range repetitions {
		for i := range results {
			results[i] = mean + differences[difference].draw(rng)
		}
		if better, _ := Better(results, confidence); better {
			passed += 1 / float64(repetitions)
		}
	}
	return passed
}

// TestBetterErrorRates: with 1000 repetitions 0.05 has a standard error of 0.007. The
// power is that of the normal distribution: at half a standard deviation and 100
// results the bound lies 5 - 1.65 standard errors above 0.
func TestBetterErrorRates(t *testing.T) {
	for i, c := range differences {
		if wrong := passes(i, 100, 0, 0.95, 1000); wrong > 0.08 || wrong < 0.015 {
			t.Errorf("%s: passes by luck in %.3f, want 0.05", c.name, wrong)
		}
		if right := passes(i, 100, 0.5, 0.95, 200); right < 0.97 {
			t.Errorf("%s: the better passes in %.3f", c.name, right)
		}
	}
}
