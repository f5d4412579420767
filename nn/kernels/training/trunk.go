package training

import (
	"fmt"
	"unsafe"

	"tengen/internal/machine"
	"tengen/nn/kernels"
)

// Shape is the shape of a residual trunk: a convolution from Planes to Filters
// channels, then Blocks blocks of two more. Each is followed by BatchNorm and ReLU; the second
// of a block adds the block's input before its ReLU (He et al. 2016).
type Shape struct {
	Height, Width   int
	Planes, Filters int
	Blocks          int
	Rows            int // positions in a batch
}

// Layer holds the parameters and statistics of one convolution and its BatchNorm.
type Layer struct {
	Weight      []float32 // [Filters, channels in, 3, 3]
	Gamma, Beta []float32 // [Filters]

	// The statistics that BatchNorm uses, [Filters]: in training those of the batch,
	// which Forward writes; otherwise the running ones, which Forward reads.
	Mean, Variance []float32
}

// Gradient is the loss's gradient with respect to a layer.
type Gradient struct {
	Weight      []float32 // [Filters, channels in, 3, 3]
	Gamma, Beta []float32 // [Filters]
}

// chunk is the number of groups whose transforms are kept for the gradient of the weights:
// enough that the sums are loaded rarely, and few enough to fit a shared cache.
const chunk = 4

// Trunk computes a trunk and its gradients. It is used by one goroutine, and runs tasks on others.
type Trunk struct {
	Shape
	geometry
	*loops
	workers  int
	training bool

	in, out int // blocks of channels of the trunk's input, and of all other activations
	epsilon float64
	layers  []layer

	// the input, by groups: [group][block][position][cell][lanes], as all activations
	images  []float32
	outputs [][]float32  // of the stem and of each block
	slopes  [3][]float32 // gradients of BatchNorm's output; layer i uses element i%3

	rotated        []float32 // weights of the gradient's convolution, as layer.weight
	weightGradient []float32 // as layer.weight
	// transformed weights [block out][block in][plane][channel in][lanes]
	packed                     []float32
	correlated                 []float32 // their gradient
	inputSpectra, slopeSpectra []float32 // transformed inputs and gradients of a chunk of groups

	work   []workspace // by worker
	factor [lanes]float32
}

// layer is the state of a layer between Forward and Backward.
type layer struct {
	weight    []float32 // [block out][channel in][9][lanes]
	value     []float32 // the convolution's result
	coef      []float32 // [block][coefficients][lanes]
	moments   []float32 // [group][block][3][lanes], see norm.go
	slopeSums []float32 // [group][block][2][lanes]
	inverse   []float64 // 1/√(variance + ε)
}

// workspace is the memory of one worker.
type workspace struct {
	transformed, products, half, sums []float32
	// addresses to prefetch; see products.multiplyAhead
	places [6]uintptr
}

// NewTrunk returns a trunk for batches of shape.Rows rows. BatchNorm adds epsilon to
// variances. It returns an error if the board has no transform. Results depend on the
// path, but not on the number of workers.
func NewTrunk(
	path *kernels.Path, shape Shape, epsilon float64, workers int, training bool,
) (*Trunk, error) {
	if !Fits(shape.Height, shape.Width) {
		return nil,
			fmt.Errorf(
				"trunk: no transform for a board of %d×%d cells; sides from 1 to %d have one",
				shape.Height, shape.Width, maxSide)
	}
	t := &Trunk{
		Shape: shape, geometry: newGeometry(shape.Height, shape.Width), workers: max(workers, 1),
		training: training,
		in:       blocks(shape.Planes), out: blocks(shape.Filters), epsilon: epsilon,
		layers: make([]layer, 1+2*shape.Blocks), outputs: make([][]float32, 1+shape.Blocks),
		work: make([]workspace, max(workers, 1)),
	}
	t.loops = loopsOf(path, &t.geometry)
	for c := range t.factor {
		t.factor[c] = t.scale()
	}
	t.allocate()
	return t, nil
}

