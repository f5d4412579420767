package training

import (
	"fmt"
	"sort"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// moments returns how many numbers the optimizer keeps per parameter.
func (p *Plan) moments() int {
	if p.config.Optimizer == train.OptimizerAdam {
		return 2
	}
	return 1
}

// normParts returns how many floats norm_moments and norm_gate write.
func (p *Plan) normParts() int {
	return (p.positions + kernels.NormStretch - 1) / kernels.NormStretch * 2 * p.layout.filters
}

// parts returns into how many parts a sum over rows of n numbers is divided, and the rows per
// part: enough threads for any device, and few enough parts to be added quickly.
func parts(rows, n int) (count, length int) {
	count = max(1, min(1<<17/n, 512, (rows+63)/64))
	length = (rows + count - 1) / count
	return (rows + length - 1) / length, length
}

// columnParts is parts for sums by column_parts, one block each.
func columnParts(rows int) (count, length int) {
	count = max(1, min(rows/2048, 64))
	length = (rows + count - 1) / count
	return (rows + length - 1) / length, length
}

// workspace returns the maximum size of partial sums, in floats.
func (p *Plan) workspace() int {
	s := &p.spec
	n := max(p.normParts(), p.stem.gradient.Workspace(), p.dense.gradient.Workspace())
	if s.Blocks > 0 {
		n = max(n, p.block.gradient.Workspace())
	}
	small := func(rows, size int) {
		count, _ := parts(rows, size)
		n = max(n, count*size)
	}
	columns := func(rows, size int) {
		count, _ := columnParts(rows)
		n = max(n, count*size)
	}
	rows := p.config.Batch
	small(rows, s.Players*s.Outputs()*s.Hidden)
	columns(rows, max(p.layout.width, s.Players*s.Outputs()))
	if p.layout.maps > 0 {
		small(p.positions, p.layout.maps*p.layout.filters)
		columns(p.positions, p.layout.maps)
	}
	if s.Policy == nn.PolicyDense {
		small(rows, s.Actions*2*s.Cells())
		columns(rows, s.Actions)
	}
	return n
}

// inputs holds the offsets, in floats, of a batch in its one copy to the device: the
// observations, then targets, then each row's factor in the policy's loss.
type inputs struct{ value, policy, factors, total int }

func (p *Plan) inputs() inputs {
	s, rows := &p.spec, p.config.Batch
	var in inputs
	in.value = rows * s.Planes * s.Cells()
	in.policy = in.value + rows*s.Players*s.Outputs()
	in.factors = in.policy
	in.total = in.factors
	if s.Policy != nn.PolicyNone {
		in.factors += rows * s.Actions
		in.total = in.factors + rows
	}
	return in
}

// squareBlocks is the number of partial sums of squares per array.
const squareBlocks = 64

// results holds the offsets, in bytes, of a step's results in their one copy: the partial sums of
// squares of gradients, then of weights, in fp64; flags; four measures per row and player, then
// per row.
type results struct{ flags, value, policy, total int }

func (p *Plan) results() results {
	rows := p.config.Batch
	var r results
	r.flags = 2 * squareBlocks * 8
	r.value = r.flags + 16
	r.policy = r.value + rows*p.spec.Players*16
	r.total = r.policy
	if p.layout.maps > 0 {
		r.total += rows * 16
	}
	return r
}

// buffers holds a trainer's arrays on the device.
type buffers struct {
	// layout's array; its parameters; optimizer state; layout's array
	numbers, gradients, moments, average driver.Ptr
	forward, backward                    driver.Ptr // weights packed for the products

	input, output, support driver.Ptr
	observed               driver.Ptr // [positions][planes]
	// [layers][positions][filters]: before and after BatchNorm; z becomes its gradient
	z, y            driver.Ptr
	d, e            driver.Ptr // gradients of y
	statistics      driver.Ptr // [layers][mean, variance][filters] of the batch
	scale, inverse  driver.Ptr // [layers][filters]
	slope, shift    driver.Ptr // [filters]
	part            driver.Ptr // partial sums
	hidden, dHidden driver.Ptr // [rows][width]
	value, dValue   driver.Ptr // logits [rows][players][outputs]
	dots, dDots     driver.Ptr // [positions][maps]
	policyHidden    driver.Ptr // [rows][2·cells]
	policy, dPolicy driver.Ptr // logits [rows][actions]
}

// allocation is an array, its size and what it holds.
type allocation struct {
	at    *driver.Ptr
	bytes int
	name  string
}

// allocations lists a plan's arrays.
func (p *Plan) allocations(b *buffers) []allocation {
	s, rows, element := &p.spec, p.config.Batch, p.precision.Element()
	cells := s.Cells()
	trunk := p.positions * p.layout.filters * element
	packed := (p.stem.forward.Layer.Weights() + p.dense.forward.Layer.Weights()) * element
	backward := p.dense.forward.Layer.Weights() * element
	if s.Blocks > 0 {
		blocks := 2 * s.Blocks * p.block.forward.Layer.Weights() * element
		packed, backward = packed+blocks, backward+blocks
	}
	average := 0
	if p.config.EMADecay > 0 {
		average = 4 * p.layout.total
	}
	values := 4 * rows * s.Players * s.Outputs()
	list := []allocation{
		{&b.numbers, 4 * p.layout.total, "parameters"},
		{&b.gradients, 4 * p.layout.learned, "gradients"},
		{&b.moments, 4 * p.layout.learned * p.moments(), "the optimizer's moments"},
		{&b.average, average, "averaged parameters"},
		{&b.forward, packed, "packed weights"},
		{&b.backward, backward, "packed weights"},
		{&b.input, 4 * p.inputs().total, "the batch"},
		{&b.output, p.results().total, "losses"},
		{&b.support, 4 * len(s.Support), "the support"},
		{&b.observed, p.positions * p.layout.planes * element, "activations"},
		{&b.z, p.layout.layers * trunk, "activations"},
		{&b.y, p.layout.layers * trunk, "activations"},
		{&b.d, trunk, "gradients of activations"},
		{&b.statistics, 4 * p.layout.layers * 2 * p.layout.filters, "statistics"},
		{&b.scale, 4 * p.layout.layers * p.layout.filters, "statistics"},
		{&b.inverse, 4 * p.layout.layers * p.layout.filters, "statistics"},
		{&b.slope, 4 * p.layout.filters, "statistics"},
		{&b.shift, 4 * p.layout.filters, "statistics"},
		{&b.part, 4 * p.workspace(), "partial sums"},
		{&b.hidden, rows * p.layout.width * element, "activations"},
		{&b.dHidden, rows * p.layout.width * element, "gradients of activations"},
		{&b.value, values, "logits"},
		{&b.dValue, values, "logits"},
	}
	if s.Blocks > 0 {
		list = append(list, allocation{&b.e, trunk, "gradients of activations"})
	}
	if p.layout.maps > 0 {
		list = append(list,
			allocation{&b.dots, 4 * p.positions * p.layout.maps, "activations"},
			allocation{&b.dDots, 4 * p.positions * p.layout.maps, "gradients of activations"},
			allocation{&b.policy, 4 * rows * s.Actions, "logits"},
			allocation{&b.dPolicy, 4 * rows * s.Actions, "logits"})
	}
	if s.Policy == nn.PolicyDense {
		list = append(list, allocation{&b.policyHidden, rows * 2 * cells * element, "activations"})
	}
	return list
}

// Bytes returns the device memory of training. Each array is rounded up to a multiple of 256
// bytes.
func (p *Plan) Bytes() int64 {
	var total int64
	for _, a := range p.allocations(&buffers{}) {
		total += int64(a.bytes+255) / 256 * 256
	}
	return total
}

// LargestBatch returns the largest number of rows per step, up to most, that fits in the given
// bytes; 0 if none does.
func LargestBatch(
	spec nn.Spec, config train.Config, precision kernels.Precision, d *driver.Device,
	bytes int64, most int,
) int {
	return sort.Search(most, func(i int) bool {
		c := config
		c.Batch = i + 1
		p, err := NewPlan(spec, c, precision, d)
		return err != nil || p.Bytes() > bytes
	})
}

// fits returns an error if memory is too small.
func (p *Plan) fits(free int64, d *driver.Device) error {
	need := p.Bytes()
	if need <= free {
		return nil
	}
	const gib = 1 << 30
	line := fmt.Sprintf(
		"training with a batch of %d rows needs %.2f GiB of %s's memory, %.2f GiB are free",
		p.config.Batch, float64(need)/gib, d.Name, float64(free)/gib)
	if n := LargestBatch(p.spec, p.config, p.precision, d, free, p.config.Batch); n > 0 {
		return fmt.Errorf("%s: a batch of at most %d rows fits", line, n)
	}
	return fmt.Errorf("%s: no batch fits", line)
}
