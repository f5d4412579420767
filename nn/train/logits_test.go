package train

import (
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn"
)

// By hand: targets 1/2, 1/4, 1/4 have the logarithms 0, -ln 2, -ln 2 below the greatest, and so
// 2/3·ln 2 and -1/3·ln 2 without their mean; the logits 1, 2, 0 without theirs are 0, 1, -1. An
// action without probability does not count, and one that has all but none counts as e^-8.
func TestLogitLossByHand(t *testing.T) {
	ln2 := math.Log(2)
	for _, c := range []struct{ logits, target, want []float64 }{
		{[]float64{1, 2, 0}, []float64{0.5, 0.25, 0.25},
			[]float64{-2 * ln2 / 3, 1 + ln2/3, -1 + ln2/3}},
		{[]float64{1, 3, 9}, []float64{0.5, 0.5, 0}, []float64{-1, 1, 0}},
		{[]float64{0, 0, 5}, []float64{1, 1e-30, 0}, []float64{-4, 4, 0}},
		{[]float64{7, 2, 5}, []float64{0, 1, 0}, []float64{0, 0, 0}},
		{[]float64{7, 2, 5}, []float64{0, 0, 0}, []float64{0, 0, 0}},
	} {
		l := newCrossEntropy[float64](1, 1, 3, 1)
		l.overLogits()
		y, gradient := make([]float64, 1), make([]float64, 3)
		l.forward([][]float64{c.logits, c.target}, y)
		l.backward([][]float64{c.logits, c.target}, y, []float64{2}, [][]float64{gradient, nil})
		loss := 0.0
		for i, want := range c.want {
			loss += want * want / 2
			if math.Abs(gradient[i]-2*want) > 1e-9 {
				t.Errorf("%v, %v: the gradient is %v, want twice %v",
					c.logits, c.target, gradient, c.want)
				break
			}
		}
		if math.Abs(y[0]-loss) > 1e-9 || l.rowLosses()[0] != y[0] {
			t.Errorf("%v, %v: the loss is %v, want %v", c.logits, c.target, y[0], loss)
		}
	}
}

// The gradient is that of the loss.
func TestLogitLossGradient(t *testing.T) {
	rng := random.New(seed, random.Test, 60)
	const rows, n = 6, 5
	l := newCrossEntropy[float64](rows, 1, n, 2)
	l.overLogits()
	logits, target, y := make([]float64, rows*n), make([]float64, rows*n), make([]float64, rows)
	for i := range logits {
		logits[i], target[i] = 3*rng.NormFloat64(), float64(rng.IntN(4))*rng.Float64()
	}
	slopes := make([]float64, rows)
	for r := range slopes {
		slopes[r] = rng.Float64()
	}
	total := func() (sum float64) {
		l.forward([][]float64{logits, target}, y)
		for r, x := range y {
			sum += slopes[r] * x
		}
		return sum
	}
	total()
	gradient := make([]float64, rows*n)
	l.backward([][]float64{logits, target}, y, slopes, [][]float64{gradient, nil})
	for i := range logits {
		const h = 1e-5
		x := logits[i]
		logits[i] = x + h
		above := total()
		logits[i] = x - h
		below := total()
		logits[i] = x
		if slope := (above - below) / (2 * h); math.Abs(slope-gradient[i]) > 1e-6 {
			t.Errorf("the gradient of logit %d is %g, by differences %g", i, gradient[i], slope)
		}
	}
}

// An action that has all but vanished is drawn back by the loss over logits as strongly as any
// other, and hardly by the cross-entropy.
func TestLogitLossBringsBack(t *testing.T) {
	in := [][]float64{{0, -8}, {0.998, 0.002}}
	pull := func(logits bool) float64 {
		l := newCrossEntropy[float64](1, 1, 2, 1)
		if logits {
			l.overLogits()
		}
		gradient := make([]float64, 2)
		l.forward(in, make([]float64, 1))
		l.backward(in, nil, []float64{1}, [][]float64{gradient, nil})
		return -gradient[1]
	}
	if with, without := pull(true),
		pull(false); math.Abs(with-(8+math.Log(0.002/0.998))/2) > 1e-9 || without > 0.002 {
		t.Errorf("the gradient is %g, that of the cross-entropy %g", with, without)
	}
}

// Trainers have the loss of Config.PolicyLogits, in training and when they measure, and learn by
// it.
func TestPolicyLogits(t *testing.T) {
	spec := nn.Spec{
		Planes: 2, Height: 1, Width: 1, Filters: 8, Players: 2, Actions: 3, Policy: nn.PolicyDense,
		Value: nn.ValueLinear, Hidden: 4,
	}
	p := paramsOf(t, spec)
	p.Init(random.New(seed, random.Test, 61))
	c := smallConfig(OptimizerAdam)
	c.PolicyLogits, c.LearningRate, c.L2 = true, 0.02, 0
	tr := newTrainer(t, p, c)
	b := NewBatch(spec, c.Batch)
	for r := range c.Batch {
		b.Observations[2*r+r%2], b.PolicyWeight[r] = 1, 1
		// one action is illegal
		copy(b.Policy[3*r:], []float32{0.7, 0.3 * float32(r%2), 0.3 * float32(1-r%2)})
	}
	before := must(tr.Losses(b)).Policy
	for range 200 {
		step(t, tr, b)
	}
	if after := must(tr.Losses(b)).Policy; !(before > 0.01 && after < before/10) {
		t.Errorf("the loss was %g and is %g", before, after)
	}
}
