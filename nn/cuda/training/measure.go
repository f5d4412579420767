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
	measures       = sumCalibration + 3*len(nn.Calibration{})
)

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

// differs reports whether a step that was taken again had other results.
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
		{"value loss", l.Value}, {"policy loss", l.Policy}, {"loss", l.Total},
		{"gradient norm", l.GradientNorm},
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
	var calibration nn.Calibration
	for i := range calibration {
		bin := m.sums[sumCalibration+3*i:]
		calibration[i].N, calibration[i].Predicted, calibration[i].Target = int(bin[0]), bin[1],
			bin[2]
	}
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
	l.Total = c.PolicyWeight*l.Policy + c.ValueWeight*l.Value + l.L2
	return l
}
