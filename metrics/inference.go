package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func (m *Metrics) makeInference(b *builder) {
	b.section = inference
	m.Evaluations = b.counter("inference_positions_total",
		"Positions evaluated by the network in self-play.")
	m.Batches = b.counter("inference_batches_total",
		"Batches evaluated by the network in self-play.")
	m.BatchFill = b.histogram("inference_batch_fill_ratio",
		"Used rows of a batch, divided by its capacity.", prometheus.LinearBuckets(0.1, 0.1, 10))
	m.Wait = b.histogram("inference_wait_seconds",
		"Time that a worker's searches waited for a batch of evaluations.",
		prometheus.ExponentialBuckets(1e-5, 2, 20))
	m.CacheLookups = b.counter("inference_cache_lookups_total",
		"Positions looked up in the evaluation cache in self-play.")
	m.CacheHits = b.counter("inference_cache_hits_total", "Positions found in the evaluation cache in self-play, including duplicates within a batch.")
	m.kernels = b.gauges("inference_kernels_info",
		"1, with the code path of the network's arithmetic as a label.",
		Label{"path", "avx512, avx2, neon, portable, or that of a device; one a process"})
}

// Batch records a batch: the number of its rows, its capacity, and how long searches
// waited for it.
func (m *Metrics) Batch(rows, capacity int, wait time.Duration) {
	m.Batches.Inc()
	m.Evaluations.Add(float64(rows))
	m.BatchFill.Observe(float64(rows) / float64(capacity))
	m.Wait.Observe(wait.Seconds())
}

// Lookups records lookups in the evaluation cache, and how many of them were hits.
func (m *Metrics) Lookups(lookups, hits uint64) {
	m.CacheLookups.Add(float64(lookups))
	m.CacheHits.Add(float64(hits))
}
