package train

import (
	"math"

	"tengen/nn"
)

// calibrationBins is the number of bins of a Calibration: tenths of the utility.
const calibrationBins = 10

// Calibration compares the utilities that a network predicts with those that it
// learns: predictions fall into bins of equal width over [0, 1], and those beyond into
// the outermost. Calibrations of several batches add up.
type Calibration [calibrationBins]struct {
	N                 int     // predictions: one a row and player
	Predicted, Target float64 // their sum, and that of the targets
}

// add counts a prediction; what is not finite counts for nothing.
func (c *Calibration) add(predicted, target float64) {
	if d := predicted - target; math.IsNaN(d) || math.IsInf(d, 0) {
		return
	}
	bin := &c[int(min(max(predicted, 0), 1)*calibrationBins*(1-0x1p-53))]
	bin.N++
	bin.Predicted += predicted
	bin.Target += target
}

// Add adds another's predictions.
func (c *Calibration) Add(other *Calibration) {
	for i := range c {
		c[i].N += other[i].N
		c[i].Predicted += other[i].Predicted
		c[i].Target += other[i].Target
	}
}

// Error is the expected calibration error of Naeini, Cooper and Hauskrecht
// (2015, "Obtaining well calibrated probabilities using Bayesian binning"): the
// distance between a bin's mean prediction and its mean target, averaged over
// predictions. 0 is best, and what there is without predictions. Few predictions
// make it too large, since chance moves the means of their bins.
func (c *Calibration) Error() float64 {
	n, sum := 0, 0.0
	for _, bin := range c {
		n += bin.N
		sum += math.Abs(bin.Predicted - bin.Target)
	}
	return sum / float64(max(1, n))
}

// addValues counts the values of the first rows of the network's last run; targets
// are the batch's own, from the first of these rows on.
func (c *Calibration) addValues(n *network[float32], rows int, targets []float32) {
	s := &n.spec
	outputs := s.Outputs()
	if s.Value != nn.ValueCategorical {
		for i, v := range data[float32](n.valueLogits.Value())[:rows*s.Players] {
			c.add(float64(v), float64(targets[i]))
		}
		return
	}
	p := n.valueLoss.(*crossEntropy[float32]).p
	for i := range rows * s.Players {
		predicted, target := 0.0, 0.0
		for k, utility := range s.Support {
			predicted += float64(p[i*outputs+k]) * float64(utility)
			target += float64(targets[i*outputs+k]) * float64(utility)
		}
		c.add(predicted, target)
	}
}