// allocate allocates all buffers.
func (t *Trunk) allocate() {
	var a arena
	groups := t.groups()
	activations := groups * t.out * t.blockFloats()
	widest := max(t.in, t.out)
	a.add(&t.images, groups*t.in*t.blockFloats())
	for i := range t.layers {
		l := &t.layers[i]
		if t.training || i < 2 {
			a.add(&l.value, activations)
		}
		a.add(&l.weight, t.out*blocks(t.channels(i))*lanes*taps*lanes)
		a.add(&l.coef, t.out*coefficients*lanes)
		a.add(&l.moments, groups*t.out*3*lanes)
		a.add(&l.slopeSums, groups*t.out*2*lanes)
		l.inverse = make([]float64, t.Filters)
	}
	for i := range t.outputs {
		if t.training || i < 2 {
			a.add(&t.outputs[i], activations)
		}
	}
	a.add(&t.packed, t.out*widest*t.columnFloats()+stride)
	if t.training {
		for i := range t.slopes {
			a.add(&t.slopes[i], activations)
		}
		a.add(&t.rotated, t.out*t.out*lanes*taps*lanes)
		a.add(&t.weightGradient, t.out*widest*lanes*taps*lanes)
		a.add(&t.correlated, t.out*widest*t.columnFloats())
		n := min(chunk, groups)
		a.add(&t.inputSpectra, n*widest*t.columnFloats())
		a.add(&t.slopeSpectra, n*t.out*t.columnFloats())
	}
	for i := range t.work {
		w := &t.work[i]
		a.add(&w.transformed, widest*t.columnFloats())
		a.add(&w.products, t.columnFloats())
		a.add(&w.half, (maxSide+1)*reach)
		a.add(&w.sums, 3*lanes)
	}
	a.allocate()
	if !t.training { // two of each suffice: a layer reads only the one before
		for i := 2; i < len(t.layers); i++ {
			t.layers[i].value = t.layers[i%2].value
		}
		for i := 2; i < len(t.outputs); i++ {
			t.outputs[i] = t.outputs[i%2]
		}
	}
}

// check panics if an array's length does not fit the shape, since kernels would read beyond it.
func (t *Trunk) check(rows []float32, channels int, layers []Layer) {
	want := func(what string, layer, got, length int) {
		if got != length {
			panic(fmt.Sprintf("training: %d numbers of %s, layer %d; want %d",
				got, what, layer, length))
		}
	}
	want("activations", 0, len(rows), t.Rows*t.cells()*channels)
	if len(layers) != len(t.layers) {
		panic(fmt.Sprintf("training: %d layers, want %d", len(layers), len(t.layers)))
	}
	for i, l := range layers {
		want("weights", i, len(l.Weight), t.Filters*t.channels(i)*taps)
		for _, x := range [][]float32{l.Gamma, l.Beta, l.Mean, l.Variance} {
			want("BatchNorm", i, len(x), t.Filters)
		}
	}
}

// channels returns the number of input channels of layer i.
func (t *Trunk) channels(i int) int {
	if i == 0 {
		return t.Planes
	}
	return t.Filters
}

// groups returns the number of groups; the last may be smaller.
func (t *Trunk) groups() int { return (t.Rows + group - 1) / group }

// positions returns the number of positions of group g.
func (t *Trunk) positions(g int) int { return min(group, t.Rows-g*group) }

// block returns the index of the activations of group g and block b of n.
func (t *Trunk) block(g, b, n int) int { return (g*n + b) * t.blockFloats() }

// load copies a [row][cell][channels] array into groups.
func (t *Trunk) load(dst, src []float32, channels int) {
	n, cells := blocks(channels), t.cells()
	Each(t.workers, t.groups(), func(_, g int) {
		for p := range t.positions(g) {
			row := src[(g*group+p)*cells*channels:][:cells*channels]
			for b := range n {
				width := min(lanes, channels-b*lanes)
				to := dst[t.block(g, b, n)+p*cells*lanes:][:cells*lanes]
				for cell := range cells {
					copy(to[cell*lanes:][:width], row[cell*channels+b*lanes:][:width])
				}
			}
		}
	})
}

// save is the inverse of load.
func (t *Trunk) save(dst, src []float32, channels int) {
	n, cells := blocks(channels), t.cells()
	Each(t.workers, t.groups(), func(_, g int) {
		for p := range t.positions(g) {
			row := dst[(g*group+p)*cells*channels:][:cells*channels]
			for b := range n {
				width := min(lanes, channels-b*lanes)
				from := src[t.block(g, b, n)+p*cells*lanes:][:cells*lanes]
				for cell := range cells {
					copy(row[cell*channels+b*lanes:][:width], from[cell*lanes:][:width])
				}
			}
		}
	})
}

// arena allocates many buffers in one piece of memory, each aligned to a cache line. The
// memory asks for huge pages, since products read more memory than the processor's TLB
// covers with small pages.
type arena struct {
	parts []part
	size  int
}

type part struct {
	to    *[]float32
	at, n int
}

const line = 16 // floats of a cache line

// add registers a buffer: allocate will set *to to n zeros.
func (a *arena) add(to *[]float32, n int) {
	a.parts = append(a.parts, part{to, a.size, n})
	a.size += (n + line - 1) / line * line
}

func (a *arena) allocate() {
	raw := make([]float32, a.size+line)
	offset := int(-uintptr(unsafe.Pointer(&raw[0]))%64) / 4
	raw = raw[offset:]
	machine.AdviseHugePages(raw)
	for _, p := range a.parts {
		*p.to = raw[p.at : p.at+p.n : p.at+p.n]
	}
}
