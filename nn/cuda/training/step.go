package training

import (
	"errors"
	"fmt"
	"math"

	"tengen/nn"
	"tengen/nn/train"
)

// ahead is the number of steps that can be under way.
const ahead = 2

// begun is a step under way.
type begun struct {
	step int // its number, from 1
	in   *input
	rate float64
	open bool // of several devices: the gradients are not yet added
}

// outcome is what Wait returns for a step.
type outcome struct {
	losses nn.Losses
	err    error
}

var (
	errAhead = fmt.Errorf("%d steps are under way: Wait for the first", ahead)
	errNone  = errors.New("no step is under way")
)

// againSteps is the number of steps of a run after which one is taken twice. Tests change it.
var againSteps = 1000

// Step trains on a batch of exactly Config.Batch rows. If the batch does not fit the network, or
// the loss or the gradient is not finite (a *train.NotFiniteError), it returns an error and
// changes nothing.
func (t *Trainer) Step(b *train.Batch) (nn.Losses, error) {
	if err := t.Start(b); err != nil {
		return nn.Losses{}, err
	}
	return t.Wait()
}

// Start implements train.Async. A batch of NewBatch is copied to the device as it is, while the
// step before is under way; another one is copied to pinned memory first.
func (t *Trainer) Start(b *train.Batch) error {
	if t.err != nil {
		return t.err
	}
	if len(t.begun)+len(t.outcomes) >= ahead {
		return errAhead
	}
	rows, err := b.Rows(t.plan.spec)
	if err != nil {
		return err
	}
	if rows != t.config.Batch {
		return fmt.Errorf("batch: %d rows, want the %d of a step", rows, t.config.Batch)
	}
	what := fmt.Sprintf("training step %d", t.steps+1)
	slot := t.steps % ahead
	used, changes, open := false, false, false
	in, err := t.inputOf(b)
	back := func() {
		if in != nil {
			in.used, in.step = used, false
		}
	}
	if err == nil {
		used = in.used
		in.used, in.step = true, true
		t.give(in, t.plan.config.Batch)
		err = t.all(func(x *part) error { return x.send(in) })
	}
	if err == nil {
		if err := t.complete(); err != nil {
			back()
			return err
		}
		err = t.all((*part).use)
	}
	switch {
	case err != nil:
	case (t.steps+1)%againSteps == 0:
		err = t.takeTwice(&changes)
	case len(t.parts) > 1:
		open, err = true, t.compute()
	default:
		err = t.takeStep(&changes)
	}
	if err == nil && !open {
		changes = true
		err = t.fetchAll(slot)
	}
	if err != nil {
		back()
		if changes {
			return t.stop(fmt.Errorf("%s: %w", what, err))
		}
		return t.failed(what, err)
	}
	t.begun = append(t.begun, begun{t.steps + 1, in, t.rate(), open})
	t.steps++
	return nil
}

// takeStep enqueues a step with the batch that was sent, and reports whether it may have changed
// something. With several devices it waits for their gradients.
func (t *Trainer) takeStep(changes *bool) error {
	if len(t.parts) > 1 {
		if err := t.compute(); err != nil {
			return err
		}
		*changes = true
		return t.add()
	}
	return t.enqueue(&t.training, t.programs.training, func() error {
		*changes = false
		if err := t.clear(); err != nil {
			return err
		}
		if err := t.programs.training.run(t.session, t.stream); err != nil {
			return err
		}
		*changes = true
		return t.programs.update.run(t.session, t.stream)
	})
}

// fetchAll enqueues the end of a step on all devices.
func (t *Trainer) fetchAll(slot int) error {
	return t.all(func(x *part) error { return x.fetch(slot) })
}

// rate returns the learning rate of the next step.
func (t *Trainer) rate() float64 {
	config := &t.config
	return config.LearningRate * config.Schedule.At(t.done, t.steps) * t.scale
}

// give completes a batch of which a number of rows of each device are measured.
func (t *Trainer) give(in *input, rows int) {
	config, given, rate := &t.config, in.given, t.rate()
	given[givenRows], given[givenClip] = float64(rows), config.GradClipNorm
	given[givenRate], given[givenKeep] = rate, 1-rate*config.WeightDecay
	if config.Optimizer == train.OptimizerAdam {
		step := float64(t.steps + 1)
		given[givenRate] = rate / (1 - math.Pow(train.AdamBeta1, step))
		given[givenCorrection] = 1 / (1 - math.Pow(train.AdamBeta2, step))
	}
	// As in train.GraphTrainer: at most (1 + n)/(10 + n) after n steps.
	n := float64(t.steps)
	given[givenAverage] = 1 - min(config.EMADecay, (1+n)/(10+n))
	given[givenNorm] = train.NormMomentum
	given[givenPolicy], given[givenMass] = config.PolicyWeight, in.batch.PolicyMass()
	given[givenLabels], given[givenLabelMass] = config.LabelWeight, in.batch.AuxiliaryMass()
	given[givenFacts], given[givenFactMass] = config.BeliefWeight, in.batch.FactMass()
}

