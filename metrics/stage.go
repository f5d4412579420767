package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"tengen/run"
)

func (m *Metrics) makeStages(b *builder) {
	label := Label{"stage", "self_play, replay, update, checkpoint, evaluation"}
	inProgress := b.gauges("stage_in_progress", "1 while the run is in this stage, otherwise 0. Evaluation may be concurrent with other stages.", label)
	durations := b.histograms("stage_duration_seconds", "Duration of a stage, each time.",
		label, prometheus.ExponentialBuckets(0.1, 3, 12))
	m.stages = map[run.Stage]prometheus.Gauge{}
	m.stageDuration = map[run.Stage]prometheus.Observer{}
	for _, s := range run.Stages() {
		m.stages[s] = inProgress.WithLabelValues(string(s))
		m.stageDuration[s] = durations.WithLabelValues(string(s))
	}
}

// Enter records that the run is in stage s until the returned function is called, which
// must happen once.
func (m *Metrics) Enter(s run.Stage) (leave func()) {
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
