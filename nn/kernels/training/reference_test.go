package training

import (
	"math"
	"math/rand/v2"
	"testing"
)

const epsilon = 1e-5

// reference is a trunk computed by definition, in float64. Activations are [row, cell, channel].
type reference struct {
	Shape
	weight, gamma, beta, mean, variance [][]float64 // by layer

	x, y, out [][]float64 // by layer: input, what the convolution gives, result
}

func (r *reference) channels(i int) int {
	if i == 0 {
		return r.Planes
	}
	return r.Filters
}

// visit calls f for every product of a convolution.
func (r *reference) visit(i int, f func(y, x, w int)) {
	in := r.channels(i)
	for row := range r.Rows {
		for v := range r.Height {
			for u := range r.Width {
				for t := range 9 {
					b, a := v+t/3-1, u+t%3-1
					if b < 0 || b >= r.Height || a < 0 || a >= r.Width {
						continue
					}
					y, x := ((row*r.Height+v)*r.Width+u)*r.Filters, ((row*r.Height+b)*r.Width+a)*in
					for o := range r.Filters {
						for c := range in {
							f(y+o, x+c, (o*in+c)*9+t)
						}
					}
				}
			}
		}
	}
}

func (r *reference) forward(x []float64, training bool) []float64 {
	n := len(r.weight)
	r.x, r.y, r.out = make([][]float64, n), make([][]float64, n), make([][]float64, n)
	cells := float64(r.Rows * r.Height * r.Width)
	for i := range n {
		y := make([]float64, int(cells)*r.Filters)
		r.visit(i, func(o, in, w int) { y[o] += x[in] * r.weight[i][w] })
		if training {
			mean, variance := make([]float64, r.Filters), make([]float64, r.Filters)
			for j, v := range y {
				mean[j%r.Filters] += v / cells
			}
			for j, v := range y {
				d := v - mean[j%r.Filters]
				variance[j%r.Filters] += d * d / cells
			}
			r.mean[i], r.variance[i] = mean, variance
		}
		out := make([]float64, len(y))
		for j, v := range y {
			c := j % r.Filters
			out[j] = r.gamma[i][c]*(v-r.mean[i][c])/math.Sqrt(r.variance[i][c]+epsilon) +
				r.beta[i][c]
		}
		for j, v := range out {
			if i > 0 && i%2 == 0 {
				v += r.x[i-1][j]
			}
			out[j] = max(v, 0)
		}
		r.x[i], r.y[i], r.out[i] = x, y, out
		x = out
	}
	return x
}

// backward returns the gradients of weight, gamma, beta by layer.
func (r *reference) backward(slope []float64) (dw, dgamma, dbeta [][]float64) {
	n := len(r.weight)
	dw, dgamma, dbeta = make([][]float64, n), make([][]float64, n), make([][]float64, n)
	cells := float64(r.Rows * r.Height * r.Width)
	var around []float64
	for i := n - 1; i >= 0; i-- {
		g := make([]float64, len(slope))
		dgamma[i], dbeta[i] = make([]float64, r.Filters), make([]float64, r.Filters)
		normal := func(j int) float64 {
			return (r.y[i][j] - r.mean[i][j%r.Filters]) /
				math.Sqrt(r.variance[i][j%r.Filters]+epsilon)
		}
		for j, d := range slope {
			if r.out[i][j] > 0 {
				g[j] = d
			}
		}
		if i > 0 && i%2 == 0 {
			around = g
		}
		for j, d := range g {
			dgamma[i][j%r.Filters] += d * normal(j)
			dbeta[i][j%r.Filters] += d
		}
		dy := make([]float64, len(g))
		for j := range g {
			c := j % r.Filters
			dy[j] = r.gamma[i][c] / math.Sqrt(r.variance[i][c]+epsilon) *
				(g[j] - dbeta[i][c]/cells - normal(j)*dgamma[i][c]/cells)
		}
		dw[i] = make([]float64, len(r.weight[i]))
		slope = make([]float64, len(r.x[i]))
		r.visit(i, func(o, in, w int) {
			dw[i][w] += dy[o] * r.x[i][in]
			slope[in] += dy[o] * r.weight[i][w]
		})
		if i%2 == 1 {
			for j, d := range around {
				slope[j] += d
			}
		}
	}
	return dw, dgamma, dbeta
}

// problem is a trunk's parameters and inputs, and the reference with the same ones.
type problem struct {
	reference
	layers    []Layer
	gradients []Gradient
	x, slope  []float32
}

func newProblem(s Shape, rng *rand.Rand) *problem {
	p := &problem{reference: reference{Shape: s}}
	draw := func(n int, mean, deviation float64) ([]float32, []float64) {
		a, b := make([]float32, n), make([]float64, n)
		for i := range a {
			a[i] = float32(mean + deviation*rng.NormFloat64())
			b[i] = float64(a[i])
		}
		return a, b
	}
	for i := range 1 + 2*s.Blocks {
		in := p.channels(i)
		var l Layer
		var w, gamma, beta, mean, variance []float64
		l.Weight, w = draw(s.Filters*in*9, 0, math.Sqrt(2/float64(9*in)))
		l.Gamma, gamma = draw(s.Filters, 1, 0.3)
		l.Beta, beta = draw(s.Filters, 0, 0.3)
		l.Mean, mean = draw(s.Filters, 0, 0.3)
		l.Variance, variance = draw(s.Filters, 0, 0)
		for c := range l.Variance {
			l.Variance[c] = 0.5 + rng.Float32()
			variance[c] = float64(l.Variance[c])
		}
		p.layers = append(p.layers, l)
		p.weight, p.gamma, p.beta = append(p.weight, w), append(p.gamma, gamma),
			append(p.beta, beta)
		p.mean, p.variance = append(p.mean, mean), append(p.variance, variance)
		gradient := Gradient{
			Weight: make([]float32, len(w)), Gamma: make([]float32, s.Filters),
			Beta: make([]float32, s.Filters),
		}
		p.gradients = append(p.gradients, gradient)
	}
	cells := s.Rows * s.Height * s.Width
	p.x, _ = draw(cells*s.Planes, 0, 1)
	p.slope, _ = draw(cells*s.Filters, 0, 1/float64(cells))
	return p
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// near compares numbers with the reference's, relative to their root mean square.
func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	scale := 0.0
	for _, v := range want {
		scale += v * v
	}
	scale = math.Sqrt(scale/float64(len(want))) + 1e-30
	for i, v := range want {
		if d := math.Abs(float64(got[i])-v) / scale; !(d <= tolerance) {
			t.Fatalf("%s: number %d is %g, the definition gives %g; they differ by %g of the root mean square", what, i, got[i], v, d)
		}
	}
}
