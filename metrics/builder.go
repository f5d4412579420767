package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// namespace is the first part of every name.
const namespace = "tengen"

// builder makes collectors, registers them and notes what the contract says of
// them. A name given twice is a mistake in this package, at which it panics.
type builder struct {
	registerer prometheus.Registerer
	section    string // of the contract, for what is made next
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
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, names(labels))
	b.note(c, counter, name, help, labels)
	return c
}

func (b *builder) gauge(name, help string) prometheus.Gauge {
	g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
	b.note(g, gauge, name, help, nil)
	return g
}

func (b *builder) gauges(name, help string, labels ...Label) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, names(labels))
	b.note(g, gauge, name, help, labels)
	return g
}

// asked makes a gauge whose value is asked for at each scrape.
func (b *builder) asked(name, help string, value func() float64) {
	b.note(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value), gauge, name, help, nil)
}

func (b *builder) histogram(name, help string, buckets []float64) prometheus.Histogram {
	h := prometheus.NewHistogram(histogramOpts(name, help, buckets))
	b.note(h, histogram, name, help, nil)
	return h
}

func (b *builder) histograms(name, help string, label Label, buckets []float64) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(histogramOpts(name, help, buckets), []string{label.Name})
	b.note(h, histogram, name, help, []Label{label})
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
