package learn

import (
	"math"
	"slices"
	"testing"

	"tengen/nn"
	"tengen/nn/train"
)

func TestAttract(t *testing.T) {
	for _, c := range []struct {
		p, logits      []float32
		share, uniform float64
		want           []float64
	}{
		{[]float32{0.5, 0.5}, []float32{0, 2}, 0.5, 0,
			[]float64{1 / (1 + math.E), math.E / (1 + math.E)}},
		{[]float32{0.8, 0.2}, []float32{0, 0}, 0, 0, []float64{0.8, 0.2}},
		// square roots: 3 to 1
		{[]float32{0.9, 0.1}, []float32{5, 5}, 0.5, 0, []float64{0.75, 0.25}},
		{[]float32{0.5, 0, 0.5}, []float32{1, 50, 1}, 0.9, 0, []float64{0.5, 0, 0.5}},
		{[]float32{0, 0}, []float32{1, 2}, 0.9, 0, []float64{0, 0}},
		{[]float32{0.9, 0.1}, nil, 0, 0.5, []float64{0.75, 0.25}},
		{[]float32{0.9, 0.1}, nil, 0, 0.99,
			[]float64{1 / (1 + math.Pow(9, -0.01)), 1 / (1 + math.Pow(9, 0.01))}},
		{[]float32{0.5, 0, 0.5}, nil, 0, 0.5, []float64{0.5, 0, 0.5}},
		// A fourth of ln 16 to 1 is ln 2, and half of the magnet's 2 is 1.
		{[]float32{16. / 17, 1. / 17}, []float32{2, 0}, 0.5, 0.25,
			[]float64{2 * math.E / (1 + 2*math.E), 1 / (1 + 2*math.E)}},
	} {
		p := slices.Clone(c.p)
		attract(p, c.logits, c.share, c.uniform)
		for k, want := range c.want {
			if math.Abs(float64(p[k])-want) > 1e-6 {
				t.Errorf("%v attracted by %v, %g, and %g: %v, want %v",
					c.p, c.logits, c.share, c.uniform, p, c.want)
				break
			}
		}
	}
}

// level is an evaluator whose logits are all zero.
type level struct{}

func (level) NewBatch(rows int) *nn.Batch {
	return &nn.Batch{Observations: make([]float32, rows), Policy: make([]float32, 2*rows)}
}

func (level) Evaluate(*nn.Batch) error { return nil }

// TestUniformMagnetFalls: the uniform magnet's share falls linearly over the run, whether there is
// another magnet or not.
func TestUniformMagnetFalls(t *testing.T) {
	for _, share := range []float64{0, 0.25} {
		m := &magnet{share: share, uniform: 0.5, now: 0.5}
		if share > 0 {
			m.evaluator = level{}
			m.batch = m.evaluator.NewBatch(magnetRows)
		}
		last := 1.0
		for i, progress := range []float64{0, 0.5, 1, 1.5} {
			b := &train.Batch{
				Observations: make([]float32, 2), PolicyWeight: []float32{0, 1},
				Policy: []float32{0.9, 0.1, 0.9, 0.1},
			}
			m.follow(progress)
			if err := m.attract(b); err != nil {
				t.Fatal(err)
			}
			if b.Policy[0] != 0.9 {
				t.Errorf("magnet %g: a target without weight has become %v", share, b.Policy[:2])
			}
			got := float64(b.Policy[2])
			if want := math.Pow(9,
				1-share-0.5*max(0, 1-progress)); math.Abs(got/(1-got)-want) > 1e-4 {
				t.Errorf("magnet %g: after %g of the run the target is %g; want the odds %g",
					share, progress, got, want)
			}
			if i > 0 && i < 3 && got == last || i == 3 && got != last {
				t.Errorf("magnet %g: after %g of the run the target is %g, before %g",
					share, progress, got, last)
			}
			last = got
		}
	}
}
