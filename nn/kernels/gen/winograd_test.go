package main

import (
	"math"
	"testing"

	"tengen/internal/random"
	"tengen/nn/kernels/gen/internal/asm"
)

// TestTileMatricesAreTheCrossCorrelation compares the algorithm in one dimension with its
// definition.
func TestTileMatricesAreTheCrossCorrelation(t *testing.T) {
	rng := random.New(1, random.Test)
	for range 100 {
		var x [tileInputs]float64
		var w [tileTaps]float64
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		var products [tileInputs]float64
		for i := range products {
			var u, v float64
			for j, k := range tileWeight[i] {
				u += k * w[j]
			}
			for j, k := range tileInput[i] {
				v += k * x[j]
			}
			products[i] = u * v
		}
		for i, line := range tileOutput {
			got, want := 0.0, 0.0
			for j, k := range line {
				got += k * products[j]
			}
			for j, k := range w {
				want += k * x[i+j]
			}
			if !(math.Abs(got-want) < 1e-12) {
				t.Fatalf("output %d is %g, want %g", i, got, want)
			}
		}
	}
}

// TestTileProgramsAreTheMatrices compares what each program stores with the product of its matrix.
func TestTileProgramsAreTheMatrices(t *testing.T) {
	rng := random.New(2, random.Test)
	check := func(
		what string, n, m int, matrix func(i, j int) float64,
		program func(p *asm.Program, x []asm.Value) []asm.Value,
	) {
		t.Helper()
		at := func(i int) asm.Mem { return asm.Mem{Base: "x", Offset: 16 * i} }
		from := make([]float64, n)
		p, x := asm.NewProgram(), make([]asm.Value, n)
		for i := range from {
			from[i], x[i] = rng.NormFloat64(), p.Load(at(i))
		}
		for i, v := range program(p, x) {
			p.Store(at(i), v)
		}
		got := map[int]float64{}
		p.Run(func(m asm.Mem) float64 { return from[m.Offset/16] }, func(m asm.Mem, v float64) {
			got[m.Offset/16] = v
		})
		if len(got) != m {
			t.Fatalf("%s: %d elements, want %d", what, len(got), m)
		}
		for i := range m {
			want := 0.0
			for j := range n {
				want += matrix(i, j) * from[j]
			}
			if !(math.Abs(got[i]-want) < 1e-5) { // constants are float32
				t.Fatalf("%s: element %d is %g, want %g", what, i, got[i], want)
			}
		}
	}
	check("input", tileInputs, tileInputs, func(i, j int) float64 {
		return tileInput[i][j]
	}, func(p *asm.Program, x []asm.Value) []asm.Value {
		y := winogradInput(p, [tileInputs]asm.Value(x))
		return y[:]
	})
	check("weight", tileTaps, tileInputs, func(i, j int) float64 {
		return tileWeight[i][j]
	}, func(p *asm.Program, x []asm.Value) []asm.Value {
		y := winogradWeight(p, [tileTaps]asm.Value(x))
		return y[:]
	})
	check("output", tileInputs, tileOutputs, func(i, j int) float64 {
		return tileOutput[i][j]
	}, func(p *asm.Program, x []asm.Value) []asm.Value {
		y := winogradOutput(p, [tileInputs]asm.Value(x))
		return y[:]
	})
}
