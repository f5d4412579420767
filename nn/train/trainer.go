package train

import (
	"fmt"
	"math"
	"runtime"

	G "gorgonia.org/gorgonia"

	"tengen/nn"
	"tengen/nn/kernels/training"
)

// Trainer teaches one network. It is used by one goroutine.
type Trainer struct {
	config   Config
	store    *store[float32]
	training *network[float32]
	held     *network[float32] // in evaluation mode, made when first asked for

	solver    G.Solver
	learnable []G.ValueGrad
	steps     int
	done      float64     // share of the run, for the schedule
	average   [][]float32 // by the order of nn.Params; nil without EMA
}

// New makes a trainer that starts from a copy of p.
func New(p *nn.Params, config Config) (*Trainer, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := p.Spec.Validate(); err != nil {
		return nil, err
	}
	if config.Workers == 0 {
		config.Workers = runtime.GOMAXPROCS(0)
	}
	t := &Trainer{config: config, store: newStore[float32](p)}
	var err error
	if t.training, err = build(t.store, config.Batch, config.Workers, true); err != nil {
		return nil, err
	}
	for i, l := range t.store.leaves {
		t.learnable = append(t.learnable, &learnable{leaf: l, gradient: t.training.gradients[i]})
	}
	switch config.Optimizer {
	case OptimizerSGD:
		t.solver = &SGD{Momentum: config.Momentum, Workers: config.Workers}
	case OptimizerAdam:
		t.solver = &Adam{Workers: config.Workers}
	}
	if config.EMA > 0 {
		for _, x := range t.store.tensors {
			t.average = append(t.average, append([]float32(nil), x...))
		}
	}
	return t, nil
}

// learnable is a leaf with its gradient, for a gorgonia.Solver: one of this
// package adjusts the gradient to scale·gradient + decay·value.
type learnable struct {
	leaf         *leaf[float32]
	gradient     *G.Node
	scale, decay float32
}

func (l *learnable) Value() G.Value         { return l.leaf.value }
func (l *learnable) Grad() (G.Value, error) { return l.gradient.Value(), nil }

// SetProgress tells which share of the run, 0 to 1, is done: the schedule's
// clock for the steps that follow. A new trainer stands at 0.
func (t *Trainer) SetProgress(done float64) { t.done = done }

// NotFiniteError says that a step could not be taken since a number is NaN or infinite.
type NotFiniteError struct {
	Step int    // that was not taken, from 1
	What string // as "the loss is NaN"
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("training step %d: %s; nothing was changed", e.Step, e.What)
}

// Step learns from a batch of exactly Config.Batch rows. Where the batch does
// not fit the network, or the loss or the gradient is not finite (a *NotFiniteError),
// it returns an error and leaves everything as it was.
func (t *Trainer) Step(b *Batch) (nn.Losses, error) {
	rows, err := b.Rows(t.store.spec)
	if err != nil {
		return nn.Losses{}, err
	}
	if rows != t.config.Batch {
		return nn.Losses{}, fmt.Errorf("batch: %d rows, want the %d that a step trains", rows, t.config.Batch)
	}
	n := t.training
	t.load(n, b, 0, rows, b.PolicyMass(), rows)
	if err := n.run(); err != nil {
		return nn.Losses{}, fmt.Errorf("training step %d: %w", t.steps+1, err)
	}
	var m measure
	m.add(t.config.Workers, n, rows, b, 0)
	losses := m.losses(t.config, t.weightSquares())
	losses.GradientNorm = n.gradientNorm(t.config.Workers)
	losses.LearningRate = t.config.LearningRate * t.config.Schedule.At(t.done, t.steps)
	for _, c := range []struct {
		name  string
		value float64
	}{{"value loss", losses.Value}, {"policy loss", losses.Policy}, {"loss", losses.Total}, {"gradient norm", losses.GradientNorm}} {
		if math.IsNaN(c.value) || math.IsInf(c.value, 0) {
			return losses, &NotFiniteError{t.steps + 1, fmt.Sprintf("the %s is %g", c.name, c.value)}
		}
	}
	if !n.finiteStatistics() {
		return losses, &NotFiniteError{t.steps + 1, "BatchNorm's statistics are not finite"}
	}

	scale := float32(1)
	if t.config.Clip > 0 && losses.GradientNorm > t.config.Clip {
		scale = float32(t.config.Clip / losses.GradientNorm)
	}
	t.adjustGradients(scale)
	switch s := t.solver.(type) {
	case *SGD:
		s.Rate = losses.LearningRate
	case *Adam:
		s.Rate = losses.LearningRate
	}
	if err := t.solver.Step(t.learnable); err != nil {
		return losses, fmt.Errorf("training step %d: %w", t.steps+1, err)
	}
	n.commitStatistics(t.store)
	t.updateAverage()
	t.steps++
	return losses, nil
}

