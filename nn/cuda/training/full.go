package training

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"tengen/nn"
	"tengen/nn/cuda"
	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/kernels"
	"tengen/nn/train"
)

// reference is a step of a few rows, for the check of a step of all: a batch that repeats the rows
// has the same statistics, losses and mean gradients, and each row has the activations and the
// gradients of activations of the row that it repeats, to the bit.
type reference struct {
	params *nn.Params // before the step
	batch  *train.Batch
	// Its gradient and BatchNorm's statistics; nil if the rows are no divisor of the batch.
	gradient, statistics []float32
	losses               nn.Losses
}

// fullLimit is the greatest difference between the losses and the statistics of a step of few rows
// and of one of all, relative to them; sumLimit that between gradients of weights that are summed
// from the same numbers: less than one of the parts of a sum.
const (
	fullLimit = 0.01
	sumLimit  = 0.002
)

// fullLimits are the same for the gradients of the two steps. Statistics differ in their last bits,
// and so a few activations are rounded otherwise, more of them in each layer: of 20 blocks the
// gradients differ by 0.06 in tf32, 0.09 in bf16 (0.23 with other weights) and 2e-6 in fp32.
var fullLimits = map[kernels.Precision]float64{
	kernels.FP32: fullLimit, kernels.TF32: 0.4, kernels.BF16: 0.7,
}

// fewRows returns the number of rows that a full batch repeats: of about a thousand positions and,
// if there is one with enough positions for statistics, the greatest divisor of the batch.
func (p *Plan) fewRows() (n int, divides bool) {
	cells := p.spec.Cells()
	most := max(1, min(64, max(2, 1024/cells), p.config.Batch-1))
	for n := most; n*cells >= 16; n-- {
		if p.config.Batch%n == 0 {
			return n, true
		}
	}
	return most, false
}

// repeats adds the launches that compare, within arrays of a step's rows, each row with the one
// that it repeats.
func (b *builder) repeats() {
	b.to = &b.programs.repeats
	few, _ := b.fewRows()
	of := func(at driver.Ptr, bytes int) { // an array with the size of its rows together
		row := bytes / b.config.Batch
		if n := (b.config.Batch - few) * row / 4; n > 0 {
			b.each(kernels.TrainCheck, "compare", n, driver.NewArgs().
				Ptr(at).Ptr(at+driver.Ptr(few*row)).Int64(int64(n)).Ptr(b.flag(flagAgain)))
		}
	}
	trunk := b.positions * b.layout.filters * b.precision.Element()
	for layer := range b.layout.layers {
		of(b.layerOf(b.z, layer), trunk)
		if layer%2 == 0 {
			of(b.outputOf(layer), trunk)
		}
	}
	for _, a := range b.allocations(&b.buffers) {
		switch a.at {
		case &b.observed, &b.d, &b.hidden, &b.dHidden, &b.value, &b.dValue, &b.policy, &b.dPolicy,
			&b.buffers.losses, &b.policyLosses, &b.auxiliary.cells, &b.means, &b.seats, &b.belief,
			&b.dBelief, &b.cellLosses, &b.seatLosses, &b.beliefMeasures:
			of(*a.at, a.bytes)
		}
	}
}

// fewGradients adds the launches that compute a step's gradients again, and those of weights also
// over the rows that a full batch repeats, from the same numbers, into the kept copy.
func (b *builder) fewGradients() {
	b.to = &b.programs.few
	b.few, _ = b.fewRows()
	b.forward(true)
	b.losses()
	b.backward()
	b.few = 0
}

