package kernels

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/random"
)

func TestMatrix(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		rng := random.New(5, random.Test)
		for _, s := range []struct{ height, width, channels, outs, n int }{
			{5, 5, 32, 20, 32}, {3, 4, 5, 1, 17}, {1, 1, 1, 33, 1}, {2, 2, 17, 16, 20},
			{4, 4, 16, 3, 7},
		} {
			b := NewBoard(p, s.height, s.width)
			cells := b.Cells()
			x := numbers(rng, s.n*s.channels*cells)
			activations := b.Activations(s.channels)
			b.Load(activations, s.n, s.channels, x)
			flat := guard(len(b.Flat(s.channels)))
			in := b.Flatten(flat.inner, activations, 0, s.n, s.n, s.channels)
			flat.check(t, "flattened")

			w, bias := numbers(rng, s.outs*s.channels*cells), numbers(rng, s.outs)
			space := NewSpace(b, s.channels)
			m := NewMatrix(p, s.outs, b.FlatOrder(s.channels), func(o int) []float32 {
				return w[o*s.channels*cells:]
			}, bias)
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

// TestOneRowOfAMatrix compares one row, in which zeros are left out, with the same row of a batch.
func TestOneRowOfAMatrix(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		rng := random.New(6, random.Test)
		for _, s := range []struct {
			ins, outs int
		}{{40, 1}, {1024, 33}, {1030, 64}, {2500, 112}, {100, 192}} {
			order := make([]int, s.ins)
			for i := range order {
				order[i] = i
			}
			for _, density := range []float64{0, 0.3, 1} {
				for _, infinite := range []bool{false, true} {
					w := numbers(rng, s.ins*s.outs)
					if infinite {
						w[rng.IntN(len(w))] = float32(math.Inf(1))
					}
					m := NewMatrix(p, s.outs, order, func(o int) []float32 {
						return w[o*s.ins:][:s.ins]
					}, numbers(rng, s.outs))
					if m.sparse != nil && (infinite || len(p.sparse) == 0) ||
						m.sparse == nil && !infinite && len(p.sparse) > 0 &&
							m.ins*m.outs >= sparseBlocks {
						t.Fatalf("%v, infinite %v: zeros are left out: %v",
							s, infinite, m.sparse != nil)
					}
					row := numbers(rng, s.ins)
					for i := range row {
						if rng.Float64() >= density {
							row[i] = 0
						}
					}
					if density == 0.3 && rng.IntN(2) == 0 {
						row[rng.IntN(s.ins)] = float32(math.NaN())
					}
					space := NewSpace(NewDirectBoard(p, 1, 1), 1)
					output := func(n, at int) []float32 {
						x, y, got := m.Inputs(), guard(len(m.Outputs())), make([]float32, s.outs)
						for i := range y.inner {
							y.inner[i] = canary // of what was computed before
						}
						m.SetInputs(n, at, 0, row, x)
						m.Apply(space, n, y.inner, x)
						y.check(t, "outputs")
						m.Output(n, at, got, y.inner)
						return got
					}
					want := output(4, 2)
					for o, v := range output(1, 0) {
						if math.Float32bits(v) != math.Float32bits(want[o]) &&
							!(v != v && want[o] != want[o]) {
							t.Fatalf("%v, density %g, infinite %v: output %d is %g alone, %g of four rows", s, density, infinite, o, v, want[o])
						}
					}
				}
			}
		}
	})
}
