package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func (m *Metrics) makeData(b *builder) {
	b.section = data
	m.ReplayGames = b.gauge("replay_games", "Games in the replay window.")
	m.ReplayPositions = b.gauge("replay_positions", "Positions in the replay window, held-out games left out.")
	m.ReplayBytes = b.gauge("replay_bytes", "Size of the recorded games on disk.")
	m.NewPositions = b.counter("replay_positions_added_total", "Positions that entered the replay window, held-out games left out.")
	m.Samples = b.counter("samples_total", "Positions that training steps learned from, each counted as often as it was used.")
	m.Reuse = b.gauge("sample_reuse_ratio", "Samples of the last update, divided by the positions that entered the window before it: how often each is learned from in all.")
	waits := b.counters("trainer_wait_seconds_total", "Time that the trainer waited for data: for games to be played, and for batches to be encoded.", Label{"for", "games, batches"})
	m.WaitedForGames, m.WaitedForBatches = waits.WithLabelValues("games"), waits.WithLabelValues("batches")
	m.Checkpoints = b.counter("checkpoints_total", "Checkpoints written.")
	m.CheckpointTime = b.gauge("checkpoint_timestamp_seconds", "When this process completed its last checkpoint, in seconds since 1970; 0 before the first.")
	m.CheckpointDuration = b.histogram("checkpoint_duration_seconds", "Time to write a checkpoint.", prometheus.ExponentialBuckets(0.01, 2, 12))
	m.WriteFailures = b.counter("write_failures_total", "Writes to the run's folder that failed.")
	m.WaitingForDisk = b.gauge("waiting_for_disk", "1 while the run waits until its disk has room again, else 0.")
}

// Reused records an update: the samples that it drew, and the positions that had
// entered the window since the one before. Without new positions nothing is
// known of their use.
func (m *Metrics) Reused(samples, positions int) {
	if positions > 0 {
		m.Reuse.Set(float64(samples) / float64(positions))
	}
}

// Checkpoint records that a checkpoint was complete at the given time, having taken so long.
func (m *Metrics) Checkpoint(at time.Time, took time.Duration) {
	m.Checkpoints.Inc()
	m.CheckpointTime.Set(float64(at.UnixNano()) / 1e9)
	m.CheckpointDuration.Observe(took.Seconds())
}
