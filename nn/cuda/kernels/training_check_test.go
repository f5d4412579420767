package kernels_test

import (
	"slices"
	"testing"

	"tengen/internal/random"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
	"tengen/nn/cuda/kernels"
)

// TestTrainingCheck checks that exchange exchanges all numbers and no others, and that compare
// finds a number of other bits wherever it is, zeros of other signs and NaN of other bits too.
func TestTrainingCheck(t *testing.T) {
	b := newBench(t, kernels.FP32, emulate.Options{Seed: 5})
	const n, size = 300, 303
	rng := random.New(seed, random.Test)
	x, y := numbers(size, rng), numbers(size, rng)
	px, py := b.floats(x), b.floats(y)
	b.small(kernels.TrainCheck, "exchange", blocks(n, 256), 1,
		driver.NewArgs().Ptr(px).Ptr(py).Int64(n))
	if !slices.Equal(b.readFloats(px, size), append(slices.Clone(y[:n]), x[n:]...)) ||
		!slices.Equal(b.readFloats(py, size), append(slices.Clone(x[:n]), y[n:]...)) {
		t.Error("other numbers were exchanged")
	}
	words := func(at int, bits uint32) driver.Ptr {
		list := make([]uint32, size)
		list[7], list[8] = 0x7fc00001, 0x80000000 // NaN, -0
		list[at] ^= bits
		return b.up(driver.Bytes(list))
	}
	for _, c := range []struct {
		at   int
		bits uint32
		want int32
	}{{0, 0, 0}, {0, 1, 1}, {n - 1, 1 << 31, 1}, {7, 1, 1}, {8, 1 << 31, 1}, {n, 1, 0}} {
		differ := b.up(make([]byte, 4))
		b.small(kernels.TrainCheck, "compare", blocks(n, 256), 1, driver.NewArgs().
			Ptr(words(0, 0)).Ptr(words(c.at, c.bits)).Int64(n).Ptr(differ))
		got := make([]int32, 1)
		b.check(b.ctx.CopyOut(driver.Bytes(got), differ, 0))
		b.check(b.ctx.Synchronize(0))
		if got[0] != c.want {
			t.Errorf("number %d with bits %#x: the flag is %d, want %d", c.at, c.bits, got[0],
				c.want)
		}
	}
}
