package metrics

func (m *Metrics) makeLearning(b *builder) {
	b.section = learning
	m.Iteration = b.gauge("iteration", "Finished iterations.")
	m.Iterations = b.gauge("iterations", "Iterations of the whole run.")
	m.Steps = b.counter("steps_total", "Training steps taken.")

	of := Label{"data", "training, held_out"}
	losses := b.gauges("loss", "Loss of a head (cross-entropy in nats, or squared error of values), or the weighted total, L2 included; belief_prior is the loss of counting in place of the belief; 0 for a head that the network lacks.",
		of, Label{"head", "policy, value, cells, seats, reply, belief, belief_prior, total"})
	accuracy := b.gauges("policy_accuracy_ratio",
		"Share of positions in which the network's most probable action is the search's.", of)
	entropy := b.gauges("policy_entropy_nats",
		"Entropy of the network's policy and of its target, the search's policy.",
		of, Label{"policy", "network, target"})
	uncertainty := b.gauges("value_target_entropy_nats", "Entropy of the values' targets, below which their loss can't fall; 0 if they are no distributions.", of)
	calibration := b.gauges("value_calibration_error", "Expected calibration error of the values: over ten bins of predicted utilities, the mean distance between their mean and that of the targets; 0 is best.", of)
	belief := b.gauges("belief_calibration_error", "The same of the belief: of the probabilities that it gives to each class of each fact; 0 without the head.", of)
	fit := func(data string) Losses {
		return Losses{
			Policy:             losses.WithLabelValues(data, "policy"),
			Value:              losses.WithLabelValues(data, "value"),
			Cells:              losses.WithLabelValues(data, "cells"),
			Seats:              losses.WithLabelValues(data, "seats"),
			Belief:             losses.WithLabelValues(data, "belief"),
			BeliefPrior:        losses.WithLabelValues(data, "belief_prior"),
			Total:              losses.WithLabelValues(data, "total"),
			PolicyAccuracy:     accuracy.WithLabelValues(data),
			PolicyEntropy:      entropy.WithLabelValues(data, "network"),
			TargetEntropy:      entropy.WithLabelValues(data, "target"),
			ValueTargetEntropy: uncertainty.WithLabelValues(data),

			Calibration:       calibration.WithLabelValues(data),
			BeliefCalibration: belief.WithLabelValues(data),
		}
	}
	m.Training, m.HeldOut = fit("training"), fit("held_out")

	m.GradientNorm = b.gauge("gradient_norm", "Euclidean norm of all gradients together before clipping: mean over the last update's steps.")
	m.WeightNorm = b.gauge("weight_norm", "Euclidean norm of the weights of convolutions and dense layers together: mean over the last update's steps.")
	m.LearningRate = b.gauge("learning_rate", "Learning rate of the last training step.")
	m.BadUpdates = b.counter("bad_updates_total",
		"Updates that were dropped because a loss or weight was not finite.")
}

// Step records a training step of the given number of samples.
func (m *Metrics) Step(samples int) {
	m.Steps.Inc()
	m.Samples.Add(float64(samples))
}
