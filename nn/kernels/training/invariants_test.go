package training

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn/kernels"
)

// TestWorkersDoNotMatter checks that results are the same to the bit with any number of workers.
func TestWorkersDoNotMatter(t *testing.T) {
	s := Shape{Height: 5, Width: 4, Planes: 3, Filters: 20, Blocks: 2, Rows: group*chunk + 21}
	for _, path := range kernels.Paths() {
		run := func(workers int) (out []float32, p *problem) {
			p = newProblem(s, random.New(1, random.Test))
			trunk, err := NewTrunk(path, s, epsilon, workers, true)
			if err != nil {
				t.Fatal(err)
			}
			out = make([]float32, s.Rows*s.Height*s.Width*s.Filters)
			trunk.Forward(p.x, p.layers, out)
			trunk.Backward(p.slope, p.layers, p.gradients)
			return out, p
		}
		out, p := run(1)
		for _, workers := range []int{2, 5} {
			gotOut, got := run(workers)
			if !slices.Equal(out, gotOut) {
				t.Errorf("%s: results of 1 and %d workers differ", path, workers)
			}
			for i := range p.layers {
				for what, pair := range map[string][2][]float32{
					"mean":            {p.layers[i].Mean, got.layers[i].Mean},
					"variance":        {p.layers[i].Variance, got.layers[i].Variance},
					"weight gradient": {p.gradients[i].Weight, got.gradients[i].Weight},
					"gamma gradient":  {p.gradients[i].Gamma, got.gradients[i].Gamma},
					"beta gradient":   {p.gradients[i].Beta, got.gradients[i].Beta},
				} {
					if !slices.Equal(pair[0], pair[1]) {
						t.Errorf("%s: layer %d: %ss of 1 and %d workers differ",
							path, i, what, workers)
					}
				}
			}
		}
	}
}

// TestRowsAreIndependent checks that in evaluation a NaN or infinity in a row reaches that row's
// result and no other's, and that a row's result does not depend on its place.
func TestRowsAreIndependent(t *testing.T) {
	rowsAreIndependent(t, Shape{Height: 5, Width: 5, Planes: 6, Filters: 16, Blocks: 1, Rows: 37})
}

func rowsAreIndependent(t *testing.T, s Shape) {
	for _, path := range kernels.Paths() {
		trunk, err := NewTrunk(path, s, epsilon, 1, false)
		if err != nil {
			t.Fatal(err)
		}
		p := newProblem(s, random.New(1, random.Test))
		in, length := s.Planes*s.Height*s.Width, s.Filters*s.Height*s.Width
		want, got := make([]float32, s.Rows*length), make([]float32, s.Rows*length)
		trunk.Forward(p.x, p.layers, want)
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			x := slices.Clone(p.x)
			const row = 20
			x[row*in+7] = float32(bad)
			trunk.Forward(x, p.layers, got)
			for r := range s.Rows {
				a, b := got[r*length:][:length], want[r*length:][:length]
				if r == row {
					if !slices.ContainsFunc(a, func(v float32) bool {
						return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0)
					}) {
						t.Errorf("%s: %g does not reach the row's result", path, bad)
					}
				} else if !slices.Equal(a, b) {
					t.Errorf("%s: %g in row %d changed row %d", path, bad, row, r)
				}
			}
		}
		trunk.Forward(p.x, p.layers, got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: results depend on an earlier row that was not finite", path)
		}
		moved := append(slices.Clone(p.x[in:]), p.x[:in]...)
		trunk.Forward(moved, p.layers, got)
		if !slices.Equal(got[:len(got)-length], want[length:]) ||
			!slices.Equal(got[len(got)-length:], want[:length]) {
			t.Errorf("%s: a row's result depends on its place", path)
		}
	}
}

