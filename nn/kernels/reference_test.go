package kernels

import (
	"math"
	"math/rand/v2"
	"testing"
)

// reference computes ReLU(bias + x ∗ w + skip) by definition, in float64. x and skip are
// [n][channels][height·width].
func reference(height, width, in, out, n int, x, w, bias, skip []float32) []float64 {
	cells := height * width
	y := make([]float64, n*out*cells)
	for r := range n {
		for o := range out {
			for cell := range cells {
				at := (r*out+o)*cells + cell
				sum := float64(bias[o])
				for tap := range 9 {
					b, a := cell/width+tap/3-1, cell%width+tap%3-1
					if b < 0 || b >= height || a < 0 || a >= width {
						continue
					}
					for i := range in {
						sum += float64(w[(o*in+i)*9+tap]) * float64(x[(r*in+i)*cells+b*width+a])
					}
				}
				if skip != nil {
					sum += float64(skip[at])
				}
				if sum < 0 {
					sum = 0
				}
				y[at] = sum
			}
		}
	}
	return y
}

func numbers(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// guarded is a buffer of zeros between guard values.
type guarded struct{ all, inner []float32 }

const canary = 12345.678

func guard(n int) guarded {
	const margin = 64
	all := aligned(n + 2*margin)
	for i := range margin {
		all[i], all[len(all)-1-i] = canary, canary
	}
	return guarded{all, all[margin : margin+n : margin+n]}
}

func (g guarded) check(t *testing.T, what string) {
	t.Helper()
	margin := (len(g.all) - len(g.inner)) / 2
	for i := range margin {
		if g.all[i] != canary || g.all[len(g.all)-1-i] != canary {
			t.Fatalf("%s: written outside", what)
		}
	}
}

// read returns activations as [n][channels][cells].
func read(b *Board, x []float32, n, channels int) []float32 {
	groups, rows := split(n)
	y := make([]float32, 0, n*channels*b.Cells())
	for r := range n {
		for c := range channels {
			for _, p := range b.place {
				y = append(y, x[r/rows*b.groupLen(channels)+b.at(c/lanes, r%rows, p)+c%lanes])
			}
		}
	}
	_ = groups
	return y
}

func eachPath(t *testing.T, f func(t *testing.T, p *Path)) {
	for _, p := range Paths() {
		t.Run(p.String(), func(t *testing.T) { f(t, p) })
	}
}

// run computes one layer, with guard values around every buffer.
func run(t *testing.T, b *Board, in, out, n int, x, w, bias, skip []float32) []float32 {
	t.Helper()
	c := NewConvolution(b, in, out, w, bias)
	s := NewSpace(b, in)
	v, m := guard(len(s.v)), guard(len(s.m))
	s.v, s.m = v.inner, m.inner
	from, to, add := guard(len(b.Activations(in))), guard(len(b.Activations(out))),
		guard(len(b.Activations(out)))
	b.Load(from.inner, n, in, x)
	var by []float32
	if skip != nil {
		b.Load(add.inner, n, out, skip)
		by = add.inner
	}
	before := append([]float32(nil), from.inner...)
	c.Apply(s, n, to.inner, from.inner, by)
	for what, g := range map[string]guarded{
		"transforms": v, "products": m, "input": from, "output": to, "residual": add,
	} {
		g.check(t, what)
	}
	for i := range before {
		if math.Float32bits(before[i]) != math.Float32bits(from.inner[i]) {
			t.Fatalf("the input was changed")
		}
	}
	return read(b, to.inner, n, out)
}

func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(float64(got[i])-want[i]) <= tolerance) {
			t.Fatalf("%s: element %d is %g, the definition gives %g", what, i, got[i], want[i])
		}
	}
}
