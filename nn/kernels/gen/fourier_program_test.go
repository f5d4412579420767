package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tengen/internal/random"
	"tengen/nn/kernels/gen/internal/asm"
)

func numbers(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func times(m [][]float64, x []float64) []float64 {
	y := make([]float64, len(m))
	for i, row := range m {
		for j, v := range row {
			y[i] += v * x[j]
		}
	}
	return y
}

// run executes a program on x and returns what it stores.
func run(p *asm.Program, x []float64, n int) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = math.NaN()
	}
	p.Run(func(m asm.Mem) float64 { return x[m.Offset/16] }, func(m asm.Mem, v float64) {
		y[m.Offset/16] = v
	})
	return y
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		// constants are float32
		if !(math.Abs(got[i]-want[i]) < max(1e-6, 2e-7*math.Sqrt(float64(len(want))))) {
			t.Fatalf("%s: element %d is %g, the matrix gives %g", what, i, got[i], want[i])
		}
	}
}

func TestProgramsAreTheMatrices(t *testing.T) {
	for height := 1; height <= 19; height++ {
		for width := 1; width <= 19; width++ {
			if large := max(height, width); large > 9 &&
				(large%4 != 3 || height%4 != 3 || width%4 != 3) {
				continue
			}
			t.Run(fmt.Sprintf("%dx%d", height, width), func(t *testing.T) {
				rng := random.New(1, random.Test, uint64(height), uint64(width))
				d, ok := fourierFor(height, width)
				if !ok {
					t.Fatal("no transform")
				}
				at := func(i int) asm.Mem { return asm.Mem{Base: "x", Offset: 16 * i} }

				x, w, m := numbers(rng, height*width), numbers(rng, 9), numbers(rng, d.Products)
				p := asm.NewProgram()
				fourierInput(p, d, func(y, x int) asm.Value {
					if y < height && x < width {
						return p.Load(at(y*width + x))
					}
					return asm.Value{}
				}, func(q int, v asm.Value) { p.Store(at(q), v) })
				near(t, "input", run(p, x, d.Products), times(d.inputMatrix(height, width), x))

				p = asm.NewProgram()
				fourierWeight(p, d, func(t int) asm.Value {
					return p.Load(at(t))
				}, func(q int, v asm.Value) { p.Store(at(q), v) })
				near(t, "weight", run(p, w, d.Products), times(d.weightMatrix(), w))

				p = asm.NewProgram()
				fourierOutput(p, d, func(q int) asm.Value {
					return p.Load(at(q))
				}, height, func(y int, values []asm.Value) {
					for x, v := range values[:width] {
						p.Store(at(y*width+x), v)
					}
				})
				near(t, "output", run(p, m, height*width), times(d.outputMatrix(height, width), m))
			})
		}
	}
}