// TestVarianceBesideALargeMean checks that the variance is exact even though the mean is thousands
// of times the standard deviation.
func TestVarianceBesideALargeMean(t *testing.T) {
	s := Shape{Height: 3, Width: 5, Planes: 1, Filters: 16, Blocks: 0, Rows: 100}
	for _, path := range kernels.Paths() {
		p := newProblem(s, random.New(1, random.Test))
		for i := range p.layers[0].Weight { // the middle tap only: y = x, for every filter
			p.layers[0].Weight[i] = 0
			if i%9 == 4 {
				p.layers[0].Weight[i] = 1
			}
			p.weight[0][i] = float64(p.layers[0].Weight[i])
		}
		for c := range p.layers[0].Beta { // far from the ReLU's kink, where rounding would decide
			p.layers[0].Beta[c], p.beta[0][c] = 20, 20
		}
		const mean = 4096
		for i := range p.x {
			p.x[i] += mean
		}
		trunk, err := NewTrunk(path, s, epsilon, 2, true)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float32, s.Rows*s.Height*s.Width*s.Filters)
		trunk.Forward(p.x, p.layers, out)
		p.forward(widen(p.x), true)
		// Values near 4096 are rounded to 5e-4; their squares would be rounded to 2.
		for c, v := range p.variance[0] {
			if got := float64(p.layers[0].Variance[c]); math.Abs(got-v) > 2e-3*v {
				t.Errorf("%s: variance %d is %g, want %g", path, c, got, v)
			}
			if got := float64(p.layers[0].Mean[c]); math.Abs(got-p.mean[0][c]) > 1e-6*mean {
				t.Errorf("%s: mean %d is %g, want %g", path, c, got, p.mean[0][c])
			}
		}
		trunk.Backward(p.slope, p.layers, p.gradients)
		_, dgamma, dbeta := p.backward(widen(p.slope))
		near(t, fmt.Sprintf("%s: gamma", path), p.gradients[0].Gamma, dgamma[0], 2e-3)
		near(t, fmt.Sprintf("%s: beta", path), p.gradients[0].Beta, dbeta[0], 2e-3)
	}
}

// TestLoopsAllocateNothing checks that the number of allocations does not depend on the number of
// groups.
func TestLoopsAllocateNothing(t *testing.T) {
	for _, path := range kernels.Paths() {
		s := Shape{Height: 5, Width: 5, Planes: 6, Filters: 32, Blocks: 1, Rows: 16}
		allocations := func(rows int) float64 {
			s.Rows = rows
			p := newProblem(s, random.New(1, random.Test))
			trunk, err := NewTrunk(path, s, epsilon, 1, true)
			if err != nil {
				t.Fatal(err)
			}
			out := make([]float32, s.Rows*s.Height*s.Width*s.Filters)
			return testing.AllocsPerRun(2, func() {
				trunk.Forward(p.x, p.layers, out)
				trunk.Backward(p.slope, p.layers, p.gradients)
			})
		}
		if few, many := allocations(chunk*group/4), allocations(chunk*group); few != many {
			t.Errorf("%s: %g allocations for %d rows, %g for %d; want equal numbers",
				path, few, chunk*group/4, many, chunk*group)
		}
	}
}

func TestBoardsWithoutATransform(t *testing.T) {
	for _, s := range []Shape{
		{Height: 12, Width: 3}, {Height: 3, Width: 19}, {Height: 0, Width: 3},
	} {
		if Fits(s.Height, s.Width) {
			t.Errorf("a board of %d×%d fits", s.Height, s.Width)
		}
		if _, err := NewTrunk(kernels.Portable, s, epsilon, 1, true); err == nil {
			t.Errorf("a trunk on %d×%d was made", s.Height, s.Width)
		}
	}
}

// TestWrongLengths checks that the trunk panics on arrays of wrong length, since kernels do not
// check bounds.
func TestWrongLengths(t *testing.T) {
	s := Shape{Height: 3, Width: 3, Planes: 2, Filters: 16, Blocks: 1, Rows: 4}
	trunk, err := NewTrunk(kernels.Portable, s, epsilon, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, s.Rows*9*s.Filters)
	for what, spoil := range map[string]func(p *problem){
		"input":  func(p *problem) { p.x = p.x[1:] },
		"weight": func(p *problem) { p.layers[1].Weight = p.layers[1].Weight[1:] },
		"gamma":  func(p *problem) { p.layers[2].Gamma = p.layers[2].Gamma[1:] },
		"layers": func(p *problem) { p.layers = p.layers[1:] },
	} {
		p := newProblem(s, random.New(1, random.Test))
		spoil(p)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic for a wrong length of %s", what)
				}
			}()
			trunk.Forward(p.x, p.layers, out)
		}()
	}
}
