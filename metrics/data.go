package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func (m *Metrics) makeData(b *builder) {
	b.section = data
	m.ReplayGames = b.gauge("replay_games", "Games in the replay window.")
	m.ReplayPositions = b.gauge("replay_positions",
		"Positions in the replay window, without held-out games.")
	m.ReplayBytes = b.gauge("replay_bytes", "Size of the recorded games on disk.")
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
