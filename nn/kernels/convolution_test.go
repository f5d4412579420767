package kernels

import (
	"fmt"
	"math"
	"testing"

	"tengen/internal/random"
)

func TestConvolutionIsItsDefinition(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		rng := random.New(1, random.Test)
		check := func(height, width, in, out, n int, direct bool) {
			t.Helper()
			b := NewBoard(p, height, width)
			if direct {
				b = NewDirectBoard(p, height, width)
			}
			x, w, bias, skip := numbers(rng, n*in*b.Cells()), numbers(rng, out*in*9),
				numbers(rng, out), numbers(rng, n*out*b.Cells())
			tolerance := 2e-6 * math.Sqrt(float64(9*in)) * math.Sqrt(float64(b.Cells()))
			for _, skip := range [][]float32{nil, skip} {
				what := fmt.Sprintf("%d×%d, %d→%d channels, %d rows, direct %v, residual %v",
					height, width, in, out, n, b.Direct(), skip != nil)
				near(t, what, run(t, b, in, out, n, x, w, bias, skip),
					reference(height, width, in, out, n, x, w, bias, skip), tolerance)
			}
		}
		for height := 1; height <= 10; height++ {
			for width := 1; width <= 10; width++ {
				check(height, width, 1+rng.IntN(20), 1+rng.IntN(20), 1+rng.IntN(5), false)
			}
		}
		for _, size := range [][2]int{
			{11, 11}, {11, 10}, {12, 15}, {15, 15}, {13, 14}, {19, 19}, {19, 17}, {20, 20},
		} {
			check(size[0], size[1], 17, 3, 2, false)
			check(size[0], size[1], 3, 17, 1, true)
		}
		for n := 1; n <= ChunkRows; n++ {
			check(2, 3, 1+rng.IntN(40), 1+rng.IntN(40), n, n%2 == 0)
			check(3, 3, 1+rng.IntN(40), 1+rng.IntN(40), n, n%2 == 1)
		}
		for _, c := range []int{96, 128, 160, 131} {
			check(3, 3, c, 17, 3, false)
			check(5, 5, c, 1+rng.IntN(8), 2, c == 96)
			check(2, 2, 5, c, 2, false)
		}
	})
}

func TestRowsAreIndependent(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		rng := random.New(2, random.Test)
		for _, s := range []struct{ height, width, in, out int }{
			{5, 5, 24, 20}, {4, 4, 24, 20}, {1, 3, 24, 20}, {6, 7, 24, 20},
			{3, 3, 7, 8}, {7, 7, 16, 9}, {10, 5, 24, 24}, {9, 9, 33, 5}, {11, 11, 17, 5},
			{13, 12, 5, 3}, {19, 19, 3, 17},
		} {
			b := NewBoard(p, s.height, s.width)
			in, out := s.in, s.out
			w, bias := numbers(rng, out*in*9), numbers(rng, out)
			c, space := NewConvolution(b, in, out, w, bias), NewSpace(b, in)
			x, y := b.Activations(in), b.Activations(out)
			row := numbers(rng, in*b.Cells())
			var want []float32
			for n := 1; n <= ChunkRows; n++ {
				place := rng.IntN(n)
				all := numbers(rng, n*in*b.Cells())
				for i := range all { // neighbours that would show
					switch rng.IntN(50) {
					case 0:
						all[i] = float32(math.NaN())
					case 1:
						all[i] = float32(math.Inf(1))
					}
				}
				copy(all[place*in*b.Cells():], row)
				b.Load(x, n, in, all)
				c.Apply(space, n, y, x, nil)
				got := read(b, y, n, out)[place*out*b.Cells():][:out*b.Cells()]
				if want == nil {
					want = got
				}
				for i := range want {
					if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
						t.Fatalf("%v: element %d is %g at %d of %d rows, %g alone",
							s, i, got[i], place, n, want[i])
					}
				}
			}
		}
	})
}

