package training

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn/kernels"
)

func TestDenseIsItsDefinition(t *testing.T) {
	for _, path := range kernels.Paths() {
		for index, s := range []DenseShape{
			{35, 1, 50, 20}, {16, 3, 32, 16}, {5, 2, 7, 33}, {1, 1, 1, 1}, {50, 3, 64, 26},
		} {
			t.Run(fmt.Sprintf("%s %+v", path, s), func(t *testing.T) {
				rng := random.New(1, random.Test, uint64(index))
				draw := func(n int) []float32 {
					x := make([]float32, n)
					for i := range x {
						x[i] = float32(rng.NormFloat64())
					}
					return x
				}
				x, w, g := draw(s.Rows*s.Groups*s.In), draw(s.Groups*s.Out*s.In),
					draw(s.Rows*s.Groups*s.Out)
				y, dx, dw := make([]float64, len(g)), make([]float64, len(x)),
					make([]float64, len(w))
				for r := range s.Rows {
					for o := range s.Groups * s.Out {
						for i := range s.In {
							at, in := o*s.In+i, (r*s.Groups+o/s.Out)*s.In+i
							y[r*s.Groups*s.Out+o] += float64(x[in]) * float64(w[at])
							dx[in] += float64(g[r*s.Groups*s.Out+o]) * float64(w[at])
							dw[at] += float64(g[r*s.Groups*s.Out+o]) * float64(x[in])
						}
					}
				}
				for _, workers := range []int{1, 3} {
					d := NewDense(path, s, workers)
					gotY, gotX, gotW := make([]float32, len(y)), make([]float32, len(x)),
						make([]float32, len(w))
					for range 2 {
						d.Forward(x, w, gotY)
						d.Backward(g, gotX, gotW)
					}
					near(t, "result", gotY, y, 1e-5)
					near(t, "input's gradient", gotX, dx, 1e-5)
					near(t, "weights' gradient", gotW, dw, 1e-5)
				}
			})
		}
	}
}

func TestTranspose(t *testing.T) {
	for _, path := range kernels.Paths() {
		for _, s := range [][2]int{{16, 16}, {25, 128}, {128, 25}, {17, 40}, {9, 30}, {1, 1}} {
			a, b := s[0], s[1]
			src, dst := make([]float32, a*b), make([]float32, a*b)
			for i := range src {
				src[i] = float32(i)
			}
			Transpose(path, a, b, src, dst)
			for i := range a {
				for j := range b {
					if dst[j*a+i] != src[i*b+j] {
						t.Fatalf("%s %d×%d: row %d, column %d is %g, want %g",
							path, a, b, j, i, dst[j*a+i], src[i*b+j])
					}
				}
			}
		}
	}
}

// TestAdamByItsFormula compares steps with Adam in float64, for lengths that are not all multiples
// of a vector's.
func TestAdamByItsFormula(t *testing.T) {
	for _, path := range kernels.Paths() {
		for _, n := range []int{1, 16, 37} {
			rng := random.New(1, random.Test, uint64(n))
			var single [4][]float32
			var double [4][]float64
			for i := range single {
				single[i], double[i] = make([]float32, n+1), make([]float64, n)
			}
			for j := range n {
				single[0][j] = float32(rng.NormFloat64())
				double[0][j] = float64(single[0][j])
			}
			for step := 1; step <= 5; step++ {
				c := AdamConstants{Scale: 0.5, Decay: 0.01, First: 0.1, Second: 0.001,
					Epsilon:    1e-8,
					Correction: float32(1 / (1 - math.Pow(0.999, float64(step)))),
					Rate:       float32(0.01 / (1 - math.Pow(0.9, float64(step))))}
				for j := range n {
					single[3][j] = float32(rng.NormFloat64())
					g := 0.5*float64(single[3][j]) + 0.01*double[0][j]
					double[1][j] = 0.9*double[1][j] + 0.1*g
					double[2][j] = 0.999*double[2][j] + 0.001*g*g
					double[0][j] -= float64(c.Rate) * double[1][j] /
						(math.Sqrt(double[2][j]*float64(c.Correction)) + 1e-8)
				}
				AdamStep(path, single[0][:n], single[1][:n], single[2][:n], single[3][:n], c)
			}
			for i, what := range []string{"weight", "first moment", "second moment"} {
				near(t, fmt.Sprintf("%s, %d numbers: %s", path, n, what), single[i][:n],
					double[i], 1e-4)
				if single[i][n] != 0 {
					t.Errorf("%s, %d numbers: %s beyond the end is %g", path, n, what, single[i][n])
				}
			}
		}
	}
}
