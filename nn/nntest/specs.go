package nntest

import (
	"math/rand/v2"
	"slices"
	"strings"

	"tengen/nn"
)

// Specs returns small networks that cover every head, boards of one line and
// of unequal sides, odd numbers of filters, and a network without residual blocks.
func Specs() []nn.Spec {
	thirds := []float32{0, 1. / 3, 0.5, 1}
	return []nn.Spec{
		{Planes: 6, Height: 5, Width: 5, Players: 3, Actions: 25, Blocks: 2, Filters: 8,
			Policy: nn.PolicyConv, Value: nn.ValueCategorical, Hidden: 6,
			Support: []float32{0, 0.25, 0.5, 0.75, 1}},
		{Planes: 3, Height: 3, Width: 4, Players: 2, Actions: 13, Blocks: 1, Filters: 5,
			Policy: nn.PolicyConvPass, Value: nn.ValueLinear, Hidden: 3},
		{Planes: 2, Height: 1, Width: 3, Players: 3, Actions: 7, Blocks: 1, Filters: 3,
			Policy: nn.PolicyDense, Value: nn.ValueCategorical, Hidden: 5, Support: thirds},
		{Planes: 1, Height: 4, Width: 1, Players: 1, Actions: 2, Blocks: 0, Filters: 7,
			Policy: nn.PolicyNone, Value: nn.ValueLinear, Hidden: 1},
		{Planes: 5, Height: 2, Width: 2, Players: 4, Actions: 5, Blocks: 1, Filters: 1,
			Policy: nn.PolicyConvPass, Value: nn.ValueCategorical, Hidden: 2,
			Support: []float32{-1, 1}},
		{Planes: 1, Height: 1, Width: 1, Players: 2, Actions: 1, Blocks: 1, Filters: 2,
			Policy: nn.PolicyConv, Value: nn.ValueLinear, Hidden: 4},
		{Planes: 3, Height: 6, Width: 7, Players: 2, Actions: 7, Blocks: 1, Filters: 17,
			Policy: nn.PolicyDense, Value: nn.ValueLinear, Hidden: 33},
		{Planes: 4, Height: 3, Width: 3, Players: 3, Actions: 9, Blocks: 3, Filters: 6,
			Policy: nn.PolicyNone, Value: nn.ValueCategorical, Hidden: 8, Support: thirds},
	}
}

// AuxiliarySpecs returns networks of Specs with auxiliary heads, every kind with and without the
// others.
func AuxiliarySpecs() []nn.Spec {
	list := Specs()[:4]
	for i, a := range []nn.Auxiliary{
		{Cells: []int{4, 2}, Seats: 2, Belief: []int{3, 2, 5}}, {Seats: 1},
		{Cells: []int{3}, Belief: []int{20, 4}}, {Cells: []int{2, 2}, Seats: 1},
	} {
		list[i].Auxiliary = a
	}
	return list
}

// Random returns a network with random parameters and BatchNorm statistics.
func Random(spec nn.Spec, rng *rand.Rand) *nn.Params {
	p, err := nn.NewParams(spec)
	if err != nil {
		panic(err)
	}
	p.Init(rng)
	for _, t := range p.Tensors {
		if len(t.Shape) > 1 {
			continue
		}
		for i := range t.Data {
			v := 0.3 * float32(rng.NormFloat64())
			switch {
			case strings.HasSuffix(t.Name, ".gamma"):
				v += 1
			case strings.HasSuffix(t.Name, ".variance"):
				v = 0.5 + rng.Float32()
			}
			t.Data[i] = v
		}
	}
	return p
}

// Observations returns random observations [rows, Planes, Height, Width], as nn.RandomObservations
// has them.
func Observations(spec nn.Spec, rows int, rng *rand.Rand) []float32 {
	x := make([]float32, rows*spec.Planes*spec.Cells())
	nn.RandomObservations(x, rng)
	return x
}

// Widen converts to float64.
func Widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// AllSpecs returns the networks of both lists.
func AllSpecs() []nn.Spec { return slices.Concat(Specs(), AuxiliarySpecs()) }
