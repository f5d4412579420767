package metrics

import "github.com/prometheus/client_golang/prometheus"

// clusterVecs are the collectors with labels of the section.
type clusterVecs struct {
	workers *prometheus.GaugeVec
	refused *prometheus.CounterVec
	queued  *prometheus.GaugeVec
	bytes   *prometheus.GaugeVec
}

func (m *Metrics) makeCluster(b *builder) {
	b.section = elsewhere
	m.cluster.workers = b.gauges("cluster_workers", "Workers on other machines that said hello within the last 15 seconds (tengen train --share).", Label{"state", "playing, refused"})
	for _, s := range []string{"playing", "refused"} {
		m.ClusterWorkers(s)
	}
	m.ClusterRate = b.gauge("cluster_evaluations_per_second",
		"Positions that workers on other machines evaluate a second, as they say.")
	m.ClusterGiven = b.gauge("cluster_games_given",
		"Games that are given out to workers and not finished.")
	m.ClusterEarly = b.gauge("cluster_games_early", "Finished games of workers that were given out by an earlier process of the trainer, and that this one will need.")
	m.ClusterGames = b.counter("cluster_games_total",
		"Games of workers that counted: checked against the rules, and on the trainer's disk.")
	m.ClusterLate = b.counter("cluster_late_games_total",
		"Games of workers that others had finished before: work in vain.")
	m.cluster.queued = b.gauges("cluster_queue_messages",
		"Messages in a stream of the broker that are not over.", Label{"stream", "work (blocks that workers have or may take), matches (blocks of games of evaluations), games (batches that the trainer has not acknowledged)"})
	m.cluster.bytes = b.gauges("cluster_queue_bytes", "Bytes of the messages in a stream of the broker. That of games holds 256 MiB at most; then workers wait.", Label{"stream", "work, matches, games"})
	for _, s := range []string{"work", "matches", "games"} {
		m.ClusterQueue(s, 0, 0)
	}
	m.ClusterRedelivered = b.counter("cluster_redelivered_total", "Batches of games that the broker delivered more than once, since they were not acknowledged within a minute.")
	m.ClusterMatchGames = b.counter("cluster_match_games_total",
		"Games of evaluations that workers played.")
	m.ClusterStalled = b.gauge("cluster_stalled", "1 while games can't be given to workers or taken from them, since the broker is away, does not answer or takes nothing, or the disk is full; else 0. The trainer plays alone.")
	m.ClusterAgain = b.counter("cluster_blocks_again_total", "Blocks of work that were given out a second time, since they took three times as long as others.")
	m.cluster.refused = b.counters("cluster_refused_total",
		"Batches of games that were refused, and workers.",
		Label{"reason", "worker (another build, record format, kernel path or rules; or a batch of such a worker), message (breaks the protocol), not given (games that the run did not give out), record (breaks the rules, or starts otherwise than was drawn), play (a game of a match that has other moves when the trainer plays it), flood (too many messages)"})
	for _, r := range []string{"worker", "message", "not given", "record", "play", "flood"} {
		m.ClusterRefused(r)
	}
}

// ClusterQueue sets what waits in a stream of the broker: work, matches or games.
func (m *Metrics) ClusterQueue(name string, messages, bytes uint64) {
	m.cluster.queued.WithLabelValues(name).Set(float64(messages))
	m.cluster.bytes.WithLabelValues(name).Set(float64(bytes))
}

// ClusterWorkers returns the number of workers on other machines in a state: playing or refused.
func (m *Metrics) ClusterWorkers(state string) prometheus.Gauge {
	return m.cluster.workers.WithLabelValues(state)
}

// ClusterRefused returns the number of refusals for a reason.
func (m *Metrics) ClusterRefused(reason string) prometheus.Counter {
	return m.cluster.refused.WithLabelValues(reason)
}
