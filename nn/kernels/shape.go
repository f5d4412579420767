package kernels

// Sizes of the layout; see the package's comment. The generated code has them too.
const (
	groupRows = 16                // positions in a group
	lanes     = 16                // channels in a block
	square    = groupRows * lanes // numbers of a group and a channel block at one cell
	plane     = square + 16       // numbers from one product to the next
	rowBlock  = 4                 // register blocks hold a multiple of this
	chunk     = 2                 // groups that share one pass over the weights
	ChunkRows = chunk * groupRows // rows that a Convolution or a Dense computes at once
	size      = 4                 // bytes of a float32
)

// shape says how products of matrices follow one another:
//
//	for i < outer, j < inner:
//		C(i, j) = Σ A(i, j, t)·B(i, t) over the terms t
//
// where each A is [rows][16], each B [16][16] and each C [rows][16]. Strides are in
// bytes. While it computes, a product asks for what the next outer step reads.
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

// term says where a term's blocks lie, in bytes.
type term struct{ a, b int }

// regular are n terms that follow one another at equal distances.
func regular(n, a, b int) []term {
	t := make([]term, n)
	for i := range t {
		t[i] = term{i * a, i * b}
	}
	return t
}

// blocks is the number of channel blocks that hold n channels.
func blocks(n int) int { return (n + lanes - 1) / lanes }

// Padded is the number of channels n rounded up to whole blocks of 16.
func Padded(n int) int { return blocks(n) * lanes }

// split divides n rows into groups of equal size but for the last, which is
// not larger: how many groups, and the size of each but the last.
func split(n int) (groups, rows int) {
	groups = (n + groupRows - 1) / groupRows
	return groups, (n + groups - 1) / groups
}
