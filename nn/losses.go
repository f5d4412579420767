package nn

import "math"

// Losses describes a batch under the network's parameters before the training step.
type Losses struct {
	// PolicyWeight·Policy + ValueWeight·Value + L2, and the auxiliary losses
	Total  float64 `json:"total"`
	Policy float64 `json:"policy"` // cross-entropy, nats; 0 without a policy head or target
	Value  float64 `json:"value"`  // cross-entropy in nats, or squared error, per row and player
	L2     float64 `json:"l2"`     // λ·Σ w²

	// Losses of the auxiliary heads; Total includes them with their weights.
	// targets of cells: cross-entropy in nats, per cell that has a class
	Cells float64 `json:"cells,omitempty"`
	Seats float64 `json:"seats,omitempty"` // targets of seats: squared error, per player and target

	// Of the belief head: the sum over the facts hidden in a row, nats; the same of the
	// probabilities without a belief; and the expected calibration error of the probabilities of
	// all classes, 0 to 1.
	Belief      float64 `json:"belief,omitempty"`
	BeliefPrior float64 `json:"belief_prior,omitempty"`
	BeliefError float64 `json:"belief_calibration,omitempty"`

	// share of rows whose greatest logit is where the target is greatest
	PolicyAccuracy float64 `json:"policy_accuracy"`
	// entropy of the network's policy over all actions, nats
	PolicyEntropy float64 `json:"policy_entropy"`
	// entropy of the target, the lower bound of Policy
	TargetEntropy float64 `json:"target_entropy"`

	// entropy of the value's target, the lower bound of Value; 0 for a linear head, nats per row
	// and player
	ValueTargetEntropy float64 `json:"value_target_entropy"`

	// expected calibration error of the utilities, 0 to 1: Calibration.Error
	ValueCalibration float64 `json:"value_calibration"`

	// before clipping, without the gradient of L2; 0 from a measurement without a step
	GradientNorm float64 `json:"gradient_norm"`
	// √Σ w² over the weights of convolutions and dense layers
	WeightNorm   float64 `json:"weight_norm"`
	LearningRate float64 `json:"learning_rate"` // of this step; 0 from a measurement without a step

	// Calibration gives ValueCalibration, and the error of several batches together.
	Calibration Calibration `json:"-"`
	// BeliefCalibration gives BeliefError.
	BeliefCalibration Calibration `json:"-"`
}

// calibrationBins is the number of bins of a Calibration, each a tenth of the utility's range.
const calibrationBins = 10

// Calibration compares the utilities that a network predicts with their targets.
// Predictions fall into bins of equal width over [0, 1], those outside into the nearest
// bin. Calibrations of several batches can be added.
type Calibration [calibrationBins]struct {
	N                 int     // number of predictions, one per row and player
	Predicted, Target float64 // sum of the predictions, and of their targets
}

// Count adds a prediction and its target. It ignores numbers that are not finite.
func (c *Calibration) Count(predicted, target float64) {
	if d := predicted - target; math.IsNaN(d) || math.IsInf(d, 0) {
		return
	}
	bin := &c[int(min(max(predicted, 0), 1)*calibrationBins*(1-0x1p-53))]
	bin.N++
	bin.Predicted += predicted
	bin.Target += target
}

// Add adds the predictions of another Calibration.
func (c *Calibration) Add(other *Calibration) {
	for i := range c {
		c[i].N += other[i].N
		c[i].Predicted += other[i].Predicted
		c[i].Target += other[i].Target
	}
}

// Error returns the expected calibration error of Naeini, Cooper and Hauskrecht
// (2015, "Obtaining well calibrated probabilities using Bayesian binning"): the
// distance between the mean prediction and the mean target of a bin, averaged over
// the predictions. 0 is best; without predictions it is 0. With few predictions it is
// biased upwards, because the means of their bins vary by chance.
func (c *Calibration) Error() float64 {
	n, sum := 0, 0.0
	for _, bin := range c {
		n += bin.N
		sum += math.Abs(bin.Predicted - bin.Target)
	}
	return sum / float64(max(1, n))
}
