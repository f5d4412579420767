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

// normParts returns how many floats products write for BatchNorm; norm_moments and norm_gate write
// fewer.
func (p *Plan) normParts() int {
	return (p.positions + kernels.MomentStretch - 1) / kernels.MomentStretch * 2 * p.layout.filters
}

// parts returns into how many parts a sum over rows of n numbers is divided, and the rows per
// part: enough threads for any device, and few enough parts to be added quickly.
func parts(rows, n int) (count, length int) {
	count = max(1, min(1<<17/n, 512, (rows+63)/64))
	length = (rows + count - 1) / count
	return (rows + length - 1) / length, length
}

// workspace returns the maximum size of partial sums that are added together, in floats: those of a
// convolution's weights, or of the dense layer's and all small layers.
func (p *Plan) workspace() int {
	most := func(l *linear) (n int) {
		for _, g := range []*kernels.Gradient{l.gradient, l.wgmmaGradient} {
			if g != nil {
				n = max(n, sumSize(g.Layer.Weights(), g.Parts))
			}
		}
		return n
	}
	s, l, rows, heads := &p.spec, p.layout, p.config.Batch, most(&p.dense)
	add := func(rows, n, bias int) { // the weights and the bias of a layer
		for _, size := range []int{n, bias} {
			count, _ := parts(rows, size)
			heads += sumSize(size, count)
		}
	}
	add(rows, s.Players*s.Outputs()*s.Hidden, s.Players*s.Outputs())
	add(rows, l.width, 1)
	if l.maps > 0 {
		add(p.positions, l.maps*l.filters, l.maps)
	}
	if s.Policy == nn.PolicyDense {
		add(rows, s.Actions*2*s.Cells(), s.Actions)
	}
	if classes := s.Auxiliary.Classes(); classes > 0 {
		add(p.positions, classes*l.filters, classes)
	}
	if numbers := s.Players * s.Auxiliary.Seats; numbers > 0 {
		add(rows, numbers*l.filters, numbers)
	}
	if classes := s.Auxiliary.BeliefClasses(); classes > 0 {
		add(rows, classes*s.Hidden, classes)
	}
	return max(most(&p.stem), most(&p.block), heads)
}

// exchanged returns the size of the array of gradients in floats: those of the parameters, the
// batch's statistics, and whether the device refuses its part of a batch. It is what devices add.
func (p *Plan) exchanged() int { return p.layout.learned + p.layout.layers*2*p.layout.filters + 64 }

// shard returns the part of that array which a device adds: its offset and length in floats.
func (p *Plan) shard(device int) (from, n int) {
	all := p.exchanged()
	size := (all/64 + p.devices - 1) / p.devices * 64
	from = min(device*size, all)
	return from, min(size, all-from)
}

// inputs holds the offsets, in floats, of a batch's arrays in its one copy to the device, and of
// what is given with the batch, as doubles.
type inputs struct {
	observations, policy, policyWeight, value int
	seats, labelWeight, priors, factWeight    int
	cells, facts                              int // classes, a byte each
	given, size                               int
}

// numbers returns the offsets of train.Batch's Numbers, classes those of its Classes.
func (in *inputs) numbers() [8]*int {
	return [8]*int{
		&in.observations, &in.policy, &in.policyWeight, &in.value, &in.seats, &in.labelWeight,
		&in.priors, &in.factWeight,
	}
}

func (in *inputs) classes() [2]*int { return [2]*int{&in.cells, &in.facts} }

func (p *Plan) inputs() inputs { return p.inputsOf(p.config.Batch) }

// inputsOf is inputs for a number of rows.
func (p *Plan) inputsOf(rows int) inputs {
	row := train.NewBatch(p.spec, 1)
	var in inputs
	end := 0
	for i, x := range row.Numbers() {
		*in.numbers()[i] = end
		end += rows * len(*x)
	}
	for i, x := range row.Classes() {
		*in.classes()[i] = end
		end += (rows*len(*x) + 3) / 4
	}
	in.given = (end + 1) / 2 * 2
	in.size = in.given + 2*givens
	return in
}

// What is given with a batch; the kernels of train_update.cu know the first by their indices.
const (
	givenRows       = iota // that are measured
	givenClip              // the greatest norm of the gradient; 0: any
	givenRate              // of the optimizer
	givenCorrection        // of Adam
	givenKeep              // what decay leaves of a weight
	givenNorm              // rate of the running statistics
	givenAverage           // rate of the averaged parameters
	givenPolicy            // the policy's weight in the loss, for softmax_loss together with:
	givenMass              // the sum of the rows' weights
	givenLabels            // the same of the auxiliary targets of cells and seats
	givenLabelMass
	givenFacts // and of the belief's facts
	givenFactMass
	givens
)

// measuredRows is the number of rows of a partial sum of measures.
const measuredRows = 64

// squareParts returns the number of partial sums of squares per array: one for each thousand
// numbers, up to 64.
func (p *Plan) squareParts() int { return min(max(1, (p.layout.learned+1023)/1024), 64) }

// measureParts returns the number of partial sums of measures.
func (p *Plan) measureParts() int { return (p.config.Batch + measuredRows - 1) / measuredRows }

