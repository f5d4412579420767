package kernels

import (
	"fmt"
	"unsafe"

	"tengen/internal/machine"
)

// Board says how a path computes convolutions on boards of one size. It is immutable.
type Board struct {
	path          *Path
	height, width int
	transform     *board // nil: convolutions are direct
	// cells in the layout; more than height·width if the transform's board is larger
	cells   int
	place   []int // of each cell in the layout
	margin  []int // places in the layout that are off the board
	between int   // stride between blocks of a transformed group
}

// NewBoard chooses the fastest way to compute on boards of height × width.
func NewBoard(p *Path, height, width int) *Board {
	if height < 1 || width < 1 {
		panic(fmt.Sprintf("kernels: a board of %d×%d", height, width))
	}
	b := &Board{path: p, height: height, width: width, cells: height * width}
	for i := range p.boards {
		t := &p.boards[i]
		if t.height >= height && t.width >= width && worthwhile(t.all(), height, width) {
			b.transform, b.cells = t, t.height*t.width
			b.between = between(t.products)
			break
		}
	}
	b.locate()
	return b
}

// NewDirectBoard returns a board without transforms. On it NaN and infinity reach only the
// cells that they reach by the convolution's definition.
func NewDirectBoard(p *Path, height, width int) *Board {
	b := &Board{path: p, height: height, width: width, cells: height * width}
	b.locate()
	return b
}

// worthwhile reports whether the products in the frequency domain, with their
// transforms, cost less than the taps that lie on the board.
func worthwhile(products, height, width int) bool {
	return 5*products <= 4*(3*height-2)*(3*width-2)
}

// between returns a stride that spreads the blocks of a transformed group over the sets of a cache.
func between(products int) int {
	const page, step = 4096 / size, plane
	n := products * plane
	return n + ((step-n)%page+page)%page
}

// locate sets place and margin.
func (b *Board) locate() {
	width := b.width
	if b.transform != nil {
		width = b.transform.width
	}
	for i := range b.cells {
		if y, x := i/width, i%width; y < b.height && x < b.width {
			b.place = append(b.place, i)
		} else {
			b.margin = append(b.margin, i)
		}
	}
}

// Cells returns height × width.
func (b *Board) Cells() int { return len(b.place) }

// Direct reports whether convolutions are computed by their definition.
func (b *Board) Direct() bool { return b.transform == nil }

// Activations returns zeroed activations of [ChunkRows] rows of channels.
func (b *Board) Activations(channels int) []float32 {
	return aligned(chunk * b.groupLen(channels))
}

// groupLen returns the length of a group's activations.
func (b *Board) groupLen(channels int) int { return blocks(channels) * b.cells * square }

// at returns the index, in a group's activations, of a block's 16 channels at a place.
func (b *Board) at(block, row, place int) int {
	if b.Direct() {
		return ((block*b.cells+place)*groupRows + row) * lanes
	}
	return ((block*groupRows+row)*b.cells + place) * lanes
}

// Load writes n ≤ ChunkRows observations [n][planes][cells] to x, as activations of planes
// channels.
func (b *Board) Load(x []float32, n, planes int, observations []float32) {
	groups, rows := split(n)
	for g := range groups {
		group := x[g*b.groupLen(planes):][:b.groupLen(planes)]
		for r := range min(rows, n-g*rows) {
			row := observations[(g*rows+r)*planes*b.Cells():][:planes*b.Cells()]
			for p := range planes {
				cells := row[p*b.Cells():][:b.Cells()]
				for i, v := range cells {
					group[b.at(p/lanes, r, b.place[i])+p%lanes] = v
				}
			}
		}
	}
}

// Part returns for how many rows, at most, a sequence of layers is best computed at once. On boards
// in tiles that is fewer than [ChunkRows], so that activations stay in the caches from layer to
// layer.
func (b *Board) Part() int {
	if b.transform != nil && b.transform.tiled != nil {
		return tiledPart
	}
	return ChunkRows
}

