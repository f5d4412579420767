package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// namespace is the first part of every name.
const namespace = "tengen"

// builder makes collectors and registers them. A name given twice is a mistake
// in this package, at which it panics.
type builder struct{ registry *prometheus.Registry }

func (b builder) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	b.registry.MustRegister(c)
	return c
}

func (b builder) counters(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	b.registry.MustRegister(c)
	return c
}

func (b builder) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	b.registry.MustRegister(g)
	return g
}

func (b builder) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	b.registry.MustRegister(g)
	return g
}

func (b builder) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(histogramOpts(name, help, buckets))
	b.registry.MustRegister(h)
	return h
}

func (b builder) histograms(name, help, label string, buckets []float64) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(histogramOpts(name, help, buckets), []string{label})
	b.registry.MustRegister(h)
	return h
}

// histogramOpts asks for explicit buckets, for readers that know no others, and
// for native ones, each at most a tenth wider than the one before and no more than 160 of them.
func histogramOpts(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Namespace: namespace, Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  160,
		NativeHistogramMinResetDuration: time.Hour,
	}
}
