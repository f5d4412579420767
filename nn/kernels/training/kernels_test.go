package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"tengen/internal/random"
	"tengen/nn/kernels"
)

// buffers are a kernel's arguments: random numbers, with guard more on both sides, which it must
// not touch.
type buffers [][]float32

const guard = 64

func randomBuffers(rng *rand.Rand, lengths ...int) buffers {
	var b buffers
	for _, n := range lengths {
		raw := make([]float32, n+2*guard)
		for i := range raw {
			raw[i] = float32(rng.NormFloat64())
		}
		b = append(b, raw)
	}
	return b
}

func (b buffers) clone() buffers {
	var c buffers
	for _, x := range b {
		c = append(c, append([]float32(nil), x...))
	}
	return c
}

// at returns the address of the kernel's part of buffer i.
func (b buffers) at(i int) *float32 { return &b[i][guard] }

// same compares the buffers after a kernel with those after its portable form.
func same(t *testing.T, what string, got, want buffers) {
	t.Helper()
	for i := range want {
		for j, v := range want[i] {
			if d := math.Abs(float64(got[i][j]) - float64(v)); !(d <=
				2e-5*(1+math.Abs(float64(v)))) {
				t.Fatalf("%s: number %d of buffer %d is %g, want %g",
					what, j-guard, i, got[i][j], v)
			}
		}
	}
}

// TestKernelsAreThePortableOnes compares every generated kernel with its portable form, for all
// sides of boards, including what must not be written.
func TestKernelsAreThePortableOnes(t *testing.T) {
	for _, path := range kernels.Paths() {
		if path == kernels.Portable {
			continue
		}
		for side := 1; side <= maxSide; side++ {
			t.Run(fmt.Sprintf("%s side %d", path, side), func(t *testing.T) {
				g := newGeometry(side, maxSide+1-side)
				h := newGeometry(maxSide+1-side, side)
				rng := random.New(1, random.Test, uint64(side))
				got, want := loopsOf(path, &h), portable(&h)
				half, planes := (maxSide+1)*reach, h.columnFloats()
				const positions = 3
				cells := positions * h.cells() * lanes
				try := func(what string, f func(k *loops, b buffers), lengths ...int) {
					t.Helper()
					a := randomBuffers(rng, lengths...)
					b := a.clone()
					f(got, a)
					f(want, b)
					same(t, what, a, b)
				}
				lines := positions * h.height
				for v := range inputs {
					try(fmt.Sprintf("rowsIn %d", v), func(k *loops, b buffers) {
						k.rowsIn[v](b.at(0), b.at(1), b.at(2), b.at(3), b.at(4), lines)
					}, half, cells, cells, cells, coefficients*lanes)
				}
				for v := range outputs {
					try(fmt.Sprintf("rowsOut %d", v), func(k *loops, b buffers) {
						k.rowsOut[v](b.at(0), b.at(1), b.at(2), b.at(3), b.at(4), b.at(5),
							b.at(6), lines)
					}, half, cells, cells, cells, cells, coefficients*lanes, 2*lanes)
				}
				got, want = loopsOf(path, &g), portable(&g)
				planes = max(planes, g.columnFloats())
				for what, f := range map[string]func(k *loops, b buffers, n int){
					"columns in": func(k *loops, b buffers, n int) {
						k.columnsIn.each(&g, b[0][guard:], b[1][guard:], n)
					},
					"columns out": func(k *loops, b buffers, n int) {
						k.columnsOut.each(&g, b[0][guard:], b[1][guard:], n)
					},
					"pack columns": func(k *loops, b buffers, n int) {
						k.packColumns.each(&g, b[0][guard:], b[1][guard:], n)
					},
					"unpack columns": func(k *loops, b buffers, n int) {
						k.unpackColumns.each(&g, b[0][guard:], b[1][guard:], n)
					},
				} {
					try(what, func(k *loops, b buffers) { f(k, b, positions) }, planes, half)
				}
				try("pack rows", func(k *loops, b buffers) {
					k.packRows(b.at(0), b.at(1), b.at(2), 9)
				}, half, 81*lanes, lanes)
				try("unpack rows", func(k *loops, b buffers) {
					k.unpackRows(b.at(0), b.at(1), b.at(2), 9)
				}, half, 81*lanes, lanes)
			})
		}
	}
}

// TestProductsAreThePortableOnes does the same for kernels that do not depend on the board.
func TestProductsAreThePortableOnes(t *testing.T) {
	for _, path := range kernels.Paths() {
		if path == kernels.Portable {
			continue
		}
		rng := random.New(1, random.Test)
		try := func(what string, f func(p *products, b buffers), lengths ...int) {
			t.Helper()
			a := randomBuffers(rng, lengths...)
			b := a.clone()
			f(productsOf(path), a)
			f(&portableProducts, b)
			same(t, fmt.Sprintf("%s %s", path, what), a, b)
		}
		for _, n := range []int{1, 2, 7} {
			const aStep, bStep = stride + 32, 2 * stride
			for _, add := range []bool{false, true} {
				try(fmt.Sprintf("multiply %d, add %v", n, add), func(p *products, b buffers) {
					p.multiply(b.at(0), b.at(1), b.at(2), n, aStep, bStep, add)
				}, square, n*aStep, n*bStep)
				try(fmt.Sprintf("correlate %d, add %v", n, add), func(p *products, b buffers) {
					p.correlate(b.at(0), b.at(1), b.at(2), n, aStep, bStep, add)
				}, square, n*aStep, n*bStep)
			}
			try(fmt.Sprintf("multiplyAhead %d", n), func(p *products, b buffers) {
				var places [6]uintptr
				p.multiplyAhead(b.at(0), b.at(1), b.at(2), n, aStep, bStep, &places[0])
			}, square, n*aStep, n*bStep)
			vectors := n * lanes
			try("finish", func(p *products, b buffers) {
				p.finish(b.at(0), b.at(1), b.at(2), b.at(3), n)
			}, vectors, vectors, vectors, coefficients*lanes)
			try("finishPlain", func(p *products, b buffers) {
				p.finishPlain(b.at(0), b.at(1), b.at(2), n)
			}, vectors, vectors, coefficients*lanes)
			try("gate", func(p *products, b buffers) {
				p.gate(b.at(0), b.at(1), b.at(2), b.at(3), b.at(4), b.at(5), n)
			}, vectors, vectors, vectors, vectors, coefficients*lanes, 2*lanes)
			try("deviationsOf8", func(p *products, b buffers) {
				p.deviationsOf8(b.at(0), b.at(1), b.at(2), n)
			}, 8*vectors, coefficients*lanes, 2*lanes)
			try("deviations", func(p *products, b buffers) {
				p.deviations(b.at(0), b.at(1), b.at(2), n)
			}, vectors, coefficients*lanes, 2*lanes)
		}
		try("transpose", func(p *products, b buffers) {
			p.transpose(b.at(0), b.at(1), 20, 37)
		}, 15*20+lanes, 15*37+lanes)
	}
}
