package planning

import (
	"math"
	"testing"

	"tengen/internal/random"
)

// TestGamma compares the first two moments with those of Gamma(alpha, 1), which
// are alpha and alpha, and the share below one with known values.
func TestGamma(t *testing.T) {
	const n = 200_000
	rng := random.New(1, random.Test)
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
			x := gamma(test.alpha, rng)
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
		if d := math.Abs(squares/n - test.alpha); d >
			5*math.Sqrt((2*test.alpha*test.alpha+6*test.alpha)/n) {
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
	rng := random.New(2, random.Test)
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
			Dirichlet(draw, test.alpha, rng)
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
