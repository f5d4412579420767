package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

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

func (m *Metrics) makeStrength(b *builder) {
	b.section = strength
	m.Rating = Rating{
		b.gauge("rating_elo",
			"Rating of the last network evaluated, in Elo over UCT; 0 before the first."),
		b.gauge("rating_low_elo",
			"Lower bound of the rating's 95 % interval; -Inf if there is none."),
		b.gauge("rating_high_elo",
			"Upper bound of the rating's 95 % interval; +Inf if there is none."),
	}
	m.seats.points = b.gauges("evaluation_points",
		"Mean score of the last network evaluated, in each seat against UCT in all others.",
		seatLabel)
	m.seats.low = b.gauges("evaluation_points_low",
		"Lower bound of the points' 95 % interval; -Inf if there is none.", seatLabel)
	m.seats.high = b.gauges("evaluation_points_high",
		"Upper bound of the points' 95 % interval; +Inf if there is none.", seatLabel)
	m.seats.anchor = b.gauges("evaluation_anchor_points",
		"Mean score of UCT in each seat against UCT in all others.", seatLabel)
	m.EvaluationIteration = b.gauge("evaluation_iteration",
		"Iteration of the last network evaluated.")
	m.EvaluationGames = b.counter("evaluation_games_total", "Games played to measure strength.")
	m.SkippedEvaluations = b.counter("evaluation_skipped_total",
		"Evaluations skipped because the previous one was still in progress.")
}

// ReplayBytes sets what tells the bytes of the games on disk, NaN if they are unknown. It is
// called at each scrape, from any goroutine.
func (m *Metrics) ReplayBytes(read func() float64) { m.replayBytes.Store(&read) }

func (m *Metrics) makeData(b *builder) {
	b.section = data
	m.ReplayGames = b.gauge("replay_games", "Games in the replay window.")
	m.ReplayPositions = b.gauge("replay_positions",
		"Positions in the replay window, without held-out games.")
	b.asked("replay_bytes", "Size of the recorded games on disk.", func() float64 {
		if read := m.replayBytes.Load(); read != nil {
			return (*read)()
		}
		return 0
	})
	m.NewPositions = b.counter("replay_positions_added_total",
		"Positions that entered the replay window, without held-out games.")
	m.Samples = b.counter("samples_total", "Positions used in training steps, counted each time.")
	m.Reuse = b.gauge("sample_reuse_ratio", "Samples of the last update, divided by the positions that entered the window before it: how often each position is trained on in total.")
	waits := b.counters("trainer_wait_seconds_total",
		"Time that the trainer waited for games to be played and for batches to be encoded.",
		Label{"for", "games, batches"})
	m.WaitedForGames, m.WaitedForBatches = waits.WithLabelValues("games"),
		waits.WithLabelValues("batches")
	m.WaitedForTraining = b.counter("selfplay_wait_seconds_total", "Time in which self-play had no game to begin, because the games to come need a network that was not learned yet (training.cycle).")
	m.Lag = b.gauge("network_lag_steps", "Training steps between the networks of the games learned last and the newest network, when learning from them began; mean over decisions. 0 in a synchronous cycle.")
	m.Checkpoints = b.counter("checkpoints_total", "Checkpoints written.")
	m.CheckpointTime = b.gauge("checkpoint_timestamp_seconds",
		"Completion of this process's last checkpoint, in seconds since 1970; 0 before the first.")
	m.CheckpointDuration = b.histogram("checkpoint_duration_seconds", "Time to write a checkpoint.",
		prometheus.ExponentialBuckets(0.01, 2, 12))
	m.WriteFailures = b.counter("write_failures_total", "Failed writes to the run's folder.")
	m.WaitingForDisk = b.gauge("waiting_for_disk",
		"1 while the run waits for space on its disk, otherwise 0.")
	m.Stalled = b.gauge("stalled", "1 while the run makes no progress: for 15 minutes no evaluation, game or training step has ended, and nothing was written.")
}

// Reused records an update's samples, and the positions that entered the window since
// the previous one. Without new positions it leaves the ratio unchanged.
func (m *Metrics) Reused(samples, positions int) {
	if positions > 0 {
		m.Reuse.Set(float64(samples) / float64(positions))
	}
}

// Checkpoint records a checkpoint: when it was complete and how long it took.
func (m *Metrics) Checkpoint(at time.Time, took time.Duration) {
	m.Checkpoints.Inc()
	m.CheckpointTime.Set(float64(at.UnixNano()) / 1e9)
	m.CheckpointDuration.Observe(took.Seconds())
}
