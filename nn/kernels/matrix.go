package kernels

import (
	"math"
	"math/bits"
)

// Matrix is a dense layer or a 1×1 convolution. It is immutable and safe for concurrent use.
type Matrix struct {
	path    *Path
	ins     int       // input blocks
	outs    int       // output blocks
	bias    []float32 // [out blocks][16]
	weights []float32 // [out block][in block][16 inputs][16 outputs]
	terms   []term
	sparse  []float32 // [tile][input][tile's outputs] for one row, if all are finite
}

// NewMatrix prepares a layer with len(order) inputs and outs outputs. Output o
// is bias[o] + Σ row(o)[order[k]]·x[k] over the inputs k with order[k] ≥ 0; a nil row is
// zero, and so is the bias beyond len(bias).
func NewMatrix(p *Path, outs int, order []int, row func(o int) []float32, bias []float32) *Matrix {
	m := &Matrix{path: p, ins: blocks(len(order)), outs: blocks(outs)}
	m.bias = aligned(m.outs * lanes)
	copy(m.bias, bias)
	m.weights = aligned(m.outs * m.ins * square)
	m.terms = regular(m.ins, square*size, square*size)
	for o := range outs {
		w := row(o)
		if w == nil {
			continue
		}
		to := m.weights[o/lanes*m.ins*square+o%lanes:]
		for k, i := range order {
			if i >= 0 {
				to[k*lanes] = w[i]
			}
		}
	}
	if m.ins*m.outs >= sparseBlocks && len(p.sparse) > 0 && allFinite(m.weights) {
		m.spread()
	}
	return m
}

// sparseBlocks is the number of blocks of weights from which one row is computed by its inputs that
// are not zero. Fewer weights are read in less time than the inputs are listed.
const sparseBlocks = 32

// spread sets sparse from weights.
func (m *Matrix) spread() {
	m.sparse = aligned(len(m.weights))
	for first := 0; first < m.outs; {
		_, tile := m.tile(first)
		for o := range tile {
			from := m.weights[(first+o)*m.ins*square:]
			for k := range m.ins * lanes {
				copy(m.sparse[first*m.ins*square+(k*tile+o)*lanes:][:lanes], from[k*lanes:])
			}
		}
		first += tile
	}
}

// tile returns the index of the sparse kernel that computes output block o and those after it, and
// their number.
func (m *Matrix) tile(o int) (index, blocks int) {
	index = min(bits.Len(uint(m.outs-o)), len(m.path.sparse)) - 1
	return index, 1 << index
}

// allFinite reports whether no number of x is infinite or NaN.
func allFinite(x []float32) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// applySparse is apply for one row. Zeros are left out: where weights are finite they would add
// nothing, and about half of the inputs are zero after ReLU.
func (m *Matrix) applySparse(s *Space, y, x []float32) {
	for o := range m.outs {
		clear(y[o*square:][:lanes])
	}
	for from := 0; from < m.ins; from += listed / lanes {
		to, n := min(m.ins, from+listed/lanes), 0
		for i := from; i < to; i++ {
			at := i * square * size
			for k, v := range (*[lanes]float32)(x[i*square:]) {
				s.list[n&(listed-1)] = input{v, at + k*lanes*size}
				b := math.Float32bits(v) << 1
				n += int((b | -b) >> 31)
			}
		}
		if n == 0 {
			continue
		}
		for i := range prefetched {
			s.list[n+i] = s.list[n-1]
		}
		for o := 0; o < m.outs; {
			index, tile := m.tile(o)
			m.path.sparse[index](&y[o*square], &s.list[0], &m.sparse[o*m.ins*square], n)
			o += tile
		}
	}
}

// NewPointwise prepares a 1×1 convolution over channels of a board's flattened
// activations: output o is bias[o] + Σ row(o)[channel]·x[channel], cell by cell.
func NewPointwise(b *Board, outs, channels int, row func(o int) []float32, bias []float32) *Matrix {
	order := make([]int, channels)
	for i := range order {
		order[i] = i
	}
	m := NewMatrix(b.path, outs, order, row, bias)
	m.terms = regular(m.ins, b.Cells()*square*size, square*size)
	return m
}

// FlatOrder returns the order in which [Board.Flatten] arranges a channel-major
// [channels][cells] input, for NewMatrix.
func (b *Board) FlatOrder(channels int) []int {
	order := make([]int, 0, blocks(channels)*lanes*b.Cells())
	for block := range blocks(channels) {
		for cell := range b.Cells() {
			for l := range lanes {
				if c := block*lanes + l; c < channels {
					order = append(order, c*b.Cells()+cell)
				} else {
					order = append(order, -1)
				}
			}
		}
	}
	return order
}

// Inputs returns a zeroed buffer for the x of Apply with [ChunkRows] rows.
func (m *Matrix) Inputs() []float32 { return aligned(chunk * m.ins * square) }

// Outputs returns a buffer for the y of Apply with [ChunkRows] rows.
func (m *Matrix) Outputs() []float32 { return aligned(chunk * m.outs * square) }

// SetInputs sets inputs first to first+len(values)-1 of one of n rows in x.
func (m *Matrix) SetInputs(n, row, first int, values, x []float32) {
	_, rows := split(n)
	at := ((row/rows)*m.ins*groupRows + row%rows) * lanes
	for i, v := range values {
		k := first + i
		x[at+k/lanes*square+k%lanes] = v
	}
}