// The results of a step, in bytes: the sums of squares of gradients and of weights, then the
// measures, as doubles; flags; the decision; and, which is not copied, whether a step was refused.
const (
	resultFlags    = 8 * (2 + measures)
	resultDecision = resultFlags + 16
	resultStopped  = resultDecision + 8
	resultBytes    = resultStopped + 8
)

// buffers holds a trainer's arrays on the device.
type buffers struct {
	// layout's array; its parameters; optimizer state; layout's array
	numbers, gradients, moments, average driver.Ptr
	forward, backward                    driver.Ptr // weights packed for the products
	kept, keptOutput                     driver.Ptr // a copy of what a step changes, and of output
	// of several devices: shards of all gradients, and the array of their sums
	shards, joined driver.Ptr

	staged, input   driver.Ptr // the next batch, and that of the step under way
	output, support driver.Ptr
	sums            driver.Ptr // partial sums of squares, then of measures
	observed        driver.Ptr // [positions][planes]
	// [layers][positions][filters]: before BatchNorm, then its gradient
	z driver.Ptr
	// after it, of the stem and each block: [1 + blocks][positions][filters]
	y              driver.Ptr
	d, e           driver.Ptr // gradients of activations; e has those of one layer for a while
	statistics     driver.Ptr // [layers][mean, variance][filters] of the batch, after gradients
	scale, inverse driver.Ptr // [layers][filters]
	slope, shift   driver.Ptr // [filters]
	part           driver.Ptr // partial sums of gradients
	normPart       driver.Ptr // and of BatchNorm
	// four measures per row and player, and per row
	losses, policyLosses driver.Ptr
	hidden, dHidden      driver.Ptr // [rows][width]
	value, dValue        driver.Ptr // logits [rows][players][outputs]
	dots, dDots          driver.Ptr // [positions][maps]
	policyHidden         driver.Ptr // [rows][2·cells]
	policy, dPolicy      driver.Ptr // logits [rows][actions]
	auxiliary
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
	average, policyLosses, shards, joined := 0, 0, 0, 0
	if p.devices > 1 {
		_, n := p.shard(p.index)
		shards, joined = 4*p.devices*n, 4*p.exchanged()
	}
	if p.layout.maps > 0 {
		policyLosses = 16 * rows
	}
	if p.config.EMADecay > 0 {
		average = 4 * p.layout.total
	}
	values := 4 * rows * s.Players * s.Outputs()
	list := []allocation{
		{&b.numbers, 4 * p.layout.total, "parameters"},
		{&b.gradients, 4 * p.exchanged(), "gradients"},
		{&b.shards, shards, "gradients"},
		{&b.joined, joined, "gradients"},
		{&b.moments, 4 * p.layout.learned * p.moments(), "the optimizer's moments"},
		{&b.average, average, "averaged parameters"},
		{&b.kept, p.changing(), "copies of the parameters and the moments"},
		{&b.keptOutput, resultStopped, "losses"},
		{&b.forward, packed, "packed weights"},
		{&b.backward, backward, "packed weights"},
		{&b.staged, 4 * p.inputs().size, "the batch"},
		{&b.input, 4 * p.inputs().size, "the batch"},
		{&b.output, resultBytes, "losses"},
		{&b.sums, 8 * (2*p.squareParts() + p.measureParts()*measures), "partial sums"},
		{&b.support, 4 * len(s.Support), "the support"},
		{&b.observed, p.positions * p.layout.planes * element, "activations"},
		{&b.z, p.layout.layers * trunk, "activations"},
		{&b.y, (1 + s.Blocks) * trunk, "activations"},
		{&b.d, trunk, "gradients of activations"},
		{&b.scale, 4 * p.layout.layers * p.layout.filters, "statistics"},
		{&b.inverse, 4 * p.layout.layers * p.layout.filters, "statistics"},
		{&b.slope, 4 * p.layout.filters, "statistics"},
		{&b.shift, 4 * p.layout.filters, "statistics"},
		{&b.part, 4 * p.workspace(), "partial sums"},
		{&b.normPart, 4 * p.normParts(), "partial sums"},
		{&b.losses, 16 * rows * s.Players, "losses"},
		{&b.policyLosses, policyLosses, "losses"},
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
	return append(list, p.auxiliaryAllocations(&b.auxiliary)...)
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

// largest returns the largest number of rows of the device, up to the plan's, that fits in the
// given bytes; 0 if none does.
func (p *Plan) largest(d *driver.Device, bytes int64) int {
	return sort.Search(p.config.Batch, func(i int) bool {
		c := p.config
		c.Batch = i + 1
		q, err := NewPlan(p.spec, c, p.precision, d)
		if err == nil {
			q.devices, q.index = p.devices, p.index
		}
		return err != nil || q.Bytes() > bytes
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
		p.config.Batch*p.devices, float64(need)/gib, d.Name, float64(free)/gib)
	if n := p.largest(d, free); n > 0 {
		return fmt.Errorf("%s: a batch of at most %d rows fits", line, n*p.devices)
	}
	return fmt.Errorf("%s: no batch fits", line)
}
