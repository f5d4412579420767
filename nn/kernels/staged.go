package kernels

// staged holds the transforms of a large board, in stages; see gen/staged.go. Each kernel works on
// n rows or columns of one position. t are the spectra of its rows.
type staged struct {
	spectrum int // float32 of t
	columns  int // columns of t besides the two edges

	inputRows    func(t, x *float32, n int)
	inputEdges   func(real, first, others, t *float32, n int)
	inputColumns func(first, others, t *float32, n int)

	outputColumns      func(t, first, others *float32, n int)
	outputEdges        func(t, real, first, others *float32, n int)
	outputRows         func(y, t, bias *float32, n int)
	outputRowsResidual func(y, t, bias, skip *float32, n int)
}

// edges is the number of columns that are real.
const edges = 2

// spectrum returns the length of the t of a [Space].
func (t *board) spectrum() int {
	switch {
	case t.staged != nil:
		return t.staged.spectrum
	case t.tiled != nil:
		return t.tiled.spectrum
	}
	return 0
}

// forward transforms n positions x to v.
func (t *board) forward(s *Space, v, x []float32, n int) {
	if t.staged == nil {
		t.input(&v[0], &x[0], n)
		return
	}
	k, spectrum := t.staged, &s.t[0]
	for r := range n {
		to := &v[r*lanes]
		k.inputRows(spectrum, &x[r*t.cells()*lanes], t.height)
		k.inputEdges(to, to, to, spectrum, edges)
		k.inputColumns(to, to, spectrum, k.columns)
	}
}

// back computes y = ReLU(m + bias) for n positions, or y = ReLU(m + bias + skip) if skip is not
// nil.
func (t *board) back(s *Space, y, m []float32, bias *float32, skip []float32, n int) {
	switch k := t.staged; {
	case k == nil && skip == nil:
		t.output(&y[0], &m[0], bias, n)
	case k == nil:
		t.outputResidual(&y[0], &m[0], bias, &skip[0], n)
	default:
		for r := range n {
			k.backColumns(s, m, r)
			if at := r * t.cells() * lanes; skip == nil {
				k.outputRows(&y[at], &s.t[0], bias, t.height)
			} else {
				k.outputRowsResidual(&y[at], &s.t[0], bias, &skip[at], t.height)
			}
		}
	}
}

// backColumns transforms position r of m back to the spectra of its rows.
func (k *staged) backColumns(s *Space, m []float32, r int) {
	spectrum, from := &s.t[0], &m[r*lanes]
	k.outputEdges(spectrum, from, from, from, edges)
	k.outputColumns(spectrum, from, from, k.columns)
}
