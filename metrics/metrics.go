package metrics

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"tengen/internal/serve"
	"tengen/run"
)

// Metrics are the collectors of one run.
type Metrics struct {
	// Learning.
	Iteration  prometheus.Gauge   // finished iterations
	Iterations prometheus.Gauge   // iterations of the whole run
	Steps      prometheus.Counter // training steps taken
	Training   Losses             // mean over the last update's steps
	HeldOut    Losses             // on held-out games, after the last update
	// of all gradients together, before clipping; mean over the last update's steps
	GradientNorm prometheus.Gauge
	WeightNorm   prometheus.Gauge   // of the weights of convolutions and dense layers, likewise
	LearningRate prometheus.Gauge   // of the last step
	BadUpdates   prometheus.Counter // updates dropped because of numbers that are not finite

	// Strength.
	EvaluationGames     prometheus.Counter // games played to measure strength
	EvaluationIteration prometheus.Gauge   // iteration of the last network evaluated
	// evaluations skipped because the previous one was still in progress
	SkippedEvaluations prometheus.Counter
	Rating             Rating // of the last network evaluated

	// Self-play.
	GamesStarted  prometheus.Counter // games started
	GamesRunning  prometheus.Gauge   // games in progress
	GamesFinished prometheus.Counter // games played to the end
	GamesResigned prometheus.Counter // of these, games that ended by resignation
	// The utility below which players resign, and the share of resignations with it that would have
	// been wrong.
	ResignThreshold, FalseResignations prometheus.Gauge
	Positions                          prometheus.Counter // decisions of finished games
	// actions of a finished game, forced ones included
	GamePlies    prometheus.Histogram
	NetworkSeats prometheus.Counter // seats of finished games played by the network
	UCTSeats     prometheus.Counter // seats of finished games played by UCT
	Simulations  prometheus.Counter // of network seats' searches; iterations of Descent
	// finished searches of network seats with all their simulations
	FullSearches prometheus.Counter
	// finished searches with few simulations (playout cap randomization)
	FastSearches  prometheus.Counter
	SearchDepth   prometheus.Histogram // actions from a search's root to the deepest state reached
	ResolvedRoots prometheus.Counter   // searches of Descent that resolved their root
	FullTrees     prometheus.Counter   // searches whose tree was full
	// Descent: states of a finished game's search trees, which are trained on
	GameStates  prometheus.Histogram
	PlayingStep prometheus.Gauge // training steps of the network that plays
	NewestStep  prometheus.Gauge // training steps of the newest network

	// Inference, in self-play.
	Evaluations  prometheus.Counter   // positions evaluated by the network
	Batches      prometheus.Counter   // batches in which they were evaluated
	BatchFill    prometheus.Histogram // used rows ÷ capacity of a batch, 0 to 1
	Wait         prometheus.Histogram // seconds that searches waited for a batch
	CacheLookups prometheus.Counter   // positions looked up in the evaluation cache
	CacheHits    prometheus.Counter   // positions found there

	// Data.
	ReplayGames     prometheus.Gauge   // games in the window
	ReplayPositions prometheus.Gauge   // positions in the window
	NewPositions    prometheus.Counter // positions for training that entered the window
	Samples         prometheus.Counter // positions used in training steps, counted each time
	// samples of the last update ÷ positions that entered the window before it
	Reuse             prometheus.Gauge
	WaitedForGames    prometheus.Counter // seconds that the trainer waited for games
	WaitedForTraining prometheus.Counter // seconds in which self-play had no game to begin
	// steps between the networks of the last games and the newest
	Lag                prometheus.Gauge
	WaitedForBatches   prometheus.Counter   // seconds that it waited for batches to be encoded
	Checkpoints        prometheus.Counter   // checkpoints written
	CheckpointTime     prometheus.Gauge     // completion of the last one, seconds since 1970
	CheckpointDuration prometheus.Histogram // seconds to write one
	WriteFailures      prometheus.Counter   // failed writes to the run's folder
	WaitingForDisk     prometheus.Gauge     // 1 while the run waits for space on the disk
	Stalled            prometheus.Gauge     // 1 while the run makes no progress

	// Cluster.
	ClusterRate        prometheus.Gauge   // evaluations a second of workers on other machines
	ClusterGiven       prometheus.Gauge   // games that they have
	ClusterEarly       prometheus.Gauge   // games that came before they were given out
	ClusterGames       prometheus.Counter // games of theirs that counted
	ClusterLate        prometheus.Counter // games of theirs that others had finished before
	ClusterRedelivered prometheus.Counter // batches of games that came more than once
	ClusterAgain       prometheus.Counter // blocks that were given out a second time
	ClusterMatchGames  prometheus.Counter // games of evaluations that workers played
	ClusterStalled     prometheus.Gauge   // 1 while no games can be given out or taken, else 0

	cluster       clusterVecs
	seats         seats
	stages        map[run.Stage]prometheus.Gauge
	stageDuration map[run.Stage]prometheus.Observer
	run, kernels  *prometheus.GaugeVec
	devices       *devices
	replayBytes   atomic.Pointer[func() float64]
	registry      *prometheus.Registry
	families      []Family
	now           func() time.Time
}

