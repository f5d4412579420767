package trainer

import (
	"tengen/metrics"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/replay/record"
	"tengen/run"
	"tengen/vfs"
)

// readings returns the measurements of the devices.
func (p *Plan) readings() []metrics.Device {
	var list []metrics.Device
	for _, x := range backend.Readings(p.device()) {
		list = append(list, metrics.Device(x))
	}
	return list
}

// observeStrength records an evaluation. seats names the seats in order.
func observeStrength(m *metrics.Metrics, seats []string, iteration int, s *run.Strength) {
	m.EvaluationIteration.Set(float64(iteration))
	for i, name := range seats[:min(len(seats), len(s.Points), len(s.CI))] {
		m.Points(name, s.Points[i], float64(s.CI[i]))
	}
	for i, name := range seats[:min(len(seats), len(s.Baseline))] {
		m.Anchor(name, s.Baseline[i])
	}
	if s.Elo != nil {
		low, high := s.Elo.Bounds()
		m.Rating.Set(s.Elo.Rating, low, high)
	}
}

// folderBytes returns the size of the files in a folder.
func folderBytes(fsys vfs.FS, path string) (n int64, err error) {
	entries, err := fsys.ReadDir(path)
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else the file was removed
			n += info.Size()
		}
	}
	return n, err
}

// observeGame records a finished game.
func observeGame(m *metrics.Metrics, g *record.Game) {
	m.GamesFinished.Inc()
	if g.Resigned {
		m.GamesResigned.Inc()
	}
	m.GamePlies.Observe(float64(len(g.Moves)))
	m.Outcome(g.Returns)
	for _, move := range g.Moves {
		if len(move.Value) > 0 {
			m.Positions.Inc()
		}
	}
	if len(g.Trees) > 0 {
		m.GameStates.Observe(float64(states(g)))
	}
	for _, seat := range g.Seats {
		switch seat.Kind {
		case record.UCT:
			m.UCTSeats.Inc()
		case record.Network:
			m.NetworkSeats.Inc()
		}
	}
}

// states returns the number of states in the search trees of a game.
func states(g *record.Game) int {
	n := 0
	for _, t := range g.Trees {
		n += len(t.Depths)
	}
	return n
}

// observeProgress records the losses of an iteration.
func observeProgress(m *metrics.Metrics, p *run.Progress) {
	if p.Losses != (nn.Losses{}) { // otherwise the update was dropped
		observeLosses(&m.Training, &p.Losses)
		m.GradientNorm.Set(p.Losses.GradientNorm)
		m.WeightNorm.Set(p.Losses.WeightNorm)
		m.LearningRate.Set(p.Losses.LearningRate)
	}
	if p.HeldOut != nil {
		observeLosses(&m.HeldOut, p.HeldOut)
	}
}

func observeLosses(m *metrics.Losses, l *nn.Losses) {
	m.Policy.Set(l.Policy)
	m.Value.Set(l.Value)
	m.Cells.Set(l.Cells)
	m.Seats.Set(l.Seats)
	m.Belief.Set(l.Belief)
	m.BeliefPrior.Set(l.BeliefPrior)
	m.BeliefCalibration.Set(l.BeliefError)
	m.Total.Set(l.Total)
	m.PolicyAccuracy.Set(l.PolicyAccuracy)
	m.PolicyEntropy.Set(l.PolicyEntropy)
	m.TargetEntropy.Set(l.TargetEntropy)
	m.ValueTargetEntropy.Set(l.ValueTargetEntropy)
	m.Calibration.Set(l.ValueCalibration)
}
