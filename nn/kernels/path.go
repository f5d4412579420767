package kernels

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Path is a set of kernels: those for one instruction set, or those in plain Go.
type Path struct {
	name    string
	missing []string // what this processor lacks for it

	// of 1, 2, 3, 4, 8, 12 and 16 rows, or of each number from 1 to 16
	product []func(c, a, b *float32, s *shape)
	// the most rows for which fused kernels are faster than product, on boards that have them
	few int
	// of 1, 2 and 4 output blocks; none where product is used for one row too
	sparse         []sparse
	boards         []board
	finish         func(y, c, bias *float32, n int)
	finishResidual func(y, c, bias, skip *float32, n int)

	peak      func(n int)
	peakFLOPs float64 // operations per unit of peak's n
}

// board holds the transforms for one size of board.
type board struct {
	height, width int
	products      int // of a group

	weights func(u, w *float32, n int)
	staged  *staged // in place of the following ones
	tiled   *tiled  // likewise

	input          func(v, x *float32, n int)
	output         func(y, m, bias *float32, n int)
	outputResidual func(y, m, bias, skip *float32, n int)

	// vectors of a partly transformed kernel, 0 if there are no fused kernels
	parts   int
	partial func(u, w *float32, n int) // transforms weights partly
	fused   []fused                    // of 1, 2, … rows
}

// all returns the number of products of a position.
func (t *board) all() int {
	if t.tiled != nil {
		return t.products * t.tiled.lines * t.tiled.columns
	}
	return t.products
}

// cells returns the number of cells of a position.
func (t *board) cells() int { return t.height * t.width }

// fused is a kernel that computes the products of an output block for few rows:
//
//	C(q) = Σ A(i, q)·B(i, q) over the input blocks i, for all products q
//
// A block of A is a block of a transformed group, between bytes after the one before. w is
// [block][16 inputs][parts][16 outputs], weights that are partly transformed. There are as many
// inputs as given; the rest of the last block is not read. Outputs after the first eight are zero
// unless there are more than eight. The kernel prefetches the block after w.
type fused func(c, a, w *float32, inputs, between, outputs int)

// sparse is a kernel that adds n ≥ 1 inputs' products with their weights to one row of some output
// blocks, in order:
//
//	C += Σ list[j].value·W(list[j].at) over j < n
//
// It prefetches the weights of further elements of the list, which has prefetched of them after the
// last one.
type sparse func(c *float32, list *input, w *float32, n int)

// input is an input that is not zero.
type input struct {
	value float32
	// offset in bytes of its weights for one output block; for two it is twice that, and so on
	at int
}

// products returns the product for at least so many rows.
func (p *Path) products(rows int) func(c, a, b *float32, s *shape) {
	if rows < rowBlock || len(p.product) == groupRows {
		return p.product[rows-1]
	}
	return p.product[rowBlock-2+(rows+rowBlock-1)/rowBlock]
}

// String returns the path's name: avx512, avx2, neon or portable.
func (p *Path) String() string { return p.name }

// Portable is the path in plain Go, which every processor supports.
var Portable = &Path{
	name:           "portable",
	product:        productsPortable,
	boards:         boardsPortable,
	finish:         finishPortable,
	finishResidual: finishResidualPortable,
	peak:           peakPortable,
	peakFLOPs:      peakPortableFLOPs,
}

// Paths returns the paths that this processor supports, the fastest first.
func Paths() []*Path {
	return slices.DeleteFunc(slices.Clone(paths()), func(p *Path) bool {
		return len(p.missing) > 0
	})
}

// paths returns all paths of this architecture.
func paths() []*Path { return append(slices.Clone(assembly), Portable) }

// Variable is the environment variable that selects a path.
const Variable = "TENGEN_KERNELS"

// architectures are those of the paths in assembly.
var architectures = map[string]string{"avx512": "amd64", "avx2": "amd64", "neon": "arm64"}

// Find returns the path with the given name, or the fastest if name is "". If the
// processor does not support it, the error says what it lacks.
func Find(name string) (*Path, error) {
	if name == "" {
		return Paths()[0], nil
	}
	var names []string
	for _, p := range paths() {
		if p.name == name {
			if len(p.missing) > 0 {
				return nil,
					fmt.Errorf("this processor has no %s, which the kernels %s need; it has the kernels %v", strings.Join(p.missing, ", no "), name, Paths())
			}
			return p, nil
		}
		names = append(names, p.name)
	}
	if a, ok := architectures[name]; ok {
		return nil, fmt.Errorf("the kernels %s are for the architecture %s; there are %s here",
			name, a, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("no kernels are called %q; there are %s",
		name, strings.Join(names, ", "))
}

var selected = sync.OnceValues(func() (*Path, error) {
	p, err := Find(os.Getenv(Variable))
	if err != nil {
		err = fmt.Errorf("%s: %w", Variable, err)
	}
	return p, err
})

// Select returns the path to use: the one that TENGEN_KERNELS names, or else the fastest. It
// reads the environment once. Programs call it when they start, to report the
// error, on which [Selected] panics.
func Select() (*Path, error) { return selected() }

// Selected returns the path of Select. It panics if Select returns an error.
func Selected() *Path {
	p, err := selected()
	if err != nil {
		panic(err)
	}
	return p
}

// PeakFLOPS measures the peak rate of one core, in floating-point operations per second, with
// independent float32 multiplications and additions; no kernel of the path can exceed it. It runs
// for d and returns the best of short bursts, since other programs may use the core meanwhile.
func (p *Path) PeakFLOPS(d time.Duration) float64 {
	const n = 1 << 16
	best := 0.0
	for start := time.Now(); ; {
		burst := time.Now()
		p.peak(n)
		best = max(best, n*p.peakFLOPs/time.Since(burst).Seconds())
		if time.Since(start) >= d {
			return best
		}
	}
}

const peakPortableFLOPs = 8 * 2

var peakSink float32

// peakPortable does n times eight scalar multiplications and additions.
func peakPortable(n int) {
	var a, b, c, d, e, f, g, h float32
	x, y := peakSink, peakSink
	for range n {
		a += float32(x * y)
		b += float32(x * a)
		c += float32(x * y)
		d += float32(x * c)
		e += float32(x * y)
		f += float32(x * e)
		g += float32(x * y)
		h += float32(x * g)
	}
	peakSink = a + b + c + d + e + f + g + h
}
