package kernels

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