// refer takes a step of a few rows, with random parameters.
func (p *Plan) refer(d *cuda.Device) (*reference, error) {
	rng := rand.New(rand.NewPCG(7, 8)) // the same numbers on every device
	params, err := nn.NewParams(p.spec)
	if err != nil {
		return nil, err
	}
	params.Init(rng)
	rows, divides := p.fewRows()
	r := &reference{params: params, batch: train.RandomBatch(p.spec, rows, rng)}
	if !divides {
		return r, nil
	}
	info, config := d.Info(), p.config
	config.Batch = rows
	small, err := NewPlan(p.spec, config, p.precision, &info)
	if err != nil {
		return nil, err
	}
	if p.general {
		small.generalise(&info)
	}
	small.adopt(p)
	t, err := newTrainer([]*cuda.Device{d}, []*Plan{small}, params, (*Plan).make)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	if r.losses, err = t.Step(r.batch); err != nil {
		return nil, err
	}
	r.gradient, r.statistics, err = t.gradientOf()
	return r, err
}

// gradientOf returns the last step's gradient and BatchNorm's statistics.
func (t *Trainer) gradientOf() (gradient, statistics []float32, err error) {
	n := t.plan.layout.learned
	all, err := t.copyOf(t.buffers.gradients, t.plan.layout.total) // statistics are after it
	if err != nil {
		return nil, nil, err
	}
	return all[:n:n], all[n:][:t.plan.layout.layers*2*t.plan.layout.filters], nil
}

// copyOf returns a copy of numbers on the device, of no more than layout's array has.
func (t *Trainer) copyOf(from driver.Ptr, n int) ([]float32, error) {
	if err := t.download(from, n); err != nil {
		return nil, err
	}
	return slices.Clone(driver.View[float32](t.numbers)[:n]), nil
}

// tryFull takes a step of all rows, twice, from the parameters of a step of few, and compares it
// with that. Of devices that share a step each is checked alone.
func (p *Plan) tryFull(d *cuda.Device, like *reference) error {
	s := newStages(d)
	alone := *p
	alone.devices, alone.index = 1, 0
	differs, err := alone.fullStep(d, like)
	if err == nil && differs && !alone.ungraphed {
		info := d.Info()
		d.Options().Log.Warn("training: kernels are launched one by one", "device", info.Name,
			"why", errGraph)
		alone.ungraphed = true
		differs, err = alone.fullStep(d, like)
	}
	p.ungraphed = alone.ungraphed
	if err == nil && differs {
		err = &WrongError{fmt.Sprintf(
			"a step of %d rows, taken twice, has other results the second time", p.config.Batch)}
	}
	s.done("a step of all rows, twice")
	return err
}

// fullStep takes a step of all rows, twice, and reports whether the second had other bits. If not,
// it compares the step with that of few rows.
func (p *Plan) fullStep(d *cuda.Device, like *reference) (differs bool, err error) {
	t, err := newTrainer([]*cuda.Device{d}, []*Plan{p}, like.params, (*Plan).make)
	if err != nil {
		return false, err
	}
	defer t.Close()
	r, err := t.tryTwice(like)
	if err != nil || r.differs() {
		return true, err
	}
	if r, err = t.tryRepeats(); err != nil {
		return false, err
	}
	rows, few := p.config.Batch, len(like.batch.Value)/p.spec.Players/p.spec.Outputs()
	if r.differs() {
		return false, &WrongError{fmt.Sprintf("in a step of %d rows, the same %d again and again, rows have other activations or gradients than those that they repeat", rows, few)}
	}
	if like.gradient == nil {
		return false, nil
	}
	if what, by, err := t.unlike(like, r, rows/few); err != nil || what != "" {
		if err == nil {
			err = &WrongError{fmt.Sprintf("a step of %d rows, the same %d again and again, has another %s than a step of these, by %.3g times its size", rows, few, what, by)}
		}
		return false, err
	}
	return false, nil
}

