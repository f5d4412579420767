package planning

import (
	"math"
	"testing"

	"tengen/internal/random"
)

// TestSoftmax compares with math.Exp in float64.
func TestSoftmax(t *testing.T) {
	rng := random.New(1, random.Test)
	worst := 0.0
	for range 3000 {
		logits := make([]float32, 1+rng.IntN(40))
		spread := math.Exp(10*rng.Float64() - 6)
		for i := range logits {
			logits[i] = float32(spread * rng.NormFloat64())
		}
		if rng.IntN(4) == 0 {
			logits[rng.IntN(len(logits))] = float32(math.Inf(-1))
			logits[rng.IntN(len(logits))] = 1
		}
		got := make([]float32, len(logits))
		Softmax(got, logits)
		most := math.Inf(-1)
		for _, x := range logits {
			most = max(most, float64(x))
		}
		sum := 0.0
		for _, x := range logits {
			sum += math.Exp(float64(x) - most)
		}
		total := 0.0
		for i, x := range logits {
			want := math.Exp(float64(x)-most) / sum
			total += float64(got[i])
			if want < 1e-37 {
				if got[i] > 1e-36 {
					t.Fatalf("logit %g gives %g, not %g", x, got[i], want)
				}
				continue
			}
			worst = max(worst, math.Abs(float64(got[i])/want-1))
		}
		if math.Abs(total-1) > 1e-6 {
			t.Fatalf("the priors sum to %g", total)
		}
	}
	// The difference of two logits, rounded to float32, is off by up to
	// 2^-25 of itself, which may be 87.
	if worst > 4e-6 {
		t.Errorf("the relative error is %g", worst)
	}
	t.Logf("the greatest relative error is %g", worst)
}

// TestExp covers the whole range in small steps.
func TestExp(t *testing.T) {
	worst := 0.0
	for x := float32(-87); x <= 0; x += 1.0 / 4096 {
		want := math.Exp(float64(x))
		worst = max(worst, math.Abs(float64(Exp(x))/want-1))
	}
	if worst > 2e-7 {
		t.Errorf("the relative error is %g", worst)
	}
	for x, want := range map[float32]float32{0: 1, -88: 0, float32(math.Inf(-1)): 0} {
		if got := Exp(x); got != want {
			t.Errorf("exp(%g) = %g, want %g", x, got, want)
		}
	}
}

// TestSoftmaxEqual expects equal priors of equal logits, whatever they are.
func TestSoftmaxEqual(t *testing.T) {
	for n := 1; n < 30; n++ {
		for _, x := range []float32{0, -1000, 3e38} {
			logits := make([]float32, n)
			for i := range logits {
				logits[i] = x
			}
			Softmax(logits, logits)
			for _, p := range logits {
				if p != 1/float32(n) {
					t.Fatalf("%d logits of %g give a prior of %g", n, x, p)
				}
			}
		}
	}
}

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
