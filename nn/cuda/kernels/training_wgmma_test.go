package kernels_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
)

// convolutions are layers for products with wgmma: boards with few blocks of threads, so that these
// compute several tiles, the last of which are small.
var convolutions = []struct {
	height, width, in, out int
	boards, sms            int
	inference              bool
	quick                  bool // part of the short tests
}{
	{3, 3, 64, 64, 31, 1, false, true}, // a whole tile and 23 positions
	{5, 5, 64, 128, 1, 132, true, true},
	{3, 3, 128, 192, 85, 5, true, false},
	{5, 5, 128, 128, 41, 3, false, false},
	{6, 7, 192, 64, 25, 2, false, false},
	{9, 9, 256, 256, 5, 3, true, false},
	{13, 13, 64, 96 * 2, 7, 4, false, false},
	{19, 19, 128, 64, 3, 2, true, false},
	{19, 19, 256, 256, 1, 132, false, false},
	{1, 90, 64, 64, 4, 1, false, false},
}

// TestWGMMAProduct compares products with wgmma with their definition in float64, and checks that a
// position's bits do not depend on the number of positions and of blocks.
func TestWGMMAProduct(t *testing.T) {
	for index, c := range convolutions {
		if !everything && !c.quick {
			continue
		}
		t.Run(fmt.Sprintf("%d×%d %d→%d", c.height, c.width, c.in, c.out), func(t *testing.T) {
			b := newBench(t, kernels.BF16, emulate.Options{Seed: uint64(index)})
			b.device.SMs = c.sms
			l := kernels.Layer{Taps: 9, Height: c.height, Width: c.width, In: c.in, Out: c.out}
			positions := c.boards * c.height * c.width
			tiled, err := kernels.NewProduct(l, positions, kernels.BF16, &b.device)
			b.check(err)
			plan := tiled.AsWGMMA(kernels.BF16, &b.device)
			if plan == nil {
				t.Fatal("it is not planned")
			}
			source := plan.Source
			if c.inference {
				source.Defines = append(slices.Clone(source.Defines), "INFERENCE=1")
			}
			f := b.kernel(source, "product", plan.Shared)
			rng := random.New(seed, random.Test, uint64(index))
			x, w, add, biases := numbers(positions*l.In, rng), numbers(l.Weights(), rng),
				numbers(positions*l.Out, rng), numbers(l.Out, rng)
			from, weights, bias := b.elements(x), b.elements(w), b.floats(biases)
			run := func(positions int, add, y driver.Ptr, norm ...driver.Ptr) []float32 {
				if c.inference {
					norm = []driver.Ptr{bias}
				}
				return b.product(f, plan, from, weights, add, y, positions, norm...)
			}
			plus := b.elements(add) // added in place
			got := [2][]float32{
				run(positions, 0, b.room(2*positions*l.Out)), run(positions, plus, plus),
			}
			for i, v := range w {
				w[i] = roundBF16(v)
			}
			for i, v := range x {
				x[i] = roundBF16(v)
			}
			for p := range positions {
				want, size := make([]float64, l.Out), make([]float64, l.Out)
				for k := range 9 {
					q, on := tap(l, p, k)
					if !on {
						continue
					}
					row := x[q*l.In:][:l.In]
					for o := range want {
						for i, v := range w[(o*9+k)*l.In:][:l.In] {
							v := float64(row[i]) * float64(v)
							want[o] += v
							size[o] += math.Abs(v)
						}
					}
				}
				for o, v := range want {
					for added := range 2 {
						v := v
						if c.inference {
							v += float64(biases[o])
						}
						if added == 1 {
							v += b.element(add[p*l.Out+o])
						}
						if c.inference {
							v = max(v, 0)
						}
						near(t, fmt.Sprintf("channel %d of position %d, %d added", o, p, added),
							got[added][p*l.Out+o], v,
							1e-5+size[o]*1e-6+math.Abs(v)*b.epsilon(), 1)
					}
				}
			}
			few := (c.boards + 2) / 3 * c.height * c.width
			if !slices.Equal(run(few, 0, b.room(2*few*l.Out)), got[0][:few*l.Out]) {
				t.Errorf("%d positions have other bits than the same among %d", few, positions)
			}
			if !c.inference {
				b.checkNorm(l.Out, positions, got[1], rng, func(norm ...driver.Ptr) []float32 {
					plus := b.elements(add)
					return run(positions, plus, plus, norm...)
				})
				y := b.room(2 * positions * l.Out)
				b.checkInput(l, positions, rng, func(x driver.Ptr, norm ...driver.Ptr) []float32 {
					return b.product(f, plan, x, weights, 0, y, positions, norm...)
				})
			}
		})
	}
}

