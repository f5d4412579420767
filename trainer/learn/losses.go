package learn

import (
	"errors"
	"fmt"
	"math"

	"tengen/nn"
	"tengen/nn/train"
)

// lossMean is the mean of the losses of batches.
type lossMean struct {
	sum nn.Losses
	n   int
}

// parts returns the fields that are averaged.
func parts(x *nn.Losses) []*float64 {
	return []*float64{
		&x.Total, &x.Policy, &x.Value, &x.L2,
		&x.PolicyAccuracy, &x.PolicyEntropy, &x.TargetEntropy, &x.ValueTargetEntropy,
		&x.GradientNorm, &x.WeightNorm,
		&x.Cells, &x.Seats, &x.Belief, &x.BeliefPrior,
	}
}

func (l *lossMean) add(x nn.Losses) {
	sums, xs := parts(&l.sum), parts(&x)
	for i := range sums {
		*sums[i] += *xs[i]
	}
	l.sum.LearningRate = x.LearningRate
	l.sum.Calibration.Add(&x.Calibration)
	l.sum.BeliefCalibration.Add(&x.BeliefCalibration)
	l.n++
}

// mean returns the mean of what was added, with the last learning rate and the
// calibration errors over all batches.
func (l *lossMean) mean() nn.Losses {
	m := l.sum
	for _, x := range parts(&m) {
		*x /= float64(l.n)
	}
	m.ValueCalibration, m.BeliefError = m.Calibration.Error(), m.BeliefCalibration.Error()
	return m
}

// nonFiniteError says which number of an update is NaN or infinite.
type nonFiniteError struct{ text string }

func (e *nonFiniteError) Error() string { return e.text }

// asNonFinite returns the nonFiniteError that err is or wraps, or that describes the
// train.NotFiniteError that it wraps; otherwise nil.
func asNonFinite(err error) *nonFiniteError {
	var found *nonFiniteError
	if errors.As(err, &found) {
		return found
	}
	var step *train.NotFiniteError
	if errors.As(err, &step) {
		return &nonFiniteError{fmt.Sprintf("training step %d: %s", step.Step, step.What)}
	}
	return nil
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// checkedRows is the number of positions that checkFinite evaluates.
const checkedRows = 8

// checkFinite returns a nonFiniteError if an update left a NaN or an infinity: in the
// weights, their average, the solver's state, the held-out losses, or in the folded
// network's evaluation of some positions of the last batch. Each step checks its own loss
// and gradient.
func (u *Updater) checkFinite(got *Result) error {
	now, err := u.Snapshot()
	if err != nil {
		return err
	}
	if err := nn.CheckFinite(append(now.Params.Tensors, now.State.Tensors...)); err != nil {
		return &nonFiniteError{fmt.Sprintf("after step %d %v", u.Trainer.Steps(), err)}
	}
	if h := got.HeldOut; h != nil && !isFinite(h.Total) {
		return &nonFiniteError{
			fmt.Sprintf("after step %d the held-out loss is %g", u.Trainer.Steps(), h.Total),
		}
	}
	evaluator := got.Weights.NewEvaluator()
	defer nn.Close(evaluator)
	b := evaluator.NewBatch(checkedRows)
	b.N = min(checkedRows, u.o.Train.Batch)
	copy(b.Observations, u.checked)
	if err := evaluator.Evaluate(b); err != nil {
		return err
	}
	s := got.Weights.Spec()
	if err := b.CheckFinite(s.Actions, s.Players, 0); err != nil {
		return &nonFiniteError{fmt.Sprintf("after step %d %v", u.Trainer.Steps(), err)}
	}
	return nil
}
