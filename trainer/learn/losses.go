package learn

import "tengen/nn"

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
