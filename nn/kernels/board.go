package kernels

import "fmt"

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
