package mcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/mcts"
	"tengen/search"
)

// TestGamma compares the first two moments with those of Gamma(alpha, 1), which
// are alpha and alpha, and the share below one with known values.
func TestGamma(t *testing.T) {
	const n = 200_000
	rng := stream.New(1, stream.Test)
	for _, test := range []struct{ alpha, below float64 }{
		{0.03, math.NaN()},
		{0.4, math.NaN()},
		{0.5, math.Erf(1)},
		{1, 1 - math.Exp(-1)},
		{2, 1 - 2*math.Exp(-1)},
		{7.5, math.NaN()},
	} {
		sum, squares, below := 0.0, 0.0, 0
		for range n {
			x := mcts.Gamma(test.alpha, rng)
			if !(x >= 0) || math.IsInf(x, 1) {
				t.Fatalf("alpha %g: drew %g", test.alpha, x)
			}
			sum += x
			squares += (x - test.alpha) * (x - test.alpha)
			if x < 1 {
				below++
			}
		}
		// The fourth central moment is 3·alpha² + 6·alpha.
		if d := math.Abs(sum/n - test.alpha); d > 5*math.Sqrt(test.alpha/n) {
			t.Errorf("alpha %g: the mean is %g", test.alpha, sum/n)
		}
		if d := math.Abs(squares/n - test.alpha); d > 5*math.Sqrt((2*test.alpha*test.alpha+6*test.alpha)/n) {
			t.Errorf("alpha %g: the variance is %g", test.alpha, squares/n)
		}
		if got := float64(below) / n; math.Abs(got-test.below) > 5*math.Sqrt(0.25/n) {
			t.Errorf("alpha %g: %g are below one, not %g", test.alpha, got, test.below)
		}
	}
}

// TestDirichlet compares mean and variance of each element with 1/k and
// (1/k)(1-1/k)/(k·alpha+1), and the covariance of two.
func TestDirichlet(t *testing.T) {
	const n = 50_000
	rng := stream.New(2, stream.Test)
	for _, test := range []struct {
		k     int
		alpha float64
	}{{2, 1}, {5, 0.03}, {25, 0.4}, {3, 4}, {1, 10}, {4, 1e-4}} {
		draw := make([]float64, test.k)
		k := float64(test.k)
		mean, variance := 1/k, 1/k*(1-1/k)/(k*test.alpha+1)
		squares, product := 0.0, 0.0
		sums := make([]float64, test.k)
		for range n {
			mcts.Dirichlet(draw, test.alpha, rng)
			total := 0.0
			for i, x := range draw {
				total += x
				sums[i] += x
				squares += (x - mean) * (x - mean)
			}
			if math.Abs(total-1) > 1e-12 {
				t.Fatalf("%+v: a draw sums to %g", test, total)
			}
			product += (draw[0] - mean) * (draw[test.k-1] - mean)
		}
		for i, sum := range sums {
			if math.Abs(sum/n-mean) > 5*math.Sqrt(variance/n)+1e-12 {
				t.Errorf("%+v: element %d has mean %g", test, i, sum/n)
			}
		}
		if got := squares / n / k; math.Abs(got-variance) > 0.03*variance {
			t.Errorf("%+v: the variance is %g, not %g", test, got, variance)
		}
		if test.k > 1 {
			want := -1 / k / k / (k*test.alpha + 1)
			if got := product / n; math.Abs(got-want) > 0.05*variance {
				t.Errorf("%+v: the covariance is %g, not %g", test, got, want)
			}
		}
	}
}

// TestRootNoise expects noise to change the search, the priors that Children
// gives to stay clean, at a kept root as well, and SetNoise to turn it off.
func TestRootNoise(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	e := newHashed(g, 0)
	grow := func(weight float64, on bool, seed uint64) (first, second []mcts.Child) {
		tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 100, C: 0.8, Reuse: true, Noise: mcts.Noise{Weight: weight, Concentration: 1}}, stream.New(seed, stream.Test))
		tree.SetNoise(on)
		tree.Start(g.NewState())
		search.Run(tree, e)
		first = tree.Children(nil)
		tree.Play(3)
		search.Run(tree, e)
		return first, tree.Children(nil)
	}
	plain1, plain2 := grow(0, true, 1)
	off1, off2 := grow(0.5, false, 1)
	changed1, changed2 := 0, 0
	for seed := range uint64(20) {
		noisy1, noisy2 := grow(0.5, true, seed)
		for i := range plain1 {
			if noisy1[i].Prior != plain1[i].Prior {
				t.Fatalf("action %d has prior %g with noise, %g without", i, noisy1[i].Prior, plain1[i].Prior)
			}
			if noisy1[i].Visits != plain1[i].Visits {
				changed1++
			}
			if off1[i] != plain1[i] {
				t.Errorf("action %d: noise that is off changes %+v to %+v", i, plain1[i], off1[i])
			}
		}
		for i := range plain2 {
			if noisy2[i].Prior != plain2[i].Prior {
				t.Fatalf("after a move, action %d has prior %g with noise, %g without", i, noisy2[i].Prior, plain2[i].Prior)
			}
			if noisy2[i].Visits != plain2[i].Visits {
				changed2++
			}
			if off2[i] != plain2[i] {
				t.Errorf("after a move, action %d: noise that is off changes %+v to %+v", i, plain2[i], off2[i])
			}
		}
	}
	if changed1 < 60 || changed2 < 60 {
		t.Errorf("noise changed the visits of %d and %d of 180 and 160 actions", changed1, changed2)
	}
}
