package kernels_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
)

// small runs a kernel that needs no shape at compile time, with blocks of 256 threads.
func (b *bench) small(file, name string, x, y int, args *driver.Args) {
	b.Helper()
	f := b.kernel(kernels.TrainingSource(file, b.precision), name, 0)
	b.run(f, driver.Grid{Blocks: [3]int{x, y, 1}, Threads: [3]int{256, 1, 1}}, args)
}

// partial are parts of a sum of n numbers each.
type partial struct {
	from, to driver.Ptr
	n, parts int
}

// sums runs sum_parts, with the first arguments of a BatchNorm that has so many blocks.
func (b *bench) sums(norm int, args *driver.Args, list ...partial) {
	b.Helper()
	for i := range kernels.SumsAtOnce {
		var s partial
		if i < len(list) {
			s = list[i]
		}
		args.Ptr(s.from).Ptr(s.to).Int64(int64(s.n)).Int32(int32(s.parts))
		norm += blocks(s.n, kernels.Summed)
	}
	b.small(kernels.TrainNorm, "sum_parts", norm, 1, args)
}

// noNorm returns the first arguments of sum_parts without a BatchNorm.
func noNorm() *driver.Args {
	return driver.NewArgs().Ptr(0).Int32(0).Int32(0).Int32(0).Ptr(0).Ptr(0).Ptr(0).Ptr(0).Ptr(0).
		Ptr(0)
}

func blocks(n, size int) int { return (n + size - 1) / size }

// TestTrainingNorm compares BatchNorm's kernels with their formulas in float64; channel 0 has a
// small variance and a large mean.
func TestTrainingNorm(t *testing.T) {
	b := newBench(t, kernels.FP32, emulate.Options{Seed: 5})
	const epsilon = 1e-5
	for _, shape := range []struct {
		positions, channels int
	}{{300, 16}, {129, 48}, {1, 16}, {257, 144}} {
		m, n := shape.positions, shape.channels
		rng := random.New(seed, random.Test, uint64(m))
		z, skip, dy := numbers(m*n, rng), numbers(m*n, rng), numbers(m*n, rng)
		gamma, beta := numbers(n, rng), numbers(n, rng)
		for p := range m {
			z[p*n] = 3000 + z[p*n]/64
		}
		stretches := blocks(m, kernels.NormStretch)
		part, statistics, scale, inverse := b.room(4*stretches*2*n), b.room(4*2*n),
			b.room(4*n), b.room(4*n)
		bad := b.up(make([]byte, 4))
		zs, ys, gs := b.floats(z), b.room(4*m*n), b.floats(dy)
		g, be := b.floats(gamma), b.floats(beta)
		size, width := int32(m), int32(n)
		wide := blocks(n, 128)
		b.small(kernels.TrainNorm, "norm_moments",
			stretches, wide, driver.NewArgs().Ptr(zs).Ptr(part).Int32(size).Int32(width))
		b.small(kernels.TrainNorm, "norm_join", blocks(n, kernels.NormJoined), 1, driver.NewArgs().
			Ptr(part).Int32(size).Int32(width).Int32(kernels.NormStretch).Ptr(g).Float32(epsilon).
			Ptr(statistics).Ptr(scale).Ptr(inverse).Ptr(bad))
		all := int64(m * n / 4)
		b.small(kernels.TrainNorm, "norm_apply", blocks(m*n/4, 256), 1, driver.NewArgs().
			Ptr(zs).Ptr(b.floats(skip)).Ptr(ys).Ptr(statistics).Ptr(scale).Ptr(be).Int64(all).
			Int32(width))
		y, got := b.readFloats(ys, m*n), b.readFloats(statistics, 2*n)
		b.small(kernels.TrainNorm, "norm_gate", stretches, wide,
			driver.NewArgs().Ptr(ys).Ptr(gs).Ptr(zs).Ptr(statistics).Ptr(0).Ptr(0).Ptr(part).
				Int32(size).Int32(width))
		// Without skip the gate follows from z, and activations can be made again.
		alone, gated := b.room(4*m*n), b.floats(dy)
		b.small(kernels.TrainNorm, "norm_apply", blocks(m*n/4, 256), 1, driver.NewArgs().
			Ptr(zs).Ptr(0).Ptr(alone).Ptr(statistics).Ptr(scale).Ptr(be).Int64(int64(m*n/4)).
			Int32(width))
		b.small(kernels.TrainNorm, "norm_gate", stretches, wide,
			driver.NewArgs().Ptr(0).Ptr(gated).Ptr(zs).Ptr(statistics).Ptr(scale).Ptr(be).
				Ptr(b.room(4*stretches*2*n)).Int32(size).Int32(width))
		open := b.readFloats(alone, m*n)
		for i, got := range b.readFloats(gated, m*n) {
			if want := map[bool]float32{true: dy[i]}[open[i] > 0]; got != want {
				t.Fatalf("%d positions: gradient %d without activations is %g, want %g", m, i,
					got, want)
			}
		}
		dGamma, dBeta, slope, shift := b.room(4*n), b.room(4*n), b.room(4*n), b.room(4*n)
		b.sums(blocks(n, kernels.NormJoined), driver.NewArgs().
			Ptr(part).Int32(size).Int32(width).Int32(kernels.NormStretch).Ptr(scale).Ptr(inverse).
			Ptr(dGamma).Ptr(dBeta).Ptr(slope).Ptr(shift))
		b.small(kernels.TrainNorm, "norm_backward", blocks(m*n/4, 256), 1, driver.NewArgs().
			Ptr(gs).Ptr(zs).Ptr(statistics).Ptr(scale).Ptr(slope).Ptr(shift).Int64(all).
			Int32(width).Ptr(bad).Ptr(b.floats(z)).Ptr(statistics).Ptr(scale).Ptr(be).Ptr(gated))
		if !slices.Equal(b.readFloats(gated, m*n), open) {
			t.Errorf("%d positions: activations that are made again have other bits", m)
		}
		dg, db, dz, passed := b.readFloats(dGamma, n), b.readFloats(dBeta, n),
			b.readFloats(zs, m*n), b.readFloats(gs, m*n)
		for c := range n {
			what := fmt.Sprintf("%d positions: channel %d", m, c)
			mean, variance := 0.0, 0.0
			for p := range m {
				mean += float64(z[p*n+c]) / float64(m)
			}
			for p := range m {
				d := float64(z[p*n+c]) - mean
				variance += d * d / float64(m)
			}
			near(t, what+"'s mean", got[c], mean, math.Abs(mean)+1, 3e-7)
			// the rounding of a mean of 3000 is part of it
			near(t, what+"'s variance", got[n+c], variance, variance+1e-6, 1e-3)
			// From here on, use the mean as the device rounded it: at 3000 the rounding is a
			// considerable fraction of a standard deviation.
			mean = float64(got[c])
			inverse := 1 / math.Sqrt(variance+epsilon)
			var sum, product float64
			for p := range m {
				hat := (float64(z[p*n+c]) - mean) * inverse
				want := max(float64(gamma[c])*hat+float64(beta[c])+float64(skip[p*n+c]), 0)
				near(t, what+"'s y", y[p*n+c], want, 1+math.Abs(hat), 1e-4)
				d := 0.0
				if y[p*n+c] > 0 {
					d = float64(dy[p*n+c])
				}
				near(t, what+"'s gated gradient", passed[p*n+c], d, 0, 1)
				sum += d
				product += d * hat
			}
			near(t, what+"'s dβ", db[c], sum, float64(m), 1e-5)
			near(t, what+"'s dγ", dg[c], product, float64(m), 1e-4)
			for p := range m {
				hat := (float64(z[p*n+c]) - mean) * inverse
				want := float64(gamma[c]) * inverse *
					(float64(passed[p*n+c]) - sum/float64(m) - hat*product/float64(m))
				near(t, what+"'s dz", dz[p*n+c], want, inverse*(1+math.Abs(hat)), 5e-4)
			}
		}
		if got := b.readFloats(bad, 1)[0]; got != 0 {
			t.Errorf("%d positions: finite numbers raised the flag", m)
		}
		// Evaluation: scale from running statistics.
		running := numbers(2*n, rng)
		for c := range n {
			running[n+c] = 0.5 + float32(rng.Float64())
		}
		b.small(kernels.TrainNorm, "norm_running", blocks(n, 256), 1,
			driver.NewArgs().Ptr(b.floats(running)).Int32(width).Ptr(g).Float32(epsilon).Ptr(scale))
		for c, v := range b.readFloats(scale, n) {
			near(t, "the running scale", v,
				float64(gamma[c])/math.Sqrt(float64(running[n+c])+epsilon),
				1+math.Abs(float64(gamma[c])), 1e-6)
		}
	}
}

