package trainer

import (
	"errors"
	"fmt"
	"math"

	"tengen/nn"
	"tengen/nn/train"
)

// maxDropped is the number of updates in a row, dropped for bad numbers, with
// which a run ends: something is wrong that another iteration won't mend.
const maxDropped = 3

// badNumber says which number of an update is NaN or infinite.
type badNumber struct{ text string }

func (b *badNumber) Error() string { return b.text }

// asBadNumber is err as a bad number where it tells of one, else nil.
func asBadNumber(err error) *badNumber {
	var bad *badNumber
	if errors.As(err, &bad) {
		return bad
	}
	var step *train.NotFiniteError
	if errors.As(err, &step) {
		return &badNumber{fmt.Sprintf("training step %d: %s", step.Step, step.What)}
	}
	return nil
}

// memory is what a learner goes back to.
type memory struct {
	params *nn.Params
	state  train.State
}

func (l *learner) remember() (memory, error) {
	params, err := l.trainer.Params()
	if err != nil {
		return memory{}, err
	}
	state, err := l.trainer.State()
	return memory{params, state}, err
}

// restore goes back: weights, average, solver and steps are as they were, to the bit.
func (l *learner) restore(m memory) error {
	trainer, err := l.plan.device().NewTrainer(m.params, l.plan.Train)
	if err != nil {
		return err
	}
	if err := trainer.SetState(m.state); err != nil {
		train.Close(trainer)
		return err
	}
	train.Close(l.trainer)
	l.trainer = trainer
	return nil
}

// checkedRows is the number of positions with which a new network is tried.
const checkedRows = 8

// sound looks for numbers that are not finite in what an update has left: the
// weights, the averaged ones, the solver's state, the held-out losses, and what
// the folded network says of some positions, those of the batch filled last. A step looks at its loss and
// gradient itself.
func (l *learner) sound(got *updated) error {
	now, err := l.remember()
	if err != nil {
		return err
	}
	for _, t := range append(now.params.Tensors, now.state.Tensors...) {
		for i, x := range t.Data {
			if !isFinite(float64(x)) {
				return &badNumber{fmt.Sprintf("after step %d number %d of %s is %g", l.trainer.Steps(), i, t.Name, x)}
			}
		}
	}
	if h := got.heldOut; h != nil && !isFinite(h.Total) {
		return &badNumber{fmt.Sprintf("after step %d the held-out loss is %g", l.trainer.Steps(), h.Total)}
	}
	evaluator := got.weights.NewEvaluator()
	defer nn.Close(evaluator)
	b := evaluator.NewBatch(checkedRows)
	b.N = min(checkedRows, l.plan.Train.Batch)
	copy(b.Observations, l.batch.Observations[:b.N*l.plan.Game.Planes().Size()])
	if err := evaluator.Evaluate(b); err != nil {
		return err
	}
	s := got.weights.Spec()
	outputs := map[string][]float32{"value": b.Values[:b.N*s.Players]}
	if s.Policy != nn.PolicyNone {
		outputs["policy"] = b.Policy[:b.N*s.Actions]
	}
	for _, name := range []string{"policy", "value"} {
		for _, x := range outputs[name] {
			if !isFinite(float64(x)) {
				return &badNumber{fmt.Sprintf("after step %d the network's %s for a position is %g", l.trainer.Steps(), name, x)}
			}
		}
	}
	return nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// countDropped tells of an update that was dropped, and ends the run with the
// last of maxDropped in a row. That one's iteration is then not done: its games are
// kept, and a resumed run makes its update again.
func (r *runner) countDropped(dropped error) error {
	if dropped == nil {
		r.state.DroppedNow = 0
		return nil
	}
	iteration := r.state.Iteration + 1
	r.state.Dropped++
	r.state.DroppedNow++
	r.metrics.BadUpdates.Inc()
	if r.state.DroppedNow < maxDropped {
		r.warn(fmt.Sprintf("the update of iteration %d is dropped, and the network stays as it was: %v", iteration, dropped), iteration)
		return nil
	}
	return fmt.Errorf("the update of iteration %d failed as the %d before: %w; the network is that from before them, the games are kept; "+
		"lower training.learning_rate, which is %g, with --resume --set training.learning_rate=%g, or bound the gradient with training.grad_clip_norm",
		iteration, maxDropped-1, dropped, r.plan.Config.Training.LearningRate, r.plan.Config.Training.LearningRate/4)
}
