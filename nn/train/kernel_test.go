package train

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"tengen/internal/random"
)

var shapes = []struct{ height, width, in, out int }{
	{1, 1, 1, 1}, {1, 4, 3, 2}, {4, 1, 2, 5}, {2, 2, 4, 4}, {3, 5, 7, 3}, {5, 5, 6, 8},
	{6, 7, 5, 9}, {5, 5, 33, 17},
}

func numbers(rng *rand.Rand, n int) []float64 {
	x := aligned[float64](n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// visitTaps calls f for every product of a convolution by its definition.
func visitTaps(height, width, in, out int, f func(outIndex, inIndex, weight int)) {
	for y := range height {
		for x := range width {
			for o := range out {
				for i := range in {
					for dy := range 3 {
						for dx := range 3 {
							v, u := y+dy-1, x+dx-1
							if v < 0 || v >= height || u < 0 || u >= width {
								continue
							}
							f((y*width+x)*out+o, (v*width+u)*in+i, ((o*in+i)*3+dy)*3+dx)
						}
					}
				}
			}
		}
	}
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: element %d is %g, the definition gives %g", what, i, got[i], want[i])
		}
	}
}

func TestConvolutionIsItsDefinition(t *testing.T) {
	for index, s := range shapes {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			rng := random.New(1, random.Test, uint64(index))
			const n = 3
			cells := s.height * s.width
			board := newBoard(s.height, s.width)
			w := numbers(rng, s.out*s.in*9)
			xs, ys := cells*s.in+1, cells*s.out+2 // strides beyond the rows
			x, dy := numbers(rng, n*xs), numbers(rng, n*ys)
			y, dx, dw := make([]float64, n*ys), make([]float64, n*xs), make([]float64, len(w))
			for r := range n {
				visitTaps(s.height, s.width, s.in, s.out, func(o, i, k int) {
					y[r*ys+o] += x[r*xs+i] * w[k]
					dx[r*xs+i] += dy[r*ys+o] * w[k]
					dw[k] += dy[r*ys+o] * x[r*xs+i]
				})
			}

			k := newKernel[float64](board, s.in, s.out)
			k.Pack(w)
			got := make([]float64, n*ys)
			k.Forward(n, x, xs, got, ys)
			near(t, "forward", got, y, 1e-12)
			k.Forward(n, x, xs, got, ys)
			for i := range y {
				y[i] *= 2
			}
			near(t, "forward, added twice", got, y, 1e-12)

			single := newKernel[float32](board, s.in, s.out)
			single.Pack(narrow(w))
			got32 := make([]float32, n*ys)
			single.Forward(n, narrow(x), xs, got32, ys)
			single.Forward(n, narrow(x), xs, got32, ys)
			near(t, "forward in float32", widen(got32), y, 2e-4)

			gotX := make([]float64, n*xs)
			k.Backward(n, dy, ys, gotX, xs, aligned[float64](k.ScratchLen()))
			near(t, "backward", gotX, dx, 1e-12)

			gradient := newKernel[float64](board, s.in, s.out)
			half := s.in / 2
			for range 2 { // the second must not depend on the first
				gradient.Clear()
				gradient.AddGradient(n, x, xs, dy, ys, 0, half)
				gradient.AddGradient(n, x, xs, dy, ys, half, s.in)
			}
			gotW := make([]float64, len(w))
			gradient.Unpack(gotW)
			near(t, "weights", gotW, dw, 1e-12)
		})
	}
}

func narrow(x []float64) []float32 {
	y := aligned[float32](len(x))
	for i := range x {
		y[i] = float32(x[i])
	}
	return y
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = float64(x[i])
	}
	return y
}

func TestTranspose(t *testing.T) {
	const n, m, stride = 37, 30, 32
	src := numbers(random.New(1, random.Test, 100), n*stride)
	dst := make([]float64, n*m)
	transpose(20, m, src, stride, dst, n, 0)
	transpose(n-20, m, src[20*stride:], stride, dst, n, 20)
	for r := range n {
		for c := range m {
			if got, want := dst[c*n+r], src[r*stride+c]; got != want {
				t.Fatalf("row %d, column %d: %g, want %g", r, c, got, want)
			}
		}
	}
}

func TestConvolutionAllocatesNothing(t *testing.T) {
	for _, c := range []int{8, 130} {
		board := newBoard(5, 5)
		const n = 70
		k, gradient := newKernel[float32](board, c, c), newKernel[float32](board, c, c)
		x, y, scratch := aligned[float32](n*25*c), aligned[float32](n*25*c),
			aligned[float32](k.ScratchLen())
		if allocations := testing.AllocsPerRun(2, func() {
			k.Forward(n, x, 25*c, y, 25*c)
			k.Backward(1, y, 25*c, x, 25*c, scratch)
			gradient.AddGradient(n, x, 25*c, y, 25*c, 0, c)
		}); allocations != 0 {
			t.Errorf("%d channels: %g allocations, want none", c, allocations)
		}
	}
}

func TestAlignedIsAligned(t *testing.T) {
	for n := range 40 {
		if x := aligned[float32](n); len(x) != n || cap(x) != n {
			t.Fatalf("length %d, capacity %d, want %d", len(x), cap(x), n)
		} else if n > 0 && address(x)%64 != 0 {
			t.Fatalf("%d floats lie at %#x", n, address(x))
		}
	}
}

func address(x []float32) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(x))) }

// BenchmarkKernel uses activations of which half are zero, as after a ReLU.
func BenchmarkKernel(b *testing.B) {
	for _, c := range []int{32, 128} {
		const n = 16
		board := newBoard(5, 5)
		k, gradient := newKernel[float32](board, c, c), newKernel[float32](board, c, c)
		rng := random.New(1, random.Test)
		k.Pack(narrow(numbers(rng, 9*c*c)))
		x, y := narrow(numbers(rng, n*25*c)), narrow(numbers(rng, n*25*c))
		for i := range x {
			x[i] = max(x[i], 0)
		}
		out, scratch := aligned[float32](n*25*c), aligned[float32](k.ScratchLen())
		for name, f := range map[string]func(){
			"forward":  func() { clear(out); k.Forward(n, x, 25*c, out, 25*c) },
			"backward": func() { k.Backward(n, y, 25*c, out, 25*c, scratch) },
			"weights":  func() { gradient.AddGradient(n, x, 25*c, y, 25*c, 0, c) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, c), func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(n*450*c*c)*float64(b.N)/b.Elapsed().Seconds()/1e9,
					"nominalGFLOP/s")
			})
		}
	}
}
