package train

import (
	"fmt"
	"math"

	G "gorgonia.org/gorgonia"

	"tengen/nn/kernels"
	"tengen/nn/kernels/training"
)

// SGD is stochastic gradient descent with momentum. For each element w with
// gradient g and velocity v, initially 0:
//
//	v ← Momentum·v + g
//	w ← w − Rate·v
//
// It implements gorgonia.Solver for float32 arrays.
type SGD struct {
	Rate, Momentum float64
	Workers        int // goroutines; 0: one
	velocity       [][]float32
}

// Step updates the values. Every call must pass the same values in the same order.
func (s *SGD) Step(model []G.ValueGrad) error {
	var err error
	if s.velocity, err = prepare(s.velocity, model); err != nil {
		return err
	}
	rate, momentum := float32(s.Rate), float32(s.Momentum)
	return update(s.Workers, model, func(p piece, w, g []float32, scale, decay float32) {
		v := s.velocity[p.array][p.from:p.to]
		for i, d := range g {
			v[i] = momentum*v[i] + scale*d + decay*w[i]
			w[i] -= rate * v[i]
		}
	})
}

// The constants of Adam, as Kingma and Ba recommend them.
const (
	AdamBeta1   = 0.9
	AdamBeta2   = 0.999
	AdamEpsilon = 1e-8
)

// Adam is the optimizer of Kingma and Ba (2015, algorithm 1). For each element w
// with gradient g, at step t, counted from 1:
//
//	m ← β₁·m + (1 − β₁)·g
//	v ← β₂·v + (1 − β₂)·g²
//	w ← w − Rate·(m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + ε)
//
// It implements gorgonia.Solver for float32 arrays.
type Adam struct {
	Rate          float64
	Workers       int // goroutines; 0: one
	steps         int
	first, second [][]float32
}

// Step updates the values. Every call must pass the same values in the same order.
func (s *Adam) Step(model []G.ValueGrad) error {
	var err error
	if s.first, err = prepare(s.first, model); err != nil {
		return err
	}
	if s.second, err = prepare(s.second, model); err != nil {
		return err
	}
	s.steps++
	c := training.AdamConstants{
		First: 1 - AdamBeta1, Second: 1 - AdamBeta2, Epsilon: AdamEpsilon,
		Correction: float32(1 / (1 - math.Pow(AdamBeta2, float64(s.steps)))),
		Rate:       float32(s.Rate / (1 - math.Pow(AdamBeta1, float64(s.steps)))),
	}
	path := kernels.Selected()
	return update(s.Workers, model, func(p piece, w, g []float32, scale, decay float32) {
		c := c
		c.Scale, c.Decay = scale, decay
		training.AdamStep(path, w, s.first[p.array][p.from:p.to],
			s.second[p.array][p.from:p.to], g, c)
	})
}

// prepare returns arrays, or, if it is nil, an array of zeros for each value. It returns an
// error if the number of values has changed.
func prepare(arrays [][]float32, model []G.ValueGrad) ([][]float32, error) {
	if arrays == nil {
		for _, p := range model {
			arrays = append(arrays, make([]float32, p.Value().Size()))
		}
	}
	if len(arrays) != len(model) {
		return nil, fmt.Errorf("solver: %d values, but %d at its first step",
			len(model), len(arrays))
	}
	return arrays, nil
}

// multiply multiplies the elements of w by keep.
func multiply(w []float32, keep float32) {
	if keep == 1 {
		return
	}
	for i := range w {
		w[i] *= keep
	}
}

// update calls f, on several goroutines, for pieces of each value w and its gradient g. The
// gradient to use is scale·g + decay·w.
func update(
	workers int, model []G.ValueGrad, f func(p piece, w, g []float32, scale, decay float32),
) error {
	values, gradients := make([][]float32, len(model)), make([][]float32, len(model))
	for i, p := range model {
		gradient, err := p.Grad()
		if err != nil {
			return fmt.Errorf("solver: gradient of value %d: %w", i, err)
		}
		w, ok1 := p.Value().Data().([]float32)
		g, ok2 := gradient.Data().([]float32)
		if !ok1 || !ok2 || len(w) != len(g) {
			return fmt.Errorf(
				"solver: value %d is %T with gradient %T; float32 arrays of one length are wanted",
				i, p.Value().Data(), gradient.Data())
		}
		values[i], gradients[i] = w, g
	}
	list := pieces(len(model), func(array int) int { return len(values[array]) })
	training.Each(workers, len(list), func(_, i int) {
		p := list[i]
		scale, decay := float32(1), float32(0)
		if l, ok := model[p.array].(*learnable); ok {
			scale, decay = l.scale, l.decay
			multiply(values[p.array][p.from:p.to], l.keep)
		}
		f(p, values[p.array][p.from:p.to], gradients[p.array][p.from:p.to], scale, decay)
	})
	return nil
}
