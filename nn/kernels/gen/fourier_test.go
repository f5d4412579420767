package main

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/random"
)

// TestProductsAreTheConvolution compares the matrices with the definition of a
// cross-correlation with zero padding.
func TestProductsAreTheConvolution(t *testing.T) {
	for height := 1; height <= 9; height++ {
		for width := 1; width <= 9; width++ {
			t.Run(fmt.Sprintf("%dx%d", height, width), func(t *testing.T) {
				rng := random.New(1, random.Test, uint64(height), uint64(width))
				x, w := make([]float64, height*width), make([]float64, 9)
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				for i := range w {
					w[i] = rng.NormFloat64()
				}
				d, ok := fourierFor(height, width)
				if !ok {
					t.Fatal("no domain")
				}
				in, weight := d.inputMatrix(height, width), d.weightMatrix()
				out := d.outputMatrix(height, width)
				for y := range height {
					for u := range width {
						want := 0.0
						for tap, v := range w {
							b, a := y+tap/3-1, u+tap%3-1
							if b >= 0 && b < height && a >= 0 && a < width {
								want += v * x[b*width+a]
							}
						}
						got := 0.0
						for q, o := range out[y*width+u] {
							l, r := 0.0, 0.0
							for i, v := range x {
								l += in[q][i] * v
							}
							for i, v := range w {
								r += weight[q][i] * v
							}
							got += o * l * r
						}
						if !(math.Abs(got-want) < 1e-12) {
							t.Fatalf("cell %d,%d is %g, the definition gives %g", y, u, got, want)
						}
					}
				}
			})
		}
	}
}

func TestDomains(t *testing.T) {
	for _, c := range []struct{ height, width, ly, lx, products int }{
		{3, 3, 4, 4, 22}, {5, 5, 6, 6, 52}, {6, 7, 8, 8, 94}, {9, 9, 10, 10, 148}, {3, 5, 4, 6, 34},
		{10, 5, 12, 6, 106}, {11, 11, 12, 12, 214}, {15, 15, 16, 16, 382}, {19, 19, 20, 20, 598},
	} {
		d, ok := fourierFor(c.height, c.width)
		if !ok || d.Ly != c.ly || d.Lx != c.lx || d.Products != c.products {
			t.Errorf("%d×%d: %+v; want %d×%d and %d products",
				c.height, c.width, d, c.ly, c.lx, c.products)
		}
	}
	if d, ok := fourierFor(20, 5); ok {
		t.Errorf("a board of 20 lines got %+v", d)
	}
}