// Wait implements train.Async.
func (t *Trainer) Wait() (nn.Losses, error) {
	switch {
	case len(t.outcomes) > 0:
	case t.err != nil:
		return nn.Losses{}, t.err
	case len(t.begun) > 0:
		t.end()
	default:
		return nn.Losses{}, errNone
	}
	o := t.outcomes[0]
	t.outcomes = t.outcomes[1:]
	return o.losses, o.err
}

// settle waits for the steps under way, and returns the error after which the trainer can't be
// used.
func (t *Trainer) settle() error {
	for t.err == nil && len(t.begun) > 0 {
		t.end()
	}
	return t.err
}

// end waits for the first of the steps under way. If it was refused, so were those after it, which
// leave no outcome.
func (t *Trainer) end() {
	first := t.begun[0]
	slot := (first.step - 1) % ahead
	err := t.complete()
	if err == nil {
		err = t.all(func(x *part) error { return x.hear(x.ended[slot]) })
		if err == nil {
			err = t.agree(slot)
		}
		if err != nil {
			err = fmt.Errorf("training step %d: %w", first.step, err)
		} else {
			err = t.wrong(first.step)
		}
	}
	if err != nil {
		t.drop()
		t.outcomes = append(t.outcomes, outcome{err: t.stop(err)})
		return
	}
	var m measure
	r := t.outputs[slot]
	for _, x := range t.parts {
		m.add(x.outputs[slot], x.plan.config.Batch)
	}
	l := m.losses(&t.config, t.plan.spec.Players, r.squares(1))
	l.GradientNorm, l.LearningRate = math.Sqrt(r.squares(0)), first.rate
	if !r.refused() {
		first.in.release()
		t.begun = t.begun[1:]
		t.outcomes = append(t.outcomes, outcome{losses: l})
		return
	}
	t.drop()
	t.steps = first.step - 1
	if err := t.all((*part).resume); err != nil {
		err = t.stop(fmt.Errorf("training step %d: %w", first.step, err))
		t.outcomes = append(t.outcomes, outcome{l, err})
		return
	}
	for _, x := range t.parts[1:] {
		r.flag(x.outputs[slot])
	}
	err = &train.NotFiniteError{Step: first.step, What: r.notFinite(&l)}
	t.outcomes = append(t.outcomes, outcome{l, err})
}

// drop forgets the steps under way.
func (t *Trainer) drop() {
	for _, s := range t.begun {
		s.in.release()
	}
	t.begun = t.begun[:0]
}

// Losses measures a batch of any number of rows in evaluation mode (BatchNorm with running
// statistics). It changes nothing.
func (t *Trainer) Losses(b *train.Batch) (nn.Losses, error) {
	if err := t.settle(); err != nil {
		return nn.Losses{}, err
	}
	s, config := &t.plan.spec, &t.plan.config
	rows, err := b.Rows(*s)
	if err != nil {
		return nn.Losses{}, err
	}
	if rows == 0 {
		return nn.Losses{}, fmt.Errorf("batch: no rows to measure")
	}
	var m measure
	var output results
	for from := 0; from < rows; from += config.Batch {
		n := min(config.Batch, rows-from)
		if output, err = t.measure(b, from, n); err != nil {
			return nn.Losses{}, t.failed("measure held-out losses", err)
		}
		m.add(output, n)
	}
	return m.losses(config, s.Players, output.squares(1)), nil
}

// measure measures n rows of a batch, starting at from.
func (t *Trainer) measure(b *train.Batch, from, n int) (results, error) {
	in, err := t.freeInput()
	if err != nil {
		return nil, err
	}
	in.copy(b, t.config.Batch, from, n)
	t.give(in, n)
	if err := t.send(in); err != nil {
		return nil, err
	}
	if err := t.use(); err != nil {
		return nil, err
	}
	if err := t.enqueue(&t.held, t.programs.held, func() error {
		if err := t.clear(); err != nil {
			return err
		}
		return t.programs.held.run(t.session, t.stream)
	}); err != nil {
		return nil, err
	}
	if err := t.fetch(0); err != nil {
		return nil, err
	}
	return t.outputs[0], t.session.Synchronize(t.stream)
}
