package kernels

import (
	"fmt"
	"testing"

	"tengen/internal/stream"
)

func TestMatrix(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		rng := stream.New(5, stream.Test)
		for _, s := range []struct{ height, width, channels, outs, n int }{
			{5, 5, 32, 20, 32}, {3, 4, 5, 1, 17}, {1, 1, 1, 33, 1}, {2, 2, 17, 16, 20}, {4, 4, 16, 3, 7},
		} {
			b := NewBoard(p, s.height, s.width)
			cells := b.Cells()
			x := random(rng, s.n*s.channels*cells)
			activations := b.Activations(s.channels)
			b.Load(activations, s.n, s.channels, x)
			flat := guard(len(b.Flat(s.channels)))
			in := b.Flatten(flat.inner, activations, s.n, s.channels)
			flat.check(t, "flattened")

			w, bias := random(rng, s.outs*s.channels*cells), random(rng, s.outs)
			space := NewSpace(b, s.channels)
			m := NewMatrix(p, s.outs, b.FlatOrder(s.channels), func(o int) []float32 { return w[o*s.channels*cells:] }, bias)
			y := guard(len(m.Outputs()))
			m.Apply(space, s.n, y.inner, in)
			y.check(t, "dense")
			got := make([]float32, s.n*s.outs)
			var want []float64
			for r := range s.n {
				m.Output(s.n, r, got[r*s.outs:][:s.outs], y.inner)
				for o := range s.outs {
					sum := float64(bias[o])
					for i := range s.channels * cells {
						sum += float64(w[o*s.channels*cells+i]) * float64(x[r*s.channels*cells+i])
					}
					want = append(want, sum)
				}
			}
			near(t, fmt.Sprint("dense ", s), got, want, 1e-4)
			m.Rectify(s.n, y.inner)
			y.check(t, "rectified")
			for i := range want {
				want[i] = max(want[i], 0) + float64(bias[i%s.outs]) // Output adds it again
			}
			for r := range s.n {
				m.Output(s.n, r, got[r*s.outs:][:s.outs], y.inner)
			}
			near(t, fmt.Sprint("rectified ", s), got, want, 1e-4)

			const outs = 2
			pw := NewPointwise(b, outs, s.channels, func(o int) []float32 { return w[o:] }, bias)
			z := guard(len(b.PointwiseOutputs()))
			pw.ApplyPointwise(b, space, s.n, z.inner, in)
			z.check(t, "pointwise")
			got, want = nil, nil
			maps := make([]float32, cells)
			for r := range s.n {
				for o := range outs {
					pw.PointwiseOutput(b, s.n, r, o, maps, z.inner)
					got = append(got, maps...)
					for cell := range cells {
						sum := float64(pw.bias[o])
						for i := range s.channels {
							sum += float64(w[o+i]) * float64(x[(r*s.channels+i)*cells+cell])
						}
						want = append(want, sum)
					}
				}
			}
			near(t, fmt.Sprint("pointwise ", s), got, want, 1e-4)
		}
	})
}