// Flatten copies the activations x of n rows to the rows from first on of y, which has the layout
// that dense layers read for all rows, [group][block][cell][16 positions][16 channels], and returns
// y. On a direct board, whose activations have that layout, it returns x; there n must be all.
func (b *Board) Flatten(y, x []float32, first, n, all, channels int) []float32 {
	if b.Direct() {
		return x
	}
	_, rows := split(n)
	_, width := split(all)
	from, to := b.groupLen(channels), blocks(channels)*b.Cells()*square
	for r := range n {
		group, row := (first+r)/width, (first+r)%width
		for block := range blocks(channels) {
			src := x[r/rows*from+(block*groupRows+r%rows)*b.cells*lanes:][:b.cells*lanes]
			dst := y[group*to+(block*b.Cells()*groupRows+row)*lanes:]
			for i, p := range b.place {
				*(*[lanes]float32)(dst[i*square:]) = *(*[lanes]float32)(src[p*lanes:])
			}
		}
	}
	return y
}

// Flat returns a buffer for the y of Flatten with [ChunkRows] rows.
func (b *Board) Flat(channels int) []float32 {
	return aligned(chunk * blocks(channels) * b.Cells() * square)
}

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

// tiled holds the transforms of a board whose convolutions are computed in tiles; see gen/tiled.go.
// A transformed group has the tiles of one position, line by line, in place of 16 positions. So the
// weights of a layer take little memory, and one position is computed as fast as many.
type tiled struct {
	lines, columns int // of tiles
	inputs         int // of a tile in one dimension
	spectrum       int // float32 of t

	inputRows    func(t, x *float32, n int)
	inputColumns func(v, t *float32, n int)

	outputColumns      func(t, m *float32, n int)
	outputRows         func(y, t, bias *float32, n int)
	outputRowsResidual func(y, t, bias, skip *float32, n int)
}

// tiledPart is what Part returns for a board in tiles: with 64 channels, 0.4 MB of activations a
// layer, and so the weights, 0.8 MB, are not read from memory for each position.
const tiledPart = 4

// forwardTiled transforms a position x to v.
func (t *board) forwardTiled(s *Space, v, x []float32) {
	k := t.tiled
	k.inputRows(&s.t[0], &x[0], t.height)
	for c := range k.columns {
		k.inputColumns(&v[c*lanes], &s.t[c*k.spectrum/k.columns], k.inputs)
	}
}

// backTiled is back for a position.
func (t *board) backTiled(s *Space, y, m []float32, bias *float32, skip []float32) {
	k := t.tiled
	for c := range k.columns {
		k.outputColumns(&s.t[c*k.spectrum/k.columns], &m[c*lanes], k.inputs)
	}
	if skip == nil {
		k.outputRows(&y[0], &s.t[0], bias, t.height)
	} else {
		k.outputRowsResidual(&y[0], &s.t[0], bias, &skip[0], t.height)
	}
}

// applyTiled is Apply on a board in tiles.
func (c *Convolution) applyTiled(s *Space, n int, y, x, skip []float32) {
	b, t := c.board, c.board.transform
	groups, rows := split(n)
	ins, outs, position := blocks(c.in), blocks(c.out), b.cells*lanes
	for g := range groups {
		count := min(rows, n-g*rows)
		for r := range count {
			for i := range ins {
				t.forwardTiled(s, s.v[i*b.between:], x[((g*ins+i)*groupRows+r)*position:])
			}
			s.shape = shape{
				terms: &c.terms[0], count: ins,
				outer: t.products, cOuter: plane * size, aOuter: plane * size,
				bOuter: ins * square * size,
				inner:  1,
			}
			for o := range outs {
				b.path.products(t.tiled.lines*t.tiled.columns)(&s.m[0], &s.v[0],
					&c.weights[o*t.products*ins*square], &s.shape)
				row := (g*outs+o)*groupRows + r
				var add []float32
				if skip != nil {
					add = skip[row*position:]
				}
				t.backTiled(s, y[row*position:], s.m, &c.bias[o*lanes], add)
			}
		}
		for o := 0; o < outs && len(b.margin) > 0; o++ {
			b.clearMargin(y[(g*outs+o)*groupRows*position:], count)
		}
	}
}

// aligned returns n zeros that start at a cache line.
func aligned(n int) []float32 {
	const line = 64
	raw := make([]float32, n+line/size)
	off := int(-uintptr(unsafe.Pointer(unsafe.SliceData(raw)))%line) / size
	if n*size >= hugePage/8 { // the heap places large buffers next to one another
		machine.AdviseHugePages(raw)
	}
	return raw[off : off+n : off+n]
}

// hugePage is the size of a huge page in bytes. On huge pages weights are read about 3 % faster.
const hugePage = 2 << 20