// product runs a product, with more arguments after positions: six null pointers if none are
// given and the product takes some.
func (b *bench) product(
	f driver.Function, plan *kernels.Product, x, w, add, y driver.Ptr, positions int,
	more ...driver.Ptr,
) []float32 {
	b.Helper()
	args := driver.NewArgs().Ptr(x).Ptr(w).Ptr(add).Ptr(y).Int32(int32(positions))
	if more == nil && plan.Norm() {
		more = make([]driver.Ptr, 6)
	}
	for _, p := range more {
		args.Ptr(p)
	}
	b.run(f, plan.Grid(positions), plan.Shape(args))
	return b.readElements(y, positions*plan.Layer.Out)
}

// activate runs norm_apply, without something that is added.
func (b *bench) activate(z, mean, scale, beta driver.Ptr, n, channels int) driver.Ptr {
	b.Helper()
	y := b.room(n * b.precision.Element())
	b.small(kernels.TrainNorm, "norm_apply", blocks(n/4, 256), 1, driver.NewArgs().
		Ptr(z).Ptr(0).Ptr(y).Ptr(mean).Ptr(scale).Ptr(beta).Int64(int64(n/4)).
		Int32(int32(channels)))
	return y
}

// checkInput checks that a product which activates its input has the bits of one whose input was
// activated before; run runs it.
func (b *bench) checkInput(
	l kernels.Layer, positions int, rng *rand.Rand,
	run func(x driver.Ptr, norm ...driver.Ptr) []float32,
) {
	b.Helper()
	z, mean := b.elements(numbers(positions*l.In, rng)), b.floats(numbers(l.In, rng))
	scale, beta := b.floats(numbers(l.In, rng)), b.floats(numbers(l.In, rng))
	stretches := blocks(positions, kernels.MomentStretch)
	var parts [2]driver.Ptr
	for i := range parts {
		parts[i] = b.room(4 * stretches * 2 * l.Out)
	}
	x := b.activate(z, mean, scale, beta, positions*l.In, l.In)
	want := run(x, 0, 0, 0, 0, 0, parts[0])
	got := run(z, 0, 0, mean, scale, beta, parts[1])
	if !slices.Equal(got, want) || !slices.Equal(run(z, 0, 0, mean, scale, beta, 0), want) {
		b.Error("a product that activates its input has other bits")
	}
	if !slices.Equal(b.readFloats(parts[1], stretches*2*l.Out),
		b.readFloats(parts[0], stretches*2*l.Out)) {
		b.Error("a product that activates its input has other moments")
	}
}

// checkNorm checks a product's part in BatchNorm: the moments of its results, and these as a
// gradient through a ReLU. want are the results without, run runs it.
func (b *bench) checkNorm(
	channels, positions int, want []float32, rng *rand.Rand,
	run func(norm ...driver.Ptr) []float32,
) {
	b.Helper()
	out, z, mean := numbers(positions*channels, rng), numbers(positions*channels, rng),
		numbers(channels, rng)
	stretches := blocks(positions, kernels.MomentStretch)
	part := b.room(4 * stretches * 2 * channels)
	before, means := b.elements(z), b.floats(mean)
	for i, norm := range [][]driver.Ptr{
		{0, 0, 0, 0, 0, part}, {b.elements(out), before, means, 0, 0, part},
	} {
		y := run(norm...)
		sums := b.readFloats(part, stretches*2*channels)
		for row := range stretches {
			from := row * kernels.MomentStretch
			n := min(kernels.MomentStretch, positions-from)
			for o := range channels {
				var one, two, size, large float64
				for p := from; p < from+n; p++ {
					at := p*channels + o
					want := want[at]
					if i == 1 && out[at] <= 0 {
						want = 0
					}
					if y[at] != want {
						b.Fatalf("with sums %d, channel %d of position %d is %g, want %g",
							i, o, p, y[at], want)
					}
					v := float64(want)
					one += v
					size += math.Abs(v)
					if i == 1 {
						d := v * (b.element(z[at]) - float64(mean[o]))
						two += d
						large += math.Abs(d)
					}
				}
				if i == 0 {
					one, size = one/float64(n), size/float64(n)
					for p := from; p < from+n; p++ {
						d := float64(y[p*channels+o]) - one
						two += d * d
					}
					large = two
				}
				what := fmt.Sprintf("sums %d of channel %d from position %d: ", i, o, from)
				near(b, what+"first", sums[2*row*channels+o], one, size+1e-3, 1e-5)
				near(b, what+"second", sums[(2*row+1)*channels+o], two, large+1e-3, 1e-5)
			}
		}
	}
}
