package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// namespace is the first part of every name.
const namespace = "tengen"

// builder makes and registers collectors, and records their families for the
// contract. It panics on a duplicate name.
type builder struct {
	registerer prometheus.Registerer
	section    string // of the contract, for the next families
	families   []Family
}

// note registers a collector and adds its family to the contract.
func (b *builder) note(c prometheus.Collector, kind, name, help string, labels []Label) {
	b.registerer.MustRegister(c)
	b.families = append(b.families, Family{
		Name: namespace + "_" + name, Type: kind, Section: b.section, Labels: labels, Help: help,
	})
}

func (b *builder) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
	b.note(c, counter, name, help, nil)
	return c
}

func (b *builder) counters(name, help string, labels ...Label) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: namespace, Name: name, Help: help,
	}, names(labels))
	b.note(c, counter, name, help, labels)
	return c
}

func (b *builder) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	b.note(g, gauge, name, help, nil)
	return g
}

func (b *builder) gauges(name, help string, labels ...Label) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help},
		names(labels))
	b.note(g, gauge, name, help, labels)
	return g
}

// asked makes a gauge whose value is computed at each scrape.
func (b *builder) asked(name, help string, value func() float64) {
	b.note(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: name, Help: help,
	}, value), gauge, name, help, nil)
}

func (b *builder) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(histogramOpts(name, help, buckets))
	b.note(h, histogram, name, help, nil)
	return h
}

func (b *builder) histograms(
	name, help string, label Label, buckets []float64,
) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(histogramOpts(name, help, buckets), []string{label.Name})
	b.note(h, histogram, name, help, []Label{label})
	return h
}

// histogramOpts returns options with explicit buckets, for readers without support for
// native ones, and at most 160 native buckets, each at most 10 % wider than the previous one.
func histogramOpts(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Namespace: namespace, Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor:     1.1,
		NativeHistogramMaxBucketNumber:  160,
		NativeHistogramMinResetDuration: time.Hour,
	}
}
