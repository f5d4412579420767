package train

import (
	"fmt"
	"math"
	"runtime"

	G "gorgonia.org/gorgonia"

	"tengen/nn"
	"tengen/nn/kernels/training"
)

// GraphTrainer is the Trainer of the processor. It is used by one goroutine.
type GraphTrainer struct {
	config     Config
	store      *store[float32]
	training   *network[float32]
	evaluation *network[float32] // in evaluation mode, built by the first call of Losses

	solver    G.Solver
	learnable []G.ValueGrad
	steps     int
	done      float64     // share of the run, for the schedule
	scale     float64     // of the learning rate
	average   [][]float32 // in the order of nn.Params; nil if EMADecay is 0
}

// New returns a trainer that starts from a copy of p.
func New(p *nn.Params, config Config) (*GraphTrainer, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	if err := p.Spec.Validate(); err != nil {
		return nil, err
	}
	if config.Workers == 0 {
		config.Workers = runtime.GOMAXPROCS(0)
	}
	t := &GraphTrainer{config: config, scale: 1, store: newStore[float32](p)}
	var err error
	if t.training, err = build(t.store, config.Batch, config.Workers, true); err != nil {
		return nil, err
	}
	t.overLogits(t.training)
	for i, l := range t.store.parameters {
		t.learnable = append(t.learnable, &learnable{
			parameter: l, gradient: t.training.gradients[i],
		})
	}
	switch config.Optimizer {
	case OptimizerSGD:
		t.solver = &SGD{Momentum: config.Momentum, Workers: config.Workers}
	case OptimizerAdam:
		t.solver = &Adam{Workers: config.Workers}
	}
	if config.EMADecay > 0 {
		for _, x := range t.store.tensors {
			t.average = append(t.average, append([]float32(nil), x...))
		}
	}
	return t, nil
}

// overLogits gives a network the policy loss of Config.PolicyLogits.
func (t *GraphTrainer) overLogits(n *network[float32]) {
	if t.config.PolicyLogits && n.policyEntropy != nil {
		n.policyEntropy.overLogits()
	}
}

// learnable is a parameter with its gradient, for a gorgonia.Solver. The solvers of this
// package use scale·gradient + decay·value as the gradient, and first multiply the value by keep.
type learnable struct {
	parameter          *parameter[float32]
	gradient           *G.Node
	scale, decay, keep float32
}

func (l *learnable) Value() G.Value         { return l.parameter.value }
func (l *learnable) Grad() (G.Value, error) { return l.gradient.Value(), nil }

// SetProgress sets the share of the run that is done, from 0 to 1, on which the schedule of the
// following steps depends. It is initially 0.
func (t *GraphTrainer) SetProgress(done float64) { t.done = done }

// SetScale sets a factor of the learning rate of the following steps, beside the schedule's. It is
// initially 1.
func (t *GraphTrainer) SetScale(scale float64) { t.scale = scale }

// NotFiniteError reports that a step was not taken because a number is NaN or infinite.
type NotFiniteError struct {
	Step int    // the step that was not taken, counted from 1
	What string // such as "the loss is NaN"
}

func (e *NotFiniteError) Error() string {
	return fmt.Sprintf("training step %d: %s; nothing was changed", e.Step, e.What)
}

