package trainer

import (
	"time"

	"tengen/metrics"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/replay"
	"tengen/run"
	"tengen/selfplay"
	"tengen/vfs"
)

// beginObserving has the metrics follow the run, once it is known where it stands.
func (r *runner) beginObserving() {
	m, counters := r.metrics, &r.monitor.Counters
	m.Describe(r.plan.Game.Name(), string(r.plan.Config.Algorithm), r.plan.device().Kernels())
	m.Devices(r.plan.readings)
	m.Seats(seatNames(r.plan.Game))
	m.Iterations.Set(float64(r.plan.Config.Training.Iterations))
	r.observeState()
	if r.state.Iteration > 0 {
		r.observePast()
	}

	counters.OnBatch = m.Batch
	counters.OnLookups = m.Lookups
	counters.OnSearch = func(s selfplay.SearchStats) { m.Searched(metrics.SearchStats(s)) }
	counters.OnSimulations = m.Simulated
	counters.OnBegin, counters.OnEnd = m.Begun, m.Ended
}

// readings are what the devices say of themselves.
func (p *Plan) readings() []metrics.Device {
	var list []metrics.Device
	for _, x := range backend.Readings(p.device()) {
		list = append(list, metrics.Device(x))
	}
	return list
}

// observePast tells the metrics what earlier sittings found last, so that the
// curves of a run that goes on have no hole. Where that can't be read they begin at zero.
func (r *runner) observePast() {
	history, _ := r.folder.History() // told of where it matters
	var learned *run.Progress
	var measured *run.Event
	for i := range history {
		if p := history[i].Progress; p != nil {
			learned = p
		}
		if history[i].Strength != nil {
			measured = &history[i]
		}
	}
	if learned != nil {
		r.observeProgress(learned)
	}
	if measured != nil {
		observeStrength(r.metrics, seatNames(r.plan.Game), measured.Iteration, measured.Strength)
	}
}

// observeStrength tells the metrics what an evaluation found; the seats are those
// of its points.
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

// observeState tells the metrics where the run stands.
func (r *runner) observeState() {
	m := r.metrics
	m.Iteration.Set(float64(r.state.Iteration))
	m.NewestStep.Set(float64(r.learner.trainer.Steps()))
	m.ReplayGames.Set(float64(r.learner.window.Len()))
	m.ReplayPositions.Set(float64(r.learner.window.Positions(false)))
	if n, err := folderBytes(r.folder.FS, r.folder.Replay()); err == nil {
		m.ReplayBytes.Set(float64(n))
	}
}

// folderBytes is the size of a folder's files.
func folderBytes(fsys vfs.FS, path string) (n int64, err error) {
	entries, err := fsys.ReadDir(path)
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else it is gone by now
			n += info.Size()
		}
	}
	return n, err
}

// observeStep tells the metrics of a training step, and how long its batch was waited for.
func (r *runner) observeStep(waited time.Duration) {
	r.metrics.Step(r.plan.Train.Batch)
	r.metrics.WaitedForBatches.Add(waited.Seconds())
}

// countGame tells the metrics of a finished game.
func (r *runner) countGame(g *replay.Game) {
	m := r.metrics
	m.GamesFinished.Inc()
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
func (r *runner) observe(p *run.Progress) {
	r.observeState()
	r.observeProgress(p)
	r.monitor.update(func(s *run.Status) { s.Last = p })
}

// observeProgress tells the metrics what an iteration learned.
func (r *runner) observeProgress(p *run.Progress) {
	m := r.metrics
	if p.Losses != (nn.Losses{}) { // else the update was dropped
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
	m.Total.Set(l.Total)
	m.PolicyAccuracy.Set(l.PolicyAccuracy)
	m.PolicyEntropy.Set(l.PolicyEntropy)
	m.TargetEntropy.Set(l.TargetEntropy)
	m.Calibration.Set(l.ValueCalibration)
}
