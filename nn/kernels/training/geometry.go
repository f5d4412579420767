package training

// Sizes of the layout, in positions and channels; see the package comment.
const (
	group  = 16            // positions in a group
	lanes  = 16            // channels in a block
	square = group * lanes // floats of a tile
	// floats from one tile to the next: a cache line more, to avoid aliasing
	stride = square + 16
	// positions that pass through the two steps of a transform together
	batch = 8
	// floats from one column of a half-transformed batch to the next
	reach = batch*maxSide*lanes + 16
	taps  = 9 // of a kernel, line by line
)

// maxSide is the longest side of a board with a transform.
const maxSide = 11

// length returns the length of the cyclic transform of a side: the least even number
// that is at least 4 and greater than side, so that a 3×3 kernel wraps around into zeros.
func length(side int) int { return max(4, (side+2)&^1) }

// Fits reports whether a board of height × width cells has a transform.
func Fits(height, width int) bool {
	return height >= 1 && width >= 1 && height <= maxSide && width <= maxSide
}

// geometry holds the sizes of the transforms of one board.
//
// The real cyclic transform of Ly × Lx numbers consists of 4 real and
// (Ly·Lx − 4)/2 complex frequencies (the others are their conjugates). A complex one has three
// planes, so that a complex product takes three real ones. Planes are ordered
// by kx: 0, then Lx/2 (these columns are transforms of real numbers), then
// 1, 2 … Lx/2 − 1. The order within a real column is ky = 0, Ly/2, then the complex
// frequencies from 1 to Ly/2 − 1; within a complex one, ky from 0 to Ly − 1.
type geometry struct {
	height, width int
	ly, lx        int
	planes        int // 3·Ly·Lx/2 − 2; 1 on a board of one cell
}

func newGeometry(height, width int) geometry {
	if height == 1 && width == 1 {
		return geometry{1, 1, 1, 1, 1}
	}
	ly, lx := length(height), length(width)
	return geometry{height, width, ly, lx, 3*ly*lx/2 - 2}
}

func (g *geometry) cells() int { return g.height * g.width }

// blockFloats returns the length of a block's activations of one group: [position][cell][channel].
func (g *geometry) blockFloats() int { return group * g.cells() * lanes }

// columnFloats returns the length of a block of a transformed group: [plane][position][channel].
func (g *geometry) columnFloats() int { return g.planes * stride }

// scale returns the factor of a complex frequency, together with its conjugate, in the inverse
// transform.
func (g *geometry) scale() float32 { return float32(2 / float64(g.ly*g.lx)) }

// partner returns the plane of the output gradient's transform by which plane q of the
// input's transform is multiplied in the weights' gradient: the adjoint of the three products
// pairs a+b with a+b, a with b, and b with a.
func (g *geometry) partner(q int) int {
	realColumn := 3*g.ly/2 - 1
	var k int // index within consecutive complex planes
	switch {
	case q < realColumn:
		k = q - 2
	case q < 2*realColumn:
		k = q - realColumn - 2
	default:
		k = q - 2*realColumn
	}
	switch {
	case k < 0:
		return q
	case k%3 == 1:
		return q + 1
	case k%3 == 2:
		return q - 1
	}
	return q
}

// blocks returns the number of blocks of n channels.
func blocks(n int) int { return (n + lanes - 1) / lanes }