// TestDirectBoardKeepsToTheDefinition checks that on a direct board NaN and infinity reach
// only the cells that they reach by the convolution's definition.
func TestDirectBoardKeepsToTheDefinition(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		rng := random.New(3, random.Test)
		b := NewDirectBoard(p, 5, 6)
		in, out, n := 3, 4, 3
		x, w, bias := numbers(rng, n*in*b.Cells()), numbers(rng, out*in*9), numbers(rng, out)
		x[2*in*b.Cells()+7], x[5], x[28] = float32(math.NaN()), float32(math.Inf(1)),
			float32(math.Inf(-1))
		want := reference(5, 6, in, out, n, x, w, bias, nil)
		unusual := 0
		for i, g := range run(t, b, in, out, n, x, w, bias, nil) {
			v := float64(g)
			if math.IsNaN(want[i]) || math.IsInf(want[i], 0) {
				unusual++
				if math.IsNaN(v) != math.IsNaN(want[i]) ||
					math.IsInf(v, 1) != math.IsInf(want[i], 1) {
					t.Fatalf("element %d is %g, the definition gives %g", i, v, want[i])
				}
			} else if !(math.Abs(v-want[i]) < 1e-4) {
				t.Fatalf("element %d is %g, the definition gives %g", i, v, want[i])
			}
		}
		if unusual == 0 {
			t.Error("all is finite: the test shows nothing")
		}
	})
}

// TestNaNReachesTheWholeRow checks that in the frequency domain a NaN reaches every output of its
// row.
func TestNaNReachesTheWholeRow(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		b := NewBoard(p, 5, 5)
		rng := random.New(4, random.Test)
		x := numbers(rng, 16*25)
		x[33] = float32(math.NaN())
		for i, v := range run(t, b, 16, 16, 1, x, numbers(rng, 16*16*9), make([]float32, 16), nil) {
			if v == v {
				t.Fatalf("element %d is %g, want NaN", i, v)
			}
		}
	})
}

func TestNothingIsAllocated(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		for _, b := range []*Board{NewBoard(p, 5, 5), NewBoard(p, 11, 9), NewDirectBoard(p, 5, 5)} {
			c, s := NewConvolution(b, 16, 16, make([]float32, 16*16*9), make([]float32, 16)),
				NewSpace(b, 16)
			m := NewMatrix(p, 3, b.FlatOrder(16), func(int) []float32 { return nil }, nil)
			x, y, z := b.Activations(16), b.Activations(16), m.Outputs()
			flat := b.Activations(16)
			if n := testing.AllocsPerRun(3, func() {
				c.Apply(s, 20, y, x, x)
				m.Apply(s, 20, z, b.Flatten(flat, y, 0, 20, 20, 16))
				m.Rectify(20, z)
			}); n != 0 {
				t.Errorf("%g allocations, want none", n)
			}
		}
	})
}

// TestKernelsStayWithinTheirBuffers calls the transforms on buffers of exactly the documented
// size. Guard values around them must be neither written nor read into the results.
func TestKernelsStayWithinTheirBuffers(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		for i := range p.boards {
			b := &p.boards[i]
			cells := b.height * b.width
			for _, n := range []int{1, 3, groupRows} {
				extent := (b.products-1)*plane + n*lanes
				u, w := guard(extent), guard(n*9*lanes)
				b.weights(&u.inner[0], &w.inner[0], n)
				if b.tiled != nil {
					extent = (b.products-1)*plane + b.tiled.lines*b.tiled.columns*lanes
				}
				v, x := guard(extent), guard(n*cells*lanes)
				spectrum := guard(b.spectrum())
				s := &Space{t: spectrum.inner}
				y, bias, skip := guard(n*cells*lanes), guard(lanes), guard(n*cells*lanes)
				if b.tiled == nil {
					b.forward(s, v.inner, x.inner, n)
					b.back(s, y.inner, v.inner, &bias.inner[0], nil, n)
					b.back(s, y.inner, v.inner, &bias.inner[0], skip.inner, n)
				}
				for r := 0; r < n && b.tiled != nil; r++ {
					at := r * cells * lanes
					b.forwardTiled(s, v.inner, x.inner[at:])
					b.backTiled(s, y.inner[at:], v.inner, &bias.inner[0], nil)
					b.backTiled(s, y.inner[at:], v.inner, &bias.inner[0], skip.inner[at:])
				}
				for what, g := range map[string]guarded{
					"spectrum": spectrum, "transformed weights": u, "weights": w, "transform": v,
					"input": x, "output": y, "bias": bias, "residual": skip,
				} {
					g.check(t, what)
					for _, value := range g.inner {
						if value != 0 {
							t.Fatalf(
								"%d×%d, %d rounds: %s has %g, but all that may be read is zero",
								b.height, b.width, n, what, value)
						}
					}
				}
			}
		}
	})
}

