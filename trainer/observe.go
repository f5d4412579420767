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
	if len(g.Trees) > 0 {
		m.GameStates.Observe(float64(states(g)))
	}
	for _, seat := range g.Seats {
		if seat.Kind == replay.UCT {
			m.UCTSeats.Inc()
		} else {
			m.NetworkSeats.Inc()
		}
	}
}

// states is the number of states of a game's search trees.
func states(g *replay.Game) int {
	n := 0
	for _, t := range g.Trees {
		n += len(t.Depths)
	}
	return n
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