// Losses measures a batch of any number of rows in evaluation mode (BatchNorm
// with running statistics), and changes nothing.
func (t *Trainer) Losses(b *Batch) (nn.Losses, error) {
	rows, err := b.Rows(t.store.spec)
	if err != nil {
		return nn.Losses{}, err
	}
	if rows == 0 {
		return nn.Losses{}, fmt.Errorf("batch: no rows to measure")
	}
	if t.held == nil {
		if t.held, err = build(t.store, t.config.Batch, t.config.Workers, false); err != nil {
			return nn.Losses{}, err
		}
	}
	var m measure
	for from := 0; from < rows; from += t.config.Batch {
		n := min(t.config.Batch, rows-from)
		t.load(t.held, b, from, n, 1, 1)
		if err := t.held.run(); err != nil {
			return nn.Losses{}, fmt.Errorf("measure held-out losses: %w", err)
		}
		m.add(t.config.Workers, t.held, n, b, from)
	}
	return m.losses(t.config, t.weightSquares()), nil
}

// load puts rows from to from+n-1 of a batch into a network's inputs; rows beyond
// them weigh nothing. The factors make the graph's loss a mean over policy
// mass and rows.
func (t *Trainer) load(n *network[float32], b *Batch, from, count int, mass float64, rows int) {
	s := t.store.spec
	length, values := s.Planes*s.Cells(), s.Players*s.Outputs()
	eachChunk(t.config.Workers, count, func(_, _, first, to int) {
		for r := first; r < to; r++ {
			n.load(r, b.Observations[(from+r)*length:][:length])
			n.valueWeight[r] = float32(t.config.ValueWeight / float64(rows*s.Players))
		}
	})
	copy(n.valueTarget, b.Value[from*values:(from+count)*values])
	clear(n.observations[count*length:])
	clear(n.valueTarget[count*values:])
	clear(n.valueWeight[count:])
	if s.Policy == nn.PolicyNone {
		return
	}
	copy(n.policyTarget, b.Policy[from*s.Actions:(from+count)*s.Actions])
	clear(n.policyTarget[count*s.Actions:])
	clear(n.policyWeight)
	if mass > 0 {
		for r, w := range b.PolicyWeight[from : from+count] {
			n.policyWeight[r] = float32(t.config.PolicyWeight * float64(w) / mass)
		}
	}
}

// weightSquares is Σ w² over the weights of convolutions and dense layers.
func (t *Trainer) weightSquares() float64 {
	var weights [][]float32
	for _, l := range t.store.leaves {
		if l.weight {
			weights = append(weights, data[float32](l.value))
		}
	}
	return squares(t.config.Workers, weights)
}

// adjustGradients has the solver clip, and add the gradient of λ·Σ w².
func (t *Trainer) adjustGradients(scale float32) {
	for _, v := range t.learnable {
		l := v.(*learnable)
		l.scale, l.decay = scale, 0
		if l.leaf.weight {
			l.decay = float32(2 * t.config.L2)
		}
	}
}

// updateAverage moves the averaged copy, running statistics included. Its
// decay is at most (1 + n)/(10 + n) after n steps, so that it forgets the first
// weights soon.
func (t *Trainer) updateAverage() {
	n := float64(t.steps)
	rate := float32(1 - min(t.config.EMA, (1+n)/(10+n)))
	list := pieces(len(t.average), func(array int) int { return len(t.average[array]) })
	training.Each(t.config.Workers, len(list), func(_, i int) {
		p := list[i]
		average := t.average[p.array][p.from:p.to]
		for j, v := range t.store.tensors[p.array][p.from:p.to] {
			average[j] += rate * (v - average[j])
		}
	})
}

// Steps is the number of steps taken.
func (t *Trainer) Steps() int { return t.steps }

// Params returns a copy of the current parameters, running statistics included.
func (t *Trainer) Params() *nn.Params { return t.store.get() }

// Averaged returns a copy of the exponential moving average of the parameters,
// or of the current ones without one.
func (t *Trainer) Averaged() *nn.Params {
	p := t.store.get()
	for i, a := range t.average {
		copy(p.Tensors[i].Data, a)
	}
	return p
}