// TestProductsStayWithinTheirBuffers does the same for the products of each number of rows.
func TestProductsStayWithinTheirBuffers(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		for rows := 1; rows <= groupRows; rows++ {
			if len(p.product) < groupRows && rows > rowBlock && rows%rowBlock != 0 {
				continue // computed as more rows
			}
			const count, outer = 3, 7
			inner := 2
			if rows < rowBlock {
				inner = 1
			}
			c, a, b := guard((outer*inner-1)*square+rows*lanes),
				guard(inner*count*square-square+rows*lanes), guard(outer*count*square)
			for i := range a.inner {
				a.inner[i] = 1
			}
			for i := range b.inner {
				b.inner[i] = 1
			}
			terms := regular(count, square*size, square*size)
			s := &shape{
				terms: &terms[0], count: count, outer: outer, cOuter: inner * square * size,
				bOuter: count * square * size,
				inner:  inner, cInner: square * size, aInner: count * square * size,
			}
			p.products(rows)(&c.inner[0], &a.inner[0], &b.inner[0], s)
			for what, g := range map[string]guarded{"C": c, "A": a, "B": b} {
				g.check(t, what)
			}
			for i, v := range c.inner {
				want := float32(0) // between the products
				if i%square < rows*lanes {
					want = count * lanes
				}
				if v != want {
					t.Fatalf("%d rows: element %d is %g, want %g", rows, i, v, want)
				}
			}
		}
	})
}

// TestFusedStayWithinTheirBuffers does the same for the fused kernels, with inputs that do not fill
// a block.
func TestFusedStayWithinTheirBuffers(t *testing.T) {
	eachPath(t, func(t *testing.T, p *Path) {
		for i := range p.boards {
			b := &p.boards[i]
			for r, fused := range b.fused {
				const inputs, between = lanes + 5, 200 * plane
				rows := r + 1
				for _, outputs := range []int{8, 9} {
					extent := (b.products-1)*plane + rows*lanes
					c, a, w := guard(extent), guard(between+extent),
						guard((inputs-1)*b.parts*lanes+b.parts*lanes)
					for k := range inputs {
						for q := range b.products {
							for row := range rows {
								a.inner[k/lanes*between+q*plane+row*lanes+
									k%lanes] = float32(row + 1)
							}
						}
					}
					kernel := make([]float32, 9*lanes)
					for l := range outputs {
						// the middle tap, whose transform is real and positive at all real
						// frequencies
						kernel[4*lanes+l] = 1
					}
					for k := range inputs {
						b.partial(&w.inner[k*b.parts*lanes], &kernel[0], 1)
					}
					fused(&c.inner[0], &a.inner[0], &w.inner[0], inputs, between*size, outputs)
					for what, g := range map[string]guarded{"C": c, "A": a, "W": w} {
						g.check(t, what)
					}
					for row := range rows {
						for l := range lanes {
							got, want := c.inner[row*lanes+l], c.inner[0]*float32(row+1)
							if l >= outputs {
								want = 0
							}
							if math.Abs(float64(got-want)) > 1e-5 || c.inner[0] == 0 {
								t.Fatalf("%d×%d, %d rows: row %d, output %d is %g, want %g",
									b.height, b.width, rows, row, l, got, want)
							}
						}
					}
				}
			}
		}
	})
}
