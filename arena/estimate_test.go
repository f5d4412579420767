package arena

import (
	"encoding/json"
	"math"
	"testing"

	"tengen/internal/stream"
)

// TestEstimateAgainstClusters: mean and interval agree with the cluster-robust formula with
// rounds as clusters. The variance of the mean is R/(R−1)·Σ(sum of a round's residuals)² ÷ n².
func TestEstimateAgainstClusters(t *testing.T) {
	rng := stream.New(2, stream.Test)
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
		want := Student(rounds-1) * math.Sqrt(variance)
		if math.Abs(e.Mean()-mean) > 1e-9 || math.Abs(e.CI()-want) > 1e-9 || math.Abs(e.SD()-math.Sqrt(squares/(n-1))) > 1e-9 {
			t.Errorf("%d rounds: %v, want %g ± %g", rounds, &e, mean, want)
		}
		if e.N() != 4*rounds || e.Rounds() != rounds {
			t.Errorf("%d rounds: n %d, rounds %d", rounds, e.N(), e.Rounds())
		}
	}
}

// TestStudent: the density beyond the quantile integrates to 2.5 %.
func TestStudent(t *testing.T) {
	for _, degrees := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 40, 100, 1000, 100_000} {
		v := float64(degrees)
		a, _ := math.Lgamma((v + 1) / 2)
		b, _ := math.Lgamma(v / 2)
		scale := math.Exp(a-b) / math.Sqrt(v*math.Pi)
		density := func(x float64) float64 { return scale * math.Exp(-(v+1)/2*math.Log1p(x*x/v)) }
		const steps = 10_000
		q := Student(degrees)
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

func TestEstimateWithoutRounds(t *testing.T) {
	var e Estimate
	e.addRound(nil)
	if e.Rounds() != 0 {
		t.Errorf("a round without observations counts")
	}
	e.addRound([]float64{1, 3})
	text, err := json.Marshal(e)
	if want := `{"n":2,"rounds":1,"mean":2,"sd":1.4142135623730951,"ci95":null}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	e.addRound([]float64{4, 6})
	text, err = json.Marshal(e)
	var back Estimate
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || math.Abs(back.CI()-e.CI()) > 1e-9 || back.Mean() != e.Mean() || back.N() != 4 || back.Rounds() != 2 {
		t.Errorf("%s reads back as %v, %v", text, &back, err)
	}
}
