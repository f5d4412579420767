package kernels

import "fmt"

// Excitation is the squeeze-and-excitation of a residual block: with z the output of its last convolution
// and z̄ the mean of z over the cells of a channel,
//
//	h = ReLU(squeeze·z̄),  y = ReLU(σ(scale·h)·z + shift·h + skip)
//
// where each of the three layers has a bias. The last two are one matrix. It is immutable and safe for
// concurrent use, on boards with and without a transform.
type Excitation struct {
	channels int
	squeeze  *Matrix // sums over cells → hidden units
	excite   *Matrix // hidden units → [2][channels padded to whole blocks]: scales and shifts
}

// Dense is the weights [outputs, inputs] and biases of a dense layer.
type Dense struct{ Weight, Bias []float32 }

// NewExcitation prepares the squeeze-and-excitation of channels on boards of so many cells.
func NewExcitation(p *Path, channels, cells int, squeeze, scale, shift Dense) *Excitation {
	units := len(squeeze.Bias)
	for _, d := range []Dense{scale, shift} {
		if len(squeeze.Weight) != units*channels || len(d.Weight) != units*channels || len(d.Bias) != channels {
			panic(fmt.Sprintf("kernels: squeeze-and-excitation of %d channels with %d units got %d, %d weights and %d biases",
				channels, units, len(squeeze.Weight), len(d.Weight), len(d.Bias)))
		}
	}
	mean := make([]float32, len(squeeze.Weight)) // the inputs are sums
	for i, v := range squeeze.Weight {
		mean[i] = v / float32(cells)
	}
	e := &Excitation{channels: channels}
	e.squeeze = NewMatrix(p, units, counted(channels), func(o int) []float32 { return mean[o*channels:][:channels] }, squeeze.Bias)

	width := Padded(channels)
	weight, bias := make([]float32, 2*channels*units), make([]float32, 2*width)
	for i, v := range scale.Weight { // the kernel doubles its argument
		weight[i] = v / 2
	}
	copy(weight[channels*units:], shift.Weight)
	for i, v := range scale.Bias {
		bias[i] = v / 2
	}
	copy(bias[width:], shift.Bias)
	e.excite = NewMatrix(p, 2*width, counted(units), func(o int) []float32 {
		if o%width >= channels {
			return nil
		}
		return weight[(o/width*channels+o%width)*units:][:units]
	}, bias)
	return e
}

// counted returns 0, 1 … n−1.
func counted(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

// ExcitationSpace is the scratch memory of one goroutine for Excitations of one shape.
type ExcitationSpace struct{ z, pool, hidden, factors []float32 }

// NewSpace returns scratch memory for the block of a board.
func (e *Excitation) NewSpace(b *Board) *ExcitationSpace {
	return &ExcitationSpace{b.Activations(e.channels), e.squeeze.Inputs(), e.squeeze.Outputs(), e.excite.Outputs()}
}

// Apply computes y = ReLU(σ(scale)·z + shift + skip) for n ≤ ChunkRows rows, where z = bias + x ∗ w is what
// c computes without its ReLU. y may be skip, but not x.
func (e *Excitation) Apply(c *Convolution, s *Space, t *ExcitationSpace, n int, y, x, skip []float32) {
	b := c.board
	c.apply(s, n, t.z, x, nil, t.pool)
	e.squeeze.Apply(s, n, t.hidden, t.pool)
	e.squeeze.Rectify(n, t.hidden)
	e.excite.Apply(s, n, t.factors, t.hidden)
	groups, rows := split(n)
	outs := blocks(e.channels)
	for g := range groups {
		count := min(rows, n-g*rows)
		for o := range outs {
			scale, shift := t.factors[(2*g*outs+o)*square:][:square], t.factors[((2*g+1)*outs+o)*square:][:square]
			b.path.sigmoid(&scale[0], &scale[0], &e.excite.bias[o*lanes], count)
			b.path.linear(&shift[0], &shift[0], &e.excite.bias[(outs+o)*lanes], count)
			b.excite(y, t.z, skip, (g*outs+o)*b.cells*square, count, scale, shift)
		}
	}
}

// excite computes a block's y = ReLU(scale·z + shift + skip) for the rows of a group, whose activations
// begin at index at.
func (b *Board) excite(y, z, skip []float32, at, rows int, scale, shift []float32) {
	if b.Direct() {
		for range b.cells {
			b.path.exciteRows(&y[at], &z[at], &skip[at], &scale[0], &shift[0], rows)
			at += square
		}
		return
	}
	for r := range rows {
		i := at + r*b.cells*lanes
		b.path.exciteCells(&y[i], &z[i], &skip[i], &scale[r*lanes], &shift[r*lanes], b.cells)
	}
	if len(b.margin) > 0 {
		b.clearMargin(y[at:], rows)
	}
}

// pool sets the sums of rows to those over the cells that are on the board, in a block's activations y.
func (b *Board) pool(sums, y []float32, rows int) {
	for r := range rows {
		sum := (*[lanes]float32)(sums[r*lanes:])
		clear(sum[:])
		for line := range b.height {
			b.path.poolCells(&sum[0], &y[(r*b.cells+b.place[line*b.width])*lanes], b.width)
		}
	}
}