// Losses are the parts of the loss, by head, and measures of fit.
type Losses struct {
	Policy prometheus.Gauge // cross-entropy of the policy, nats
	// of the values: mean over players; cross-entropy (nats) or squared error
	Value prometheus.Gauge
	Cells prometheus.Gauge // of the labels of cells: cross-entropy, nats per labelled cell
	Seats prometheus.Gauge // of the labels of seats: squared error
	// Of the belief, and of counting in its place: the sum over the hidden facts, nats; and the
	// belief's expected calibration error.
	Belief, BeliefPrior, BeliefCalibration prometheus.Gauge
	Total                                  prometheus.Gauge // weighted sum, L2 included

	// share of positions in which the network's most probable action is the search's
	PolicyAccuracy prometheus.Gauge
	PolicyEntropy  prometheus.Gauge // entropy of the network's policy, nats
	TargetEntropy  prometheus.Gauge // entropy of its target, the search's policy, nats
	// ValueTargetEntropy is the entropy of the values' targets, nats; 0 for a linear head.
	ValueTargetEntropy prometheus.Gauge
	Calibration        prometheus.Gauge // expected calibration error of the values, 0 to 1
}

// Rating is a rating with its 95 % interval, in Elo over the anchor. A missing bound is
// infinite.
type Rating struct{ Estimate, Low, High prometheus.Gauge }

// Set sets all three.
func (r Rating) Set(estimate, low, high float64) {
	r.Estimate.Set(estimate)
	r.Low.Set(low)
	r.High.Set(high)
}

// Options describe the run.
type Options struct {
	Run string // the run's name, the value of the label run; "" means no such label
	// the run's folder, whose disk is measured; it need not exist; "" means the working directory
	Folder string
	Now    func() time.Time // the clock for the durations of stages; nil means time.Now
}

// New returns the collectors, each series at zero. Nil options are the zero Options.
func New(options *Options) *Metrics {
	o := Options{}
	if options != nil {
		o = *options
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Folder == "" {
		o.Folder = "."
	}
	m := &Metrics{registry: prometheus.NewRegistry(), now: o.Now}
	b := &builder{registerer: m.registry}
	if o.Run != "" {
		b.registerer = prometheus.WrapRegistererWith(prometheus.Labels{
			"run": strings.ToValidUTF8(o.Run, "\uFFFD"),
		}, m.registry)
	}
	m.makeLearning(b)
	m.makeStrength(b)
	m.makePlaying(b)
	m.makeInference(b)
	m.makeData(b)
	m.makeCluster(b)
	m.makeSystem(b, o.Folder)
	m.families = b.families
	return m
}

// Handler answers GET /metrics and GET /healthz.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", inTurn(4, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry: m.registry,
		Timeout:  serve.RequestTimeout / 2,
	})))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		// Ignore the error: the client may have disconnected.
		_, _ = io.WriteString(w, "ok\n")
	})
	return mux
}

// inTurn has h answer at most n requests at a time; others wait, but not longer than a request may
// take.
func inTurn(n int, h http.Handler) http.Handler {
	turns := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		late := time.NewTimer(serve.RequestTimeout / 3)
		defer late.Stop()
		select {
		case turns <- struct{}{}:
			defer func() { <-turns }()
			h.ServeHTTP(w, r)
		case <-late.C:
			http.Error(w, "too many requests wait for the metrics", http.StatusServiceUnavailable)
		case <-r.Context().Done():
		}
	})
}

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

// Family describes the series of one name, as guaranteed to readers.
type Family struct {
	Name    string // such as tengen_loss; for a histogram without _bucket, _sum and _count
	Type    string // counter, gauge, histogram or summary
	Section string // one of Sections
	Labels  []Label
	Help    string
}

// Label is a label of a family other than run, which all have.
type Label struct {
	Name   string
	Values string // a description, such as "network, uct"
}

// The types of families.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
	summary   = "summary"
)

// The sections of the contract, in their order.
const (
	learning  = "Learning"
	strength  = "Strength"
	playing   = "Self-play"
	inference = "Inference"
	data      = "Data"
	elsewhere = "Cluster"
	system    = "System"
)

// Sections returns the sections of the contract and of the dashboards, in order.
func Sections() []string {
	return []string{learning, strength, playing, inference, data, elsewhere, system}
}

// Contract returns the families that a run serves, by section: its own, and those of
// every Go program that dashboards and alerts use.
func Contract() []Family {
	list := append(New(nil).families, standard...)
	order := Sections()
	slices.SortStableFunc(list, func(a, b Family) int {
		return slices.Index(order, a.Section) - slices.Index(order, b.Section)
	})
	return list
}

// standard are families of client_golang's own collectors.
var standard = []Family{
	{"process_cpu_seconds_total", counter, system, nil, "Processor time of the process, user and system. Linux and Windows, as all process_ families."},
	{"process_resident_memory_bytes", gauge, system, nil, "Resident memory of the process."},
	{"process_open_fds", gauge, system, nil, "Open files, sockets included."},
	{"process_max_fds", gauge, system, nil, "Maximum number of open files of the process."},
	{"process_start_time_seconds",
		gauge, system, nil, "Start of the process, in seconds since 1970."},
	{"go_gc_duration_seconds", summary, system, nil,
		"Pauses of the garbage collector; _count is the number of collections."},
	{"go_memstats_heap_inuse_bytes", gauge, system, nil, "Heap memory in use."},
	{"go_goroutines", gauge, system, nil, "Goroutines."},
}

func names(labels []Label) []string {
	list := make([]string, len(labels))
	for i, l := range labels {
		list[i] = l.Name
	}
	return list
}
