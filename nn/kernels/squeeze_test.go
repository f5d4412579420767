package kernels

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/stream"
)

// excited computes a block's squeeze-and-excitation by definition, in float64, for z and skip
// [n][channels][cells].
func excited(channels, cells, n int, z []float64, skip []float32, squeeze, scale, shift Dense) []float64 {
	dense := func(d Dense, x []float64) []float64 {
		y := make([]float64, len(d.Bias))
		for o := range y {
			y[o] = float64(d.Bias[o])
			for i, v := range x {
				y[o] += float64(d.Weight[o*len(x)+i]) * v
			}
		}
		return y
	}
	y := make([]float64, len(z))
	for r := range n {
		mean := make([]float64, channels)
		for c := range mean {
			for _, v := range z[(r*channels+c)*cells:][:cells] {
				mean[c] += v / float64(cells)
			}
		}
		h := dense(squeeze, mean)
		for i := range h {
			h[i] = max(h[i], 0)
		}
		a, b := dense(scale, h), dense(shift, h)
		for i := range channels * cells {
			at := r*channels*cells + i
			y[at] = max(z[at]/(1+math.Exp(-a[i/cells]))+b[i/cells]+float64(skip[at]), 0)
		}
	}
	return y
}

func negated(x []float32) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = -v
	}
	return y
}

// TestExcitationIsItsDefinition checks all kinds of boards and every number of rows, and that results in
// one batch are those in another, to the bit.
func TestExcitationIsItsDefinition(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		rng := stream.New(1, stream.Test)
		for _, s := range []struct {
			height, width, channels, units int
			direct                         bool
		}{
			{5, 5, 64, 16, false}, {5, 5, 24, 7, true}, {3, 4, 17, 5, false}, {1, 6, 3, 40, false},
			{10, 5, 24, 16, false}, {4, 7, 48, 16, false}, {9, 9, 5, 1, false}, {5, 5, 130, 48, false},
		} {
			b := NewBoard(p, s.height, s.width)
			if s.direct {
				b = NewDirectBoard(p, s.height, s.width)
			}
			const most = ChunkRows
			cells := b.Cells()
			dense := func(out, in int) Dense {
				d := Dense{random(rng, out*in), random(rng, out)}
				for i := range d.Weight {
					d.Weight[i] /= float32(math.Sqrt(float64(in)))
				}
				return d
			}
			squeeze, scale, shift := dense(s.units, s.channels), dense(s.channels, s.units), dense(s.channels, s.units)
			e := NewExcitation(p, s.channels, cells, squeeze, scale, shift)
			w, bias := random(rng, s.channels*s.channels*9), random(rng, s.channels)
			for i := range w {
				w[i] /= float32(3 * math.Sqrt(float64(s.channels)))
			}
			x, skip := random(rng, most*s.channels*cells), random(rng, most*s.channels*cells)
			conv, space, scratch := NewConvolution(b, s.channels, s.channels, w, bias), NewSpace(b, s.channels), e.NewSpace(b)
			// ReLU(z) − ReLU(−z) is z.
			z := reference(s.height, s.width, s.channels, s.channels, most, x, w, bias, nil)
			for i, v := range reference(s.height, s.width, s.channels, s.channels, most, x, negated(w), negated(bias), nil) {
				z[i] -= v
			}
			want := excited(s.channels, cells, most, z, skip, squeeze, scale, shift)
			from, to, by := b.Activations(s.channels), guard(len(b.Activations(s.channels))), b.Activations(s.channels)
			length := s.channels * cells
			var all []float32
			for n := most; n >= 1; n-- {
				first := rng.IntN(most - n + 1)
				b.Load(from, n, s.channels, x[first*length:])
				b.Load(by, n, s.channels, skip[first*length:])
				e.Apply(conv, space, scratch, n, to.inner, from, by)
				to.check(t, "output")
				got := read(b, to.inner, n, s.channels)
				if all == nil {
					all = got
					near(t, fmt.Sprintf("%+v", s), got, want, 2e-5)
				}
				for i, v := range got {
					if math.Float32bits(v) != math.Float32bits(all[first*length+i]) {
						t.Fatalf("%+v: element %d is %g in a batch of %d rows, %g in one of %d", s, i, v, n, all[first*length+i], most)
					}
				}
				for _, place := range b.margin {
					if v := to.inner[b.at(0, 0, place)]; v != 0 {
						t.Fatalf("%+v: place %d, which is off the board, is %g", s, place, v)
					}
				}
			}
		}
	})
}

func TestSigmoid(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		for i := -4000; i <= 4000; i++ {
			x, bias, y := aligned(lanes), aligned(lanes), aligned(lanes)
			for l := range x {
				x[l], bias[l] = float32(i)/100, float32(l)/1600
			}
			p.sigmoid(&y[0], &x[0], &bias[0], 1)
			for l, v := range y {
				if want := 1 / (1 + math.Exp(-2*float64(x[l]+bias[l]))); math.Abs(float64(v)-want) > 4e-7 {
					t.Fatalf("σ(2·%g) is %g, want %g", x[l]+bias[l], v, want)
				}
			}
		}
		x, zero := aligned(lanes), aligned(lanes)
		x[1], x[2], x[3] = float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())
		p.sigmoid(&x[0], &x[0], &zero[0], 1)
		if x[0] != 0.5 || x[1] != 1 || x[2] != 0 || x[3] == x[3] {
			t.Errorf("σ of 0, ∞, −∞ and NaN is %v, want 0.5, 1, 0 and NaN", x[:4])
		}
	})
}
