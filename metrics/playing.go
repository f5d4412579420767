package metrics

import (
	"math"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func (m *Metrics) makePlaying(b *builder) {
	b.section = playing
	m.GamesStarted = b.counter("games_started_total", "Self-play games started.")
	m.GamesRunning = b.gauge("games_running", "Self-play games in progress.")
	m.GamesFinished = b.counter("games_finished_total",
		"Self-play games played to the end, or until players resigned, and recorded.")
	m.GamesResigned = b.counter("games_resigned_total",
		"Finished self-play games that ended by resignation.")
	m.ResignThreshold = b.gauge("resignation_threshold",
		"Expected utility below which players resign in self-play; 0: nobody resigns.")
	m.FalseResignations = b.gauge("resignation_false_ratio", "Share of wrong resignations at that threshold, in the games of the replay window that were played to their end.")
	m.Positions = b.counter("positions_total", "Decisions taken in finished self-play games.")
	m.GamePlies = b.histogram("game_plies", "Actions of a finished self-play game.",
		prometheus.ExponentialBuckets(8, 1.5, 12))
	m.seats.outcomes = b.counters("outcomes_total", "Seats of finished self-play games by outcome: won alone, tied for the best utility, or lost.",
		seatLabel, Label{"outcome", "won, tied, lost"})
	seats := b.counters("seats_total", "Seats of finished self-play games by player.",
		Label{"player", "network, uct"})
	m.NetworkSeats, m.UCTSeats = seats.WithLabelValues("network"), seats.WithLabelValues("uct")
	m.Simulations = b.counter("simulations_total",
		"Simulations of the network's searches in self-play; with Descent, its iterations.")
	searches := b.counters("searches_total",
		"Searches of the network in self-play, full or fast (playout cap randomization).",
		Label{"kind", "full, fast"})
	m.FullSearches, m.FastSearches = searches.WithLabelValues("full"),
		searches.WithLabelValues("fast")
	m.SearchDepth = b.histogram("search_depth",
		"Actions (with Descent, decisions) from the root of a search to the deepest state reached.",
		prometheus.ExponentialBuckets(1, 1.5, 14))
	m.ResolvedRoots = b.counter("searches_resolved_total",
		"Searches of Descent in self-play that resolved their root, so that its value is exact.")
	m.FullTrees = b.counter("searches_capped_total", "Searches in self-play whose tree was full (max_nodes): Descent then stops, PUCT continues without adding states.")
	m.GameStates = b.histogram("game_tree_states", "Descent: states of the search trees of a finished self-play game, all of which are trained on.", prometheus.ExponentialBuckets(16, 2, 16))
	m.PlayingStep = b.gauge("playing_network_step",
		"Training steps of the network that self-play uses.")
	m.NewestStep = b.gauge("newest_network_step", "Training steps of the newest network; minus tengen_playing_network_step, the age of self-play's network in steps.")
}

// SearchStats describes a finished search of the network.
type SearchStats struct {
	Depth    int  // actions (with Descent, decisions) from the root to the deepest state reached
	Fast     bool // it had few simulations (playout cap randomization)
	Resolved bool // Descent resolved its root
	Full     bool // its tree was full
}

// Searched records a search in self-play.
func (m *Metrics) Searched(s SearchStats) {
	if s.Fast {
		m.FastSearches.Inc()
	} else {
		m.FullSearches.Inc()
	}
	m.SearchDepth.Observe(float64(s.Depth))
	if s.Resolved {
		m.ResolvedRoots.Inc()
	}
	if s.Full {
		m.FullTrees.Inc()
	}
}

// Simulated records simulations in self-play.
func (m *Metrics) Simulated(n int) { m.Simulations.Add(float64(n)) }

// Begun records the start of a self-play game.
func (m *Metrics) Begun() {
	m.GamesStarted.Inc()
	m.GamesRunning.Inc()
}

// Ended records the end of a self-play game.
func (m *Metrics) Ended() { m.GamesRunning.Dec() }

var seatLabel = Label{"seat", "the game's names, at most eight"}

// seats are the series of each seat of the game.
type seats struct {
	points, low, high, anchor *prometheus.GaugeVec
	outcomes                  *prometheus.CounterVec

	won, tied, lost []prometheus.Counter // by seat
}

// Seats makes the series of the seats with the given names, at zero. It must be called
// before Points, Anchor and Outcome.
func (m *Metrics) Seats(names []string) {
	s := &m.seats
	s.won, s.tied, s.lost = nil, nil, nil
	for _, name := range names {
		for _, v := range []*prometheus.GaugeVec{s.points, s.low, s.high, s.anchor} {
			v.WithLabelValues(name).Set(0)
		}
		s.won = append(s.won, s.outcomes.WithLabelValues(name, "won"))
		s.tied = append(s.tied, s.outcomes.WithLabelValues(name, "tied"))
		s.lost = append(s.lost, s.outcomes.WithLabelValues(name, "lost"))
	}
}

// Points sets the mean score in a seat and its interval, whose half-width half may be
// infinite.
func (m *Metrics) Points(seat string, mean, half float64) {
	m.seats.points.WithLabelValues(seat).Set(mean)
	m.seats.low.WithLabelValues(seat).Set(mean - half)
	m.seats.high.WithLabelValues(seat).Set(mean + half)
}

// Anchor sets the mean score of UCT in a seat.
func (m *Metrics) Anchor(seat string, mean float64) {
	m.seats.anchor.WithLabelValues(seat).Set(mean)
}

// Outcome records the result of a self-play game, given the utility of each seat: the
// seat with the greatest utility has won; if there are several, they have tied.
func (m *Metrics) Outcome(utilities []float32) {
	top := float32(math.Inf(-1))
	if len(utilities) > 0 {
		top = slices.Max(utilities)
	}
	best := 0
	for _, u := range utilities {
		if u == top {
			best++
		}
	}
	for seat, u := range utilities {
		switch {
		case u != top:
			m.seats.lost[seat].Inc()
		case best > 1:
			m.seats.tied[seat].Inc()
		default:
			m.seats.won[seat].Inc()
		}
	}
}

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
