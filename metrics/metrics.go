package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics are the collectors of one run.
type Metrics struct {
	// Self-play.
	GamesStarted  prometheus.Counter   // games begun
	GamesRunning  prometheus.Gauge     // games under way now
	GamesFinished prometheus.Counter   // games played to the end
	Positions     prometheus.Counter   // decisions of finished games
	GamePlies     prometheus.Histogram // actions of a finished game, forced ones included
	NetworkSeats  prometheus.Counter   // seats of finished games played by the network
	UCTSeats      prometheus.Counter   // seats of finished games played by UCT
	Evaluations   prometheus.Counter   // positions evaluated by the network
	Batches       prometheus.Counter   // batches in which they were evaluated
	CacheLookups  prometheus.Counter   // positions looked up among remembered evaluations
	CacheHits     prometheus.Counter   // of these, answered without the network
	BatchFill     prometheus.Histogram // rows in use ÷ capacity of a batch, 0 to 1

	// Self-play by Descent.
	GameStates     prometheus.Histogram // states of a finished game's search trees: what it teaches
	DescentDepth   prometheus.Histogram // decisions from a search's root to the deepest state that it reached
	Searches       prometheus.Counter   // searches ended
	ResolvedRoots  prometheus.Counter   // of these, with their root resolved
	CappedSearches prometheus.Counter   // of these, cut short by the cap on memory

	// Learning.
	Iteration       prometheus.Gauge   // iterations finished
	Iterations      prometheus.Gauge   // iterations of the whole run
	Steps           prometheus.Counter // training steps
	Training        Losses             // mean over the last update's steps
	HeldOut         Losses             // on held-out games, after the last update
	LearningRate    prometheus.Gauge   // of the last step
	ReplayGames     prometheus.Gauge   // games in the window
	ReplayPositions prometheus.Gauge   // positions in the window

	// Checkpoints and evaluation.
	Checkpoints        prometheus.Counter   // checkpoints written
	CheckpointTime     prometheus.Gauge     // when the last one was complete, seconds since 1970
	CheckpointDuration prometheus.Histogram // seconds to write one
	EvaluationGames    prometheus.Counter   // games played to measure strength
	SkippedEvaluations prometheus.Counter   // evaluations left out, since the one before was still under way
	Rating             Rating               // of the last network evaluated
	GateGames          prometheus.Counter   // games of gates
	Accepted           prometheus.Counter   // networks that passed the gate
	Rejected           prometheus.Counter   // networks that did not
	BestIteration      prometheus.Gauge     // after which the network of self-play was learned, with a gate

	points        *prometheus.GaugeVec
	stages        map[Stage]prometheus.Gauge
	stageDuration map[Stage]prometheus.Observer
	registry      *prometheus.Registry
	now           func() time.Time
}

// Losses are the parts of the loss, by head.
type Losses struct {
	Policy prometheus.Gauge // cross-entropy of the policy, nats
	Value  prometheus.Gauge // of the values: mean over players; cross-entropy (nats) or squared error
	Total  prometheus.Gauge // weighted sum, L2 included
}

// Set sets all three.
func (l Losses) Set(policy, value, total float64) {
	l.Policy.Set(policy)
	l.Value.Set(value)
	l.Total.Set(total)
}

// Rating is a rating with its 95 % interval, in Elo over the anchor. A side
// without a bound is infinite.
type Rating struct{ Estimate, Low, High prometheus.Gauge }

// Set sets all three.
func (r Rating) Set(estimate, low, high float64) {
	r.Estimate.Set(estimate)
	r.Low.Set(low)
	r.High.Set(high)
}