// TestTrainingNormFlags checks that numbers that are not finite set the flag.
func TestTrainingNormFlags(t *testing.T) {
	b := newBench(t, kernels.FP32, emulate.Options{})
	const n = 16
	ones := make([]float32, 2*n)
	for i := range ones {
		ones[i] = 1
	}
	for _, v := range []float32{float32(math.NaN()), float32(math.Inf(-1)), 3e38} {
		z := make([]float32, 2*n)
		z[n+3], z[3] = v, -v // in 3e38's case the variance alone overflows
		part, statistics, scale, inverse := b.room(4*2*n), b.room(4*2*n), b.room(4*n), b.room(4*n)
		bad := b.up(make([]byte, 4))
		b.small(kernels.TrainNorm, "norm_moments",
			1, 1, driver.NewArgs().Ptr(b.floats(z)).Ptr(part).Int32(2).Int32(n))
		b.small(kernels.TrainNorm, "norm_join", 2, 1, driver.NewArgs().
			Ptr(part).Int32(2).Int32(n).Int32(kernels.NormStretch).Ptr(b.floats(ones)).
			Float32(1e-5).Ptr(statistics).Ptr(scale).Ptr(inverse).Ptr(bad))
		if b.readFloats(bad, 1)[0] == 0 {
			t.Errorf("%g raised no flag", v)
		}
		one, clear := b.floats(ones), b.up(make([]byte, 4))
		b.small(kernels.TrainNorm, "norm_backward", 1, 1, driver.NewArgs().
			Ptr(b.floats(z)).Ptr(b.floats(z)).Ptr(one).Ptr(b.floats([]float32{3: 2, 15: 1})).
			Ptr(one).Ptr(one).Int64(n/2).Int32(n).Ptr(clear).Ptr(0).Ptr(0).Ptr(0).Ptr(0).Ptr(0))
		if b.readFloats(clear, 1)[0] == 0 {
			t.Errorf("%g as a gradient raised no flag", v)
		}
	}
}
