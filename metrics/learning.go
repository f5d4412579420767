package metrics

func (m *Metrics) makeLearning(b *builder) {
	b.section = learning
	m.Iteration = b.gauge("iteration", "Iterations finished.")
	m.Iterations = b.gauge("iterations", "Iterations of the whole run.")
	m.Steps = b.counter("steps_total", "Training steps taken.")

	of := Label{"data", "training, held_out"}
	losses := b.gauges("loss", "Loss: of a head (cross-entropy in nats, or squared error of values), or the weighted total, L2 included.", of, Label{"head", "policy, value, total"})
	accuracy := b.gauges("policy_accuracy_ratio", "Share of positions in which the network's first choice is the search's.", of)
	entropy := b.gauges("policy_entropy_nats", "Entropy of the policy: the network's, and the search's, which is its target.", of, Label{"policy", "network, target"})
	calibration := b.gauges("value_calibration_error", "Expected calibration error of the values: over tenths of the utilities predicted, the mean distance between their mean and that of the targets; 0 is best.", of)
	fit := func(data string) Losses {
		return Losses{
			Policy:         losses.WithLabelValues(data, "policy"),
			Value:          losses.WithLabelValues(data, "value"),
			Total:          losses.WithLabelValues(data, "total"),
			PolicyAccuracy: accuracy.WithLabelValues(data),
			PolicyEntropy:  entropy.WithLabelValues(data, "network"),
			TargetEntropy:  entropy.WithLabelValues(data, "target"),
			Calibration:    calibration.WithLabelValues(data),
		}
	}
	m.Training, m.HeldOut = fit("training"), fit("held_out")

	m.GradientNorm = b.gauge("gradient_norm", "Euclidean norm of all gradients together before clipping: mean over the last update's steps.")
	m.WeightNorm = b.gauge("weight_norm", "Euclidean norm of the weights of convolutions and dense layers together: mean over the last update's steps.")
	m.LearningRate = b.gauge("learning_rate", "Learning rate of the last training step.")
	m.BadUpdates = b.counter("bad_updates_total", "Updates that came to a loss or weights that are not finite, and were taken back.")
}

// Step records a training step that learned from so many samples.
func (m *Metrics) Step(samples int) {
	m.Steps.Inc()
	m.Samples.Add(float64(samples))
}
