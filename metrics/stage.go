package metrics

import "github.com/prometheus/client_golang/prometheus"

// Stage is a part of an iteration.
type Stage string

// The stages, in the order in which an iteration goes through them.
const (
	SelfPlay   Stage = "self_play"
	Replay     Stage = "replay" // games enter the window
	Update     Stage = "update"
	Gate       Stage = "gate" // the new network plays the best one
	Checkpoint Stage = "checkpoint"
	// Evaluation goes on beside the others, or between iterations.
	Evaluation Stage = "evaluation"
)

var stages = []Stage{SelfPlay, Replay, Update, Gate, Checkpoint, Evaluation}

func (m *Metrics) makeStages(b *builder) {
	label := Label{"stage", "self_play, replay, update, gate, checkpoint, evaluation"}
	inProgress := b.gauges("stage_in_progress", "1 while the run is in this stage, else 0. Evaluation may go on beside the others.", label)
	durations := b.histograms("stage_duration_seconds", "Time that a stage took, each time it was gone through.", label, prometheus.ExponentialBuckets(0.1, 3, 12))
	m.stages = map[Stage]prometheus.Gauge{}
	m.stageDuration = map[Stage]prometheus.Observer{}
	for _, s := range stages {
		m.stages[s] = inProgress.WithLabelValues(string(s))
		m.stageDuration[s] = durations.WithLabelValues(string(s))
	}
}

// Enter records that the run is in stage s from now on, until the function that
// it returns is called, once.
func (m *Metrics) Enter(s Stage) (leave func()) {
	gauge, ok := m.stages[s]
	if !ok {
		panic("metrics: no stage is called " + string(s))
	}
	began := m.now()
	gauge.Set(1)
	return func() {
		gauge.Set(0)
		m.stageDuration[s].Observe(m.now().Sub(began).Seconds())
	}
}
