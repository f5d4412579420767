package metrics

import "github.com/prometheus/client_golang/prometheus"

// clusterVecs are the collectors with labels of the section.
type clusterVecs struct {
	workers *prometheus.GaugeVec
	refused *prometheus.CounterVec
}

func (m *Metrics) makeCluster(b *builder) {
	b.section = elsewhere
	m.cluster.workers = b.gauges("cluster_workers", "Workers on other machines that said hello within the last 15 seconds (tengen train --share).", Label{"state", "playing, refused"})
	for _, s := range []string{"playing", "refused"} {
		m.ClusterWorkers(s)
	}
	m.ClusterRate = b.gauge("cluster_evaluations_per_second", "Positions that workers on other machines evaluate a second, as they say.")
	m.ClusterGiven = b.gauge("cluster_games_given", "Games that are given out to workers and not finished.")
	m.ClusterEarly = b.gauge("cluster_games_early", "Finished games of workers that were given out by an earlier process of the trainer, and that this one will need.")
	m.ClusterGames = b.counter("cluster_games_total", "Games of workers that counted: checked against the rules, and on the trainer's disk.")
	m.ClusterLate = b.counter("cluster_late_games_total", "Games of workers that others had finished before: work in vain.")
	m.cluster.refused = b.counters("cluster_refused_total", "Batches of games that were refused, and workers.",
		Label{"reason", "worker (another build, record format, kernel path or rules; or a batch of such a worker), message (breaks the protocol), not given (games that the run did not give out), record (breaks the rules)"})
	for _, r := range []string{"worker", "message", "not given", "record"} {
		m.ClusterRefused(r)
	}
}

// ClusterWorkers returns the number of workers on other machines in a state: playing or refused.
func (m *Metrics) ClusterWorkers(state string) prometheus.Gauge {
	return m.cluster.workers.WithLabelValues(state)
}

// ClusterRefused returns the number of refusals for a reason.
func (m *Metrics) ClusterRefused(reason string) prometheus.Counter {
	return m.cluster.refused.WithLabelValues(reason)
}
