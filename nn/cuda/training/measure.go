package training

import (
	"fmt"
	"math"

	"tengen/nn"
	"tengen/nn/cuda/driver"
	"tengen/nn/train"
)

// Sums over rows, in the order of the kernel measure.
const (
	sumValue        = iota // the value's losses, of all players
	sumValueEntropy        // of its targets
	sumWeight              // of the policy's targets; with it:
	sumPolicy
	sumEntropy
	sumTarget
	sumAccuracy
	sumCalibration // number, predictions and targets of each bin
)

// Those of the auxiliary heads.
const (
	sumLabelWeight = sumCalibration + 3*len(nn.Calibration{}) + iota // with it:
	sumCells
	sumSeats
	sumFactWeight // with it:
	sumBelief
	sumBeliefPrior
	sumBeliefCalibration
	measures = sumBeliefCalibration + 3*len(nn.Calibration{})
)

// beliefMeasures is the number of measures of a row's belief: sumBelief to the last.
const beliefMeasures = measures - sumBelief

// results are a step's results, as they were copied from the device.
type results []byte

// squares returns the sum of squares of the gradients (0) or the weights (1).
func (r results) squares(which int) float64 {
	return driver.View[float64](r[:resultFlags])[which]
}

// refused reports whether the step changed nothing.
func (r results) refused() bool {
	return driver.View[float32](r[resultDecision:resultStopped])[0] != 0
}

// differs reports whether what must have the same bits has not.
func (r results) differs() bool {
	return driver.View[int32](r[resultFlags:resultDecision])[flagAgain] != 0
}

// flag sets the flags that another device's results have.
func (r results) flag(other results) {
	to := driver.View[int32](r[resultFlags:resultDecision])
	for i, v := range driver.View[int32](other[resultFlags:resultDecision]) {
		to[i] |= v
	}
}

// notFinite describes why a step wasn't taken.
func (r results) notFinite(l *nn.Losses) string {
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"value loss", l.Value}, {"policy loss", l.Policy},
		{"loss of cells' targets", l.Cells}, {"loss of seats' targets", l.Seats},
		{"belief's loss", l.Belief}, {"loss", l.Total}, {"gradient norm", l.GradientNorm},
	} {
		if math.IsNaN(c.value) || math.IsInf(c.value, 0) {
			return fmt.Sprintf("the %s is %g", c.name, c.value)
		}
	}
	flags := driver.View[int32](r[resultFlags:resultDecision])
	for i, what := range []string{
		flagObservation: "an observation is not finite",
		flagStatistics:  "BatchNorm's statistics are not finite",
		flagGradient:    "the gradient of an activation is not finite",
	} {
		if flags[i] != 0 {
			return what
		}
	}
	return "a number is not finite"
}

// measure adds the measures of batches.
type measure struct {
	sums [measures]float64
	rows int
}

// add adds the measures of a run that measured a number of rows.
func (m *measure) add(r results, rows int) {
	for i, v := range driver.View[float64](r[:resultFlags])[2:] {
		m.sums[i] += v
	}
	m.rows += rows
}

// losses returns the means; squares is Σ w².
func (m *measure) losses(c *train.Config, players int, squares float64) nn.Losses {
	calibration := m.calibration(sumCalibration)
	n := float64(m.rows * players)
	l := nn.Losses{
		Value: m.sums[sumValue] / n, ValueTargetEntropy: m.sums[sumValueEntropy] / n,
		L2: c.L2 * squares, WeightNorm: math.Sqrt(squares),
		ValueCalibration: calibration.Error(), Calibration: calibration,
	}
	if weight := m.sums[sumWeight]; weight > 0 {
		l.Policy = m.sums[sumPolicy] / weight
		l.PolicyAccuracy = m.sums[sumAccuracy] / weight
		l.PolicyEntropy = m.sums[sumEntropy] / weight
		l.TargetEntropy = m.sums[sumTarget] / weight
	}
	if weight := m.sums[sumLabelWeight]; weight > 0 {
		l.Cells, l.Seats = m.sums[sumCells]/weight, m.sums[sumSeats]/weight
	}
	if weight := m.sums[sumFactWeight]; weight > 0 {
		l.Belief, l.BeliefPrior = m.sums[sumBelief]/weight, m.sums[sumBeliefPrior]/weight
		l.BeliefCalibration = m.calibration(sumBeliefCalibration)
		l.BeliefError = l.BeliefCalibration.Error()
	}
	l.Total = c.PolicyWeight*l.Policy + c.ValueWeight*l.Value + l.L2 +
		c.LabelWeight*(l.Cells+l.Seats) + c.BeliefWeight*l.Belief
	return l
}

// calibration returns the bins whose sums start at an index.
func (m *measure) calibration(at int) (c nn.Calibration) {
	for i := range c {
		bin := m.sums[at+3*i:]
		c[i].N, c[i].Predicted, c[i].Target = int(bin[0]), bin[1], bin[2]
	}
	return c
}
