package trainer

import "tengen/replay"

// countGame tells the metrics of a finished game.
func (r *run) countGame(g *replay.Game) {
	m := r.metrics
	m.GamesFinished.Inc()
	m.GamePlies.Observe(float64(len(g.Moves)))
	for _, move := range g.Moves {
		if len(move.Value) > 0 {
			m.Positions.Inc()
		}
	}
	for _, seat := range g.Seats {
		if seat.Kind == replay.UCT {
			m.UCTSeats.Inc()
		} else {
			m.NetworkSeats.Inc()
		}
	}
}

// observe tells the metrics and the monitor of a finished iteration.
func (r *run) observe(p *Progress) {
	m := r.metrics
	m.Iteration.Set(float64(r.state.Iteration))
	m.Steps.Add(float64(p.Steps - r.counted))
	r.counted = p.Steps
	m.Training.Set(p.Losses.Policy, p.Losses.Value, p.Losses.Total)
	if p.HeldOut != nil {
		m.HeldOut.Set(p.HeldOut.Policy, p.HeldOut.Value, p.HeldOut.Total)
	}
	m.LearningRate.Set(p.Losses.LearningRate)
	m.ReplayGames.Set(float64(p.Window))
	m.ReplayPositions.Set(float64(p.Positions))
	r.monitor.update(func(s *Status) { s.Last = p })
}