// Apply computes the layer without its bias for n ≤ [ChunkRows] rows of
// x [group][in block][16 positions][16]; y is [group][out block][16 positions][16].
// s may be a Space of any board.
func (m *Matrix) Apply(s *Space, n int, y, x []float32) { m.apply(s, n, y, x, m.ins) }

// ApplyPart is Apply for x that another layer, of, wrote; its inputs are of's outputs from
// first on, a multiple of 16.
func (m *Matrix) ApplyPart(s *Space, n int, y []float32, of *Matrix, first int, x []float32) {
	m.apply(s, n, y, x[first/lanes*square:], of.outs)
}

func (m *Matrix) apply(s *Space, n int, y, x []float32, width int) {
	if n == 1 && m.sparse != nil {
		m.applySparse(s, y, x)
		return
	}
	groups, rows := split(n)
	s.shape = shape{
		terms: &m.terms[0], count: m.ins,
		outer: m.outs, cOuter: square * size, bOuter: m.ins * square * size,
		inner: groups, cInner: m.outs * square * size, aInner: width * square * size,
	}
	m.path.products(rows)(&y[0], &x[0], &m.weights[0], &s.shape)
}

// Rectify replaces the y of Apply by ReLU(bias + y).
func (m *Matrix) Rectify(n int, y []float32) {
	groups, rows := split(n)
	for g := range groups {
		for o := range m.outs {
			at := &y[(g*m.outs+o)*square]
			m.path.finish(at, at, &m.bias[o*lanes], min(rows, n-g*rows))
		}
	}
}

// Output sets dst to the first len(dst) outputs of one of n rows in the y of Apply, plus their
// bias.
func (m *Matrix) Output(n, row int, dst, y []float32) {
	_, rows := split(n)
	from := y[((row/rows)*m.outs*groupRows+row%rows)*lanes:]
	for o := range dst {
		dst[o] = from[o/lanes*square+o%lanes] + m.bias[o]
	}
}

// PointwiseOutputs returns a buffer for the y of ApplyPointwise with [ChunkRows] rows.
func (b *Board) PointwiseOutputs() []float32 { return aligned(chunk * b.Cells() * square) }

// ApplyPointwise computes a Matrix made by NewPointwise with up to 16 outputs, without its
// bias, for n ≤ [ChunkRows] rows of flattened activations;
// y is [group][cell][16 positions][16].
func (m *Matrix) ApplyPointwise(b *Board, s *Space, n int, y, x []float32) {
	groups, rows := split(n)
	s.shape = shape{
		terms: &m.terms[0], count: m.ins,
		outer: b.Cells(), cOuter: square * size, aOuter: square * size,
		inner: groups, cInner: b.Cells() * square * size, aInner: m.ins * b.Cells() * square * size,
	}
	m.path.products(rows)(&y[0], &x[0], &m.weights[0], &s.shape)
}

// PointwiseOutput sets dst to output o of one of n rows, plus its bias, at every cell.
func (m *Matrix) PointwiseOutput(b *Board, n, row, o int, dst, y []float32) {
	_, rows := split(n)
	from := y[((row/rows)*b.Cells()*groupRows+row%rows)*lanes+o:]
	for i := range dst[:b.Cells()] {
		dst[i] = from[i*square] + m.bias[o]
	}
}

// Sizes of the layout; see the package comment. The generated code contains them too.
const (
	groupRows = 16                // positions in a group
	lanes     = 16                // channels in a block
	square    = groupRows * lanes // floats of a group and a channel block at one cell
	plane     = square + 16       // floats from one product to the next
	// register blocks of assembly have fewer rows than this, or a multiple
	rowBlock  = 4
	chunk     = 2                 // groups that share one pass over the weights
	ChunkRows = chunk * groupRows // rows that a Convolution or a Matrix computes at once
	size      = 4                 // bytes of a float32

	listed     = 1024 // inputs that a sparse kernel gets at once, a power of two
	prefetched = 32   // further inputs in its list
)

// shape describes a sequence of matrix products:
//
//	for i < outer, j < inner:
//		C(i, j) = Σ A(i, j, t)·B(i, t) over the terms t
//
// where each A is [rows][16], each B [16][16] and each C [rows][16]. Strides are in
// bytes. The products prefetch what the next outer step reads.
type shape struct {
	terms  *term
	count  int // of terms, at least 1
	outer  int // at least 1
	cOuter int
	aOuter int
	bOuter int
	inner  int // at least 1
	cInner int
	aInner int
}

// term holds the offsets of a term's blocks of A and B, in bytes.
type term struct{ a, b int }

// regular returns n terms at constant strides.
func regular(n, a, b int) []term {
	t := make([]term, n)
	for i := range t {
		t[i] = term{i * a, i * b}
	}
	return t
}

// blocks returns the number of channel blocks of n channels.
func blocks(n int) int { return (n + lanes - 1) / lanes }

// Padded returns n, a number of channels, rounded up to a multiple of 16.
func Padded(n int) int { return blocks(n) * lanes }

// split divides n rows into groups of rows each; the last may be smaller.
func split(n int) (groups, rows int) {
	groups = (n + groupRows - 1) / groupRows
	return groups, (n + groups - 1) / groups
}
