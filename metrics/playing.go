package metrics

import "github.com/prometheus/client_golang/prometheus"

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
