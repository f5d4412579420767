package kernels

import "fmt"

// Board is how convolutions are computed on boards of one size by one path:
// it is immutable.
type Board struct {
	path          *Path
	height, width int
	transform     *board // nil: convolutions are direct
	cells         int    // of the layout: the transform's board may be larger
	place         []int  // of each cell in the layout
	margin        []int  // places in the layout that are off the board
	between       int    // numbers from one block of a transformed group to the next
}

// NewBoard chooses how to compute on boards of height × width.
func NewBoard(p *Path, height, width int) *Board {
	if height < 1 || width < 1 {
		panic(fmt.Sprintf("kernels: a board of %d×%d", height, width))
	}
	b := &Board{path: p, height: height, width: width, cells: height * width}
	for i := range p.boards {
		t := &p.boards[i]
		if t.height >= height && t.width >= width && worthwhile(t.products, height, width) {
			b.transform, b.cells = t, t.height*t.width
			b.between = between(t.products)
			break
		}
	}
	b.locate()
	return b
}

// NewDirectBoard is a board without transforms: what is not finite stays where the
// convolution's definition brings it.
func NewDirectBoard(p *Path, height, width int) *Board {
	b := &Board{path: p, height: height, width: width, cells: height * width}
	b.locate()
	return b
}

// worthwhile says whether products in the frequency domain, with their
// transforms, cost less than the taps that lie on the board.
func worthwhile(products, height, width int) bool {
	return 5*products <= 4*(3*height-2)*(3*width-2)
}

// between spreads the blocks of a transformed group over the sets of a cache.
func between(products int) int {
	const page, step = 4096 / size, plane
	n := products * plane
	return n + ((step-n)%page+page)%page
}

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

// Cells is the board's height × width.
func (b *Board) Cells() int { return len(b.place) }

// Direct says whether convolutions are computed from their definition.
func (b *Board) Direct() bool { return b.transform == nil }

// Activations are zeros for [ChunkRows] rows of channels.
func (b *Board) Activations(channels int) []float32 {
	return aligned(chunk * b.groupLen(channels))
}

// groupLen is the length of a group's activations.
func (b *Board) groupLen(channels int) int { return blocks(channels) * b.cells * square }

// at is where the 16 channels of a block at a cell stand in a group's activations.
func (b *Board) at(block, row, place int) int {
	if b.Direct() {
		return ((block*b.cells+place)*groupRows + row) * lanes
	}
	return ((block*groupRows+row)*b.cells + place) * lanes
}

// Load lays n ≤ ChunkRows observations [n][planes][cells] out as activations of as
// many channels.
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

// Flatten copies the activations of n rows to [group][block][cell][16 positions][16 channels],
// which dense layers read: it does nothing on a direct board, where x
// is that already. It returns the result, y or x.
func (b *Board) Flatten(y, x []float32, n, channels int) []float32 {
	if b.Direct() {
		return x
	}
	groups, rows := split(n)
	from, to := b.groupLen(channels), blocks(channels)*b.Cells()*square
	for g := range groups {
		for block := range blocks(channels) {
			for r := range min(rows, n-g*rows) {
				src := x[g*from+(block*groupRows+r)*b.cells*lanes:][:b.cells*lanes]
				dst := y[g*to+(block*b.Cells()*groupRows+r)*lanes:]
				for i, p := range b.place {
					*(*[lanes]float32)(dst[i*square:]) = *(*[lanes]float32)(src[p*lanes:])
				}
			}
		}
	}
	return y
}

// Flat are zeros for [ChunkRows] rows, as Flatten writes them.
func (b *Board) Flat(channels int) []float32 {
	return aligned(chunk * blocks(channels) * b.Cells() * square)
}