// unlike returns what of a step of a batch that repeats the rows of a reference a number of times
// differs from the reference, and by how much; "" if nothing does.
func (t *Trainer) unlike(like *reference, r results, times int) (string, float64, error) {
	var m measure
	m.add(r, t.config.Batch)
	got, want := m.losses(&t.config, t.plan.spec.Players, r.squares(1)), &like.losses
	got.GradientNorm = math.Sqrt(r.squares(0))
	limit := fullLimits[t.plan.precision]
	for _, l := range []struct {
		what             string
		got, want, limit float64
	}{
		{"policy loss", got.Policy, want.Policy, fullLimit},
		{"value loss", got.Value, want.Value, fullLimit},
		{"loss of cells' targets", got.Cells, want.Cells, fullLimit},
		{"loss of seats' targets", got.Seats, want.Seats, fullLimit},
		{"belief's loss", got.Belief, want.Belief, fullLimit},
		{"loss", got.Total, want.Total, fullLimit},
		{"gradient", got.GradientNorm, want.GradientNorm, max(fullLimit, limit/10)},
	} {
		if by := math.Abs(l.got-l.want) / (math.Abs(l.want) + 1e-3); !(by <= l.limit) {
			return l.what, by, nil
		}
	}
	gradient, statistics, err := t.gradientOf()
	if err != nil {
		return "", 0, err
	}
	typical, f := size(like.statistics), t.plan.layout.filters
	for i := 0; i < len(statistics); i += f {
		if by := apart(statistics[i:i+f], like.statistics[i:i+f], typical); !(by <= fullLimit) {
			return fmt.Sprintf("%s in layer %d", []string{"mean", "variance"}[i/f%2], i/f/2+1), by,
				nil
		}
	}
	// The same sums over the rows that are repeated, from the same numbers.
	if err := t.programs.few.run(t.session, t.stream); err != nil {
		return "", 0, err
	}
	again, _, err := t.gradientOf()
	if err != nil {
		return "", 0, err
	}
	few, err := t.copyOf(t.buffers.kept, t.plan.layout.learned)
	if err != nil {
		return "", 0, err
	}
	for i := range few {
		few[i] *= float32(times)
	}
	typical = size(again)
	for _, s := range t.plan.layout.stretches() {
		if s.to > t.plan.layout.output { // no product's
			continue
		}
		if by := apart(again[s.from:s.to], few[s.from:s.to], typical); !(by <= sumLimit) {
			return "sum for " + s.name, by, nil
		}
	}
	typical = size(like.gradient)
	for _, s := range t.plan.layout.stretches() {
		by := apart(gradient[s.from:s.to], like.gradient[s.from:s.to], typical)
		if !(by <= limit) {
			return "gradient of " + s.name, by, nil
		}
	}
	return "", 0, nil
}

// tryTwice takes a step of a reference's rows, repeated, twice, and returns its results.
func (t *Trainer) tryTwice(like *reference) (results, error) {
	in, err := t.freeInput()
	if err != nil {
		return nil, err
	}
	in.batch.Repeat(like.batch)
	t.give(in, t.config.Batch)
	if err := t.send(in); err != nil {
		return nil, err
	}
	if err := t.use(); err != nil {
		return nil, err
	}
	if err := t.takeTwice(new(bool)); err != nil {
		return nil, err
	}
	if err := t.fetch(0); err != nil {
		return nil, err
	}
	return t.outputs[0], t.session.Synchronize(t.stream)
}

// tryRepeats compares the rows of the last step with those that they repeat.
func (t *Trainer) tryRepeats() (results, error) {
	if err := t.programs.repeats.run(t.session, t.stream); err != nil {
		return nil, err
	}
	if err := t.fetch(0); err != nil {
		return nil, err
	}
	return t.outputs[0], t.session.Synchronize(t.stream)
}

// size returns the root mean square of numbers.
func size(x []float32) float64 { return typicalOf([]nn.Tensor{{Data: x}}) }

// stretch is a part of the parameters in layout's array, named after the first tensor in it.
type stretch struct {
	name     string
	from, to int
}

// stretches divides the parameters by tensors; those of several players, which are side by side,
// are one.
func (l *layout) stretches() []stretch {
	var list []stretch
	for i := range l.tensors {
		p := &l.tensors[i]
		if player, _, ok := valueTensor(p.name); p.learned && (!ok || player == 0) {
			list = append(list, stretch{p.name, p.at(0), l.learned})
		}
	}
	slices.SortFunc(list, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	for i := range list[1:] {
		list[i].to = list[i+1].from
	}
	return list
}
