package metrics

func (m *Metrics) makeStrength(b *builder) {
	b.section = strength
	m.Rating = Rating{
		b.gauge("rating_elo",
			"Rating of the last network evaluated, in Elo over UCT; 0 before the first."),
		b.gauge("rating_low_elo",
			"Lower bound of the rating's 95 % interval; -Inf if there is none."),
		b.gauge("rating_high_elo",
			"Upper bound of the rating's 95 % interval; +Inf if there is none."),
	}
	m.seats.points = b.gauges("evaluation_points",
		"Mean score of the last network evaluated, in each seat against UCT in all others.",
		seatLabel)
	m.seats.low = b.gauges("evaluation_points_low",
		"Lower bound of the points' 95 % interval; -Inf if there is none.", seatLabel)
	m.seats.high = b.gauges("evaluation_points_high",
		"Upper bound of the points' 95 % interval; +Inf if there is none.", seatLabel)
	m.seats.anchor = b.gauges("evaluation_anchor_points",
		"Mean score of UCT in each seat against UCT in all others.", seatLabel)
	m.EvaluationIteration = b.gauge("evaluation_iteration",
		"Iteration of the last network evaluated.")
	m.EvaluationGames = b.counter("evaluation_games_total", "Games played to measure strength.")
	m.SkippedEvaluations = b.counter("evaluation_skipped_total",
		"Evaluations skipped because the previous one was still in progress.")
}
