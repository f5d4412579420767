package metrics

func (m *Metrics) makeStrength(b *builder) {
	b.section = strength
	m.Rating = Rating{
		b.gauge("rating_elo", "Rating of the last network evaluated, in Elo over UCT; 0 before the first."),
		b.gauge("rating_low_elo", "Lower bound of the rating's 95 % interval; -Inf if there is none."),
		b.gauge("rating_high_elo", "Upper bound of the rating's 95 % interval; +Inf if there is none."),
	}
	m.seats.points = b.gauges("evaluation_points", "Mean score of the last network evaluated, in each seat against UCT in all others.", seatLabel)
	m.seats.low = b.gauges("evaluation_points_low", "Lower bound of the points' 95 % interval; -Inf if there is none.", seatLabel)
	m.seats.high = b.gauges("evaluation_points_high", "Upper bound of the points' 95 % interval; +Inf if there is none.", seatLabel)
	m.seats.anchor = b.gauges("evaluation_anchor_points", "Mean score of UCT in each seat against UCT in all others.", seatLabel)
	m.EvaluationIteration = b.gauge("evaluation_iteration", "Iteration of the last network evaluated.")
	m.EvaluationGames = b.counter("evaluation_games_total", "Games played to measure strength.")
	m.SkippedEvaluations = b.counter("evaluation_skipped_total", "Evaluations skipped because the previous one was still in progress.")
	m.GateGames = b.counter("gate_games_total", "Games played to decide which network self-play uses.")
	decisions := b.counters("gate_decisions_total", "Networks that passed the gate or did not.", Label{"verdict", "accepted, rejected"})
	m.Accepted, m.Rejected = decisions.WithLabelValues("accepted"), decisions.WithLabelValues("rejected")
	m.GateDifference = b.gauge("gate_difference", "The new network's mean utility minus the best one's at the last gate, -1 to 1.")
	m.GateLow = b.gauge("gate_difference_low", "Lower bound of that difference; the new network is accepted if it is above 0. -Inf if there is none.")
	m.BestIteration = b.gauge("best_iteration", "Iteration of the network of self-play with a gate; 0 without one.")
}
