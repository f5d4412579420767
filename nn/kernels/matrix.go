package kernels

// Matrix is a dense layer or a 1×1 convolution. It is immutable and safe for concurrent use.
type Matrix struct {
	path    *Path
	ins     int       // input blocks
	outs    int       // output blocks
	bias    []float32 // [out blocks][16]
	weights []float32 // [out block][in block][16 inputs][16 outputs]
	terms   []term
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
	return m
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

// Output sets dst to the first len(dst) outputs of one of n rows in the y of Apply, plus their bias.
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
