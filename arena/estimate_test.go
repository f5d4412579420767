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