// New makes the collectors, each series at zero. now is the clock for the durations
// of stages; nil is time.Now.
func New(now func() time.Time) *Metrics {
	if now == nil {
		now = time.Now
	}
	b := builder{prometheus.NewRegistry()}
	b.registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m := &Metrics{registry: b.registry, now: now}

	m.GamesStarted = b.counter("games_started_total", "Self-play games begun.")
	m.GamesRunning = b.gauge("games_running", "Self-play games under way.")
	m.GamesFinished = b.counter("games_finished_total", "Self-play games played to the end.")
	m.Positions = b.counter("positions_total", "Decisions taken in finished self-play games.")
	m.GamePlies = b.histogram("game_plies", "Actions of a finished self-play game.", prometheus.ExponentialBuckets(8, 1.5, 12))
	seats := b.counters("seats_total", "Seats of finished self-play games, by who played them.", "player")
	m.NetworkSeats, m.UCTSeats = seats.WithLabelValues("network"), seats.WithLabelValues("uct")
	m.Evaluations = b.counter("evaluations_total", "Positions evaluated by the network in self-play.")
	m.Batches = b.counter("batches_total", "Batches evaluated by the network in self-play.")
	m.CacheLookups = b.counter("evaluation_cache_lookups_total", "Positions looked up in the evaluation cache in self-play.")
	m.CacheHits = b.counter("evaluation_cache_hits_total", "Positions that the evaluation cache answered in self-play, those asked for twice in a batch included.")
	m.BatchFill = b.histogram("batch_fill_ratio", "Rows in use of a batch, divided by its capacity.", prometheus.LinearBuckets(0.1, 0.1, 10))

	m.GameStates = b.histogram("descent_game_states", "States of the search trees of a finished self-play game, from all of which Descent learns.", prometheus.ExponentialBuckets(16, 2, 16))
	m.DescentDepth = b.histogram("descent_depth", "Decisions from the root of a search to the deepest state that it reached.", prometheus.ExponentialBuckets(1, 1.5, 14))
	m.Searches = b.counter("descent_searches_total", "Searches of Descent in self-play.")
	m.ResolvedRoots = b.counter("descent_resolved_roots_total", "Searches of Descent in self-play that resolved their root: its value is that of endings alone.")
	m.CappedSearches = b.counter("descent_capped_searches_total", "Searches of Descent in self-play that descent.max_nodes cut short.")

	m.Iteration = b.gauge("iteration", "Iterations finished.")
	m.Iterations = b.gauge("iterations", "Iterations of the whole run.")
	m.Steps = b.counter("steps_total", "Training steps taken.")
	losses := b.gauges("loss", "Loss by head: mean over the last update in training, after it on held-out games.", "data", "head")
	m.Training, m.HeldOut = lossesOf(losses, "training"), lossesOf(losses, "held_out")
	m.LearningRate = b.gauge("learning_rate", "Learning rate of the last training step.")
	m.ReplayGames = b.gauge("replay_games", "Games in the replay window.")
	m.ReplayPositions = b.gauge("replay_positions", "Positions in the replay window.")

	m.Checkpoints = b.counter("checkpoints_total", "Checkpoints written.")
	m.CheckpointTime = b.gauge("checkpoint_timestamp_seconds", "When the last checkpoint was complete, in seconds since 1970; 0 before the first.")
	m.CheckpointDuration = b.histogram("checkpoint_duration_seconds", "Time to write a checkpoint.", prometheus.ExponentialBuckets(0.01, 2, 12))
	m.EvaluationGames = b.counter("evaluation_games_total", "Games played to measure strength.")
	m.SkippedEvaluations = b.counter("evaluations_skipped_total", "Evaluations left out because the one before was still under way.")
	m.Rating = Rating{
		b.gauge("rating_elo", "Rating of the last network evaluated, in Elo over UCT; 0 before the first."),
		b.gauge("rating_low_elo", "Lower bound of the rating's 95 % interval; -Inf where there is none."),
		b.gauge("rating_high_elo", "Upper bound of the rating's 95 % interval; +Inf where there is none."),
	}
	m.points = b.gauges("evaluation_points", "Mean score of the last network evaluated, in each seat against UCT in all the others.", "seat")
	m.GateGames = b.counter("gate_games_total", "Games played to decide which network self-play uses.")
	decisions := b.counters("gate_decisions_total", "Networks that passed the gate, and that did not.", "verdict")
	m.Accepted, m.Rejected = decisions.WithLabelValues("accepted"), decisions.WithLabelValues("rejected")
	m.BestIteration = b.gauge("best_iteration", "With a gate, the iteration that left the network of self-play; 0 without one.")

	inProgress := b.gauges("stage_in_progress", "1 while the run is in this stage, else 0.", "stage")
	durations := b.histograms("stage_duration_seconds", "Time that a stage took, each time it was gone through.", "stage", prometheus.ExponentialBuckets(0.1, 3, 12))
	m.stages = map[Stage]prometheus.Gauge{}
	m.stageDuration = map[Stage]prometheus.Observer{}
	for _, s := range stages {
		m.stages[s] = inProgress.WithLabelValues(string(s))
		m.stageDuration[s] = durations.WithLabelValues(string(s))
	}
	return m
}

// Seats makes the series of points by seat, named so, each at zero. It is called
// before Points, once the game is known.
func (m *Metrics) Seats(names []string) {
	for _, name := range names {
		m.points.WithLabelValues(name).Set(0)
	}
}

// Points sets the mean score in a seat.
func (m *Metrics) Points(seat string, mean float64) { m.points.WithLabelValues(seat).Set(mean) }

// Checkpoint records that a checkpoint was complete at the given time, having taken so long.
func (m *Metrics) Checkpoint(at time.Time, took time.Duration) {
	m.Checkpoints.Inc()
	m.CheckpointTime.Set(float64(at.UnixNano()) / 1e9)
	m.CheckpointDuration.Observe(took.Seconds())
}

// Search records a search of Descent: the depth that it reached in decisions,
// whether it resolved its root, and whether the cap on memory cut it short.
func (m *Metrics) Search(depth int, resolved, capped bool) {
	m.Searches.Inc()
	m.DescentDepth.Observe(float64(depth))
	if resolved {
		m.ResolvedRoots.Inc()
	}
	if capped {
		m.CappedSearches.Inc()
	}
}

// Lookups records lookups in the evaluation cache, and how many of them were hits.
func (m *Metrics) Lookups(lookups, hits uint64) {
	m.CacheLookups.Add(float64(lookups))
	m.CacheHits.Add(float64(hits))
}

// Batch records a batch of the given number of rows, evaluated where capacity
// would have fitted.
func (m *Metrics) Batch(rows, capacity int) {
	m.Batches.Inc()
	m.Evaluations.Add(float64(rows))
	m.BatchFill.Observe(float64(rows) / float64(capacity))
}

func lossesOf(v *prometheus.GaugeVec, data string) Losses {
	return Losses{
		Policy: v.WithLabelValues(data, "policy"),
		Value:  v.WithLabelValues(data, "value"),
		Total:  v.WithLabelValues(data, "total"),
	}
}
