package training

import (
	"fmt"
	"testing"

	"tengen/internal/random"
	"tengen/nn/kernels"
)

var shapes = []Shape{
	{Height: 5, Width: 5, Planes: 6, Filters: 32, Blocks: 1, Rows: 19},
	{Height: 3, Width: 3, Planes: 4, Filters: 16, Blocks: 1, Rows: 16},
	{Height: 6, Width: 7, Planes: 3, Filters: 17, Blocks: 1, Rows: 5},
	{Height: 7, Width: 6, Planes: 20, Filters: 8, Blocks: 1, Rows: 3},
	{Height: 9, Width: 9, Planes: 17, Filters: 16, Blocks: 1, Rows: 3},
	{Height: 4, Width: 8, Planes: 2, Filters: 5, Blocks: 0, Rows: 20},
	{Height: 2, Width: 5, Planes: 1, Filters: 3, Blocks: 2, Rows: 67},
	{Height: 1, Width: 4, Planes: 2, Filters: 3, Blocks: 1, Rows: 9},
	{Height: 8, Width: 1, Planes: 2, Filters: 20, Blocks: 1, Rows: 6},
	{Height: 1, Width: 1, Planes: 2, Filters: 3, Blocks: 1, Rows: 4},
	{Height: 1, Width: 1, Planes: 35, Filters: 33, Blocks: 2, Rows: 70},
}

func TestTrunkIsItsDefinition(t *testing.T) {
	for _, path := range kernels.Paths() {
		for index, s := range shapes {
			t.Run(fmt.Sprintf("%s %+v", path, s), func(t *testing.T) {
				p := newProblem(s, random.New(1, random.Test, uint64(index)))
				trunk, err := NewTrunk(path, s, epsilon, 2, false)
				if err != nil {
					t.Fatal(err)
				}
				out := make([]float32, s.Rows*s.Height*s.Width*s.Filters)
				for range 2 {
					trunk.Forward(p.x, p.layers, out)
				}
				near(t, "evaluation", out, p.forward(widen(p.x), false), 2e-5)

				trunk, err = NewTrunk(path, s, epsilon, 2, true)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 { // the second run must not depend on the first
					trunk.Forward(p.x, p.layers, out)
					trunk.Backward(p.slope, p.layers, p.gradients)
				}
				near(t, "training", out, p.forward(widen(p.x), true), 2e-5)
				dw, dgamma, dbeta := p.backward(widen(p.slope))
				for i, l := range p.layers {
					near(t, fmt.Sprintf("mean %d", i), l.Mean, p.mean[i], 1e-5)
					near(t, fmt.Sprintf("variance %d", i), l.Variance, p.variance[i], 1e-5)
					g := p.gradients[i]
					near(t, fmt.Sprintf("weight %d", i), g.Weight, dw[i], 1e-4)
					near(t, fmt.Sprintf("gamma %d", i), g.Gamma, dgamma[i], 1e-4)
					near(t, fmt.Sprintf("beta %d", i), g.Beta, dbeta[i], 1e-4)
				}
			})
		}
	}
}
