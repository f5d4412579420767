package trainer

import (
	"time"

	"tengen/game"
	"tengen/metrics"
	"tengen/run"
	"tengen/selfplay"
)

// observeStart records the state of the run and connects the counters of self-play to the
// metrics.
func (r *runner) observeStart() {
	m, counters := r.metrics, &r.monitor.Counters
	m.Describe(r.plan.Game.Name(), string(r.plan.Config.Algorithm), r.plan.device().Kernels())
	m.Devices(r.plan.readings)
	m.Seats(game.SeatNames(r.plan.Game))
	r.observeState()
	if r.state.Iteration > 0 {
		r.observePast()
	}
	ObserveSelfPlay(m, counters)
}

// ObserveSelfPlay connects the counters of self-play to the metrics.
func ObserveSelfPlay(m *metrics.Metrics, counters *selfplay.Counters) {
	counters.OnBatch = m.Batch
	counters.OnLookups = m.Lookups
	counters.OnSearch = func(s selfplay.SearchStats) { m.Searched(metrics.SearchStats(s)) }
	counters.OnSimulations = m.Simulated
	counters.OnBegin, counters.OnEnd = m.Begun, m.Ended
}

// observePast records the last losses and the last evaluation of earlier processes, so
// that the curves of a resumed run have no gap. If the event log can't be read, they begin
// at zero.
func (r *runner) observePast() {
	history, _ := r.folder.History() // reported where the log is opened
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
		observeProgress(r.metrics, learned)
	}
	if measured != nil {
		observeStrength(r.metrics, game.SeatNames(r.plan.Game), measured.Iteration,
			measured.Strength)
	}
}

// observeState records the state of the run.
func (r *runner) observeState() {
	m := r.metrics
	m.Iteration.Set(float64(r.state.Iteration))
	m.Iterations.Set(float64(r.plan.Config.Training.Iterations))
	m.NewestStep.Set(float64(r.updater.Trainer.Steps()))
	m.ReplayGames.Set(float64(r.updater.Window.Len()))
	m.ReplayPositions.Set(float64(r.updater.Window.Positions(false)))
	if n, err := folderBytes(r.folder.FS, r.folder.Replay()); err == nil {
		m.ReplayBytes.Set(float64(n))
	}
}

// observeStep records a training step and the time that it waited for its batch.
func (r *runner) observeStep(waited time.Duration) {
	r.metrics.Step(r.plan.Train.Batch)
	if r.source != nil {
		r.metrics.NewestStep.Set(float64(r.updater.Trainer.Steps()))
	}
	r.metrics.WaitedForBatches.Add(waited.Seconds())
}

// observe records a finished iteration in the metrics and the monitor.
func (r *runner) observe(p *run.Progress) {
	r.observeState()
	observeProgress(r.metrics, p)
	r.monitor.update(func(s *run.Status) { s.Last = p })
}