// Step trains on a batch of exactly Config.Batch rows. If the batch does not fit the
// network, or the loss or the gradient is not finite (a *NotFiniteError), it returns an
// error and changes nothing.
func (t *GraphTrainer) Step(b *Batch) (nn.Losses, error) {
	rows, err := b.Rows(t.store.spec)
	if err != nil {
		return nn.Losses{}, err
	}
	if rows != t.config.Batch {
		return nn.Losses{},
			fmt.Errorf("batch: %d rows, want the %d that a step trains", rows, t.config.Batch)
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
	losses.LearningRate = t.config.LearningRate * t.config.Schedule.At(t.done, t.steps) * t.scale
	for _, c := range []struct {
		name  string
		value float64
	}{{"value loss", losses.Value}, {"policy loss", losses.Policy},
		{"loss of cells' targets", losses.Cells},
		{"loss of seats' targets", losses.Seats}, {"belief's loss", losses.Belief},
		{"loss", losses.Total}, {"gradient norm", losses.GradientNorm}} {
		if math.IsNaN(c.value) || math.IsInf(c.value, 0) {
			return losses, &NotFiniteError{
				t.steps + 1, fmt.Sprintf("the %s is %g", c.name, c.value),
			}
		}
	}
	if !n.finiteStatistics() {
		return losses, &NotFiniteError{t.steps + 1, "BatchNorm's statistics are not finite"}
	}

	scale := float32(1)
	if t.config.GradClipNorm > 0 && losses.GradientNorm > t.config.GradClipNorm {
		scale = float32(t.config.GradClipNorm / losses.GradientNorm)
	}
	t.adjustGradients(scale, losses.LearningRate)
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

// Losses measures a batch of at least one row in evaluation mode (BatchNorm uses the running
// statistics). It changes nothing.
func (t *GraphTrainer) Losses(b *Batch) (nn.Losses, error) {
	rows, err := b.Rows(t.store.spec)
	if err != nil {
		return nn.Losses{}, err
	}
	if rows == 0 {
		return nn.Losses{}, fmt.Errorf("batch: no rows to measure")
	}
	if t.evaluation == nil {
		if t.evaluation, err = build(t.store, t.config.Batch, t.config.Workers, false); err != nil {
			return nn.Losses{}, err
		}
		t.overLogits(t.evaluation)
	}
	var m measure
	for from := 0; from < rows; from += t.config.Batch {
		n := min(t.config.Batch, rows-from)
		t.load(t.evaluation, b, from, n, 1, 1)
		if err := t.evaluation.run(); err != nil {
			return nn.Losses{}, fmt.Errorf("measure held-out losses: %w", err)
		}
		m.add(t.config.Workers, t.evaluation, n, b, from)
	}
	return m.losses(t.config, t.weightSquares()), nil
}

// load copies rows from to from+count-1 of a batch into a network's inputs and gives all
// further rows weight 0. mass and rows are the policy mass and the number of rows by which the
// graph's loss is to be divided.
func (t *GraphTrainer) load(
	n *network[float32], b *Batch, from, count int, mass float64, rows int,
) {
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
	n.loadAuxiliary(b, from, count, t.config)
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

// weightSquares returns Σ w² over the weights of convolutions and dense layers.
func (t *GraphTrainer) weightSquares() float64 {
	var weights [][]float32
	for _, l := range t.store.parameters {
		if l.weight {
			weights = append(weights, data[float32](l.value))
		}
	}
	return squares(t.config.Workers, weights)
}

// adjustGradients makes the solver scale the gradients, add the gradient of λ·Σ w², and
// multiply the weights by what decay at a learning rate leaves of them.
func (t *GraphTrainer) adjustGradients(scale float32, rate float64) {
	for _, v := range t.learnable {
		l := v.(*learnable)
		l.scale, l.decay, l.keep = scale, 0, 1
		if l.parameter.weight {
			l.decay = float32(2 * t.config.L2)
			l.keep = float32(1 - rate*t.config.WeightDecay)
		}
	}
}

// updateAverage updates the moving average, running statistics included. After n steps its
// decay is at most (1 + n)/(10 + n), so that the initial weights are soon forgotten.
func (t *GraphTrainer) updateAverage() {
	n := float64(t.steps)
	rate := float32(1 - min(t.config.EMADecay, (1+n)/(10+n)))
	list := pieces(len(t.average), func(array int) int { return len(t.average[array]) })
	training.Each(t.config.Workers, len(list), func(_, i int) {
		p := list[i]
		average := t.average[p.array][p.from:p.to]
		for j, v := range t.store.tensors[p.array][p.from:p.to] {
			average[j] += rate * (v - average[j])
		}
	})
}

// Steps returns the number of steps taken.
func (t *GraphTrainer) Steps() int { return t.steps }

// Params returns a copy of the current parameters, running statistics included.
// Params, Averaged and State never fail on the processor.
func (t *GraphTrainer) Params() (*nn.Params, error) { return t.store.get(), nil }

// Averaged returns a copy of the exponential moving average of the parameters, or of the
// current ones if Config.EMADecay is 0.
func (t *GraphTrainer) Averaged() (*nn.Params, error) {
	p := t.store.get()
	for i, a := range t.average {
		copy(p.Tensors[i].Data, a)
	}
	return p, nil
}
