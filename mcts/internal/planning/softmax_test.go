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
