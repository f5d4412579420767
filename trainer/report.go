package trainer

import (
	"fmt"
	"math"
	"slices"
	"time"

	"tengen/game"
	"tengen/metrics"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/replay/record"
	"tengen/run"
	"tengen/selfplay"
	"tengen/vfs"
)

// report tells of an iteration in the log, the metrics and the monitor.
func (r *runner) report(x *iteration) {
	for _, e := range r.state.Events {
		if e.Kind == run.EventWarning {
			r.log.Warn(e.Message, "iteration", r.state.Iteration)
		}
		r.logEvent(e)
	}
	if x.Dropped == nil {
		r.observe(x.progress)
	} else {
		r.observeState()
	}
	r.log.Info("iteration",
		logIteration(r.state.Iteration, r.plan.Config.Training.Iterations, x.progress)...)
	r.noteShare()
	r.monitor.expect(r.left(), r.now)
}

// progress summarizes an iteration, whose update ended at the given time.
func (r *runner) progress(
	epsilon float64, x *iteration, trained time.Time,
) *run.Progress {
	games := x.games
	p := &run.Progress{
		Epsilon: epsilon, Asked: r.state.Evaluations,
		Games: r.state.Games, Window: r.updater.Window.Len(),
		Positions:   r.updater.Window.Positions(false),
		Evaluations: r.monitor.Counters.Evaluations.Load(),
		Scores:      make([]float64, r.plan.Game.Players()),
		Steps:       uint64(r.updater.Trainer.Steps()),
		Losses:      x.Losses, HeldOut: x.HeldOut, Elapsed: r.elapsed().Seconds(),
	}
	if x.Dropped != nil {
		p.Dropped = x.Dropped.Error()
	}
	ended := 0 // by the rules: the others have no scores
	for _, g := range games {
		if !g.Resigned {
			ended++
		}
	}
	for _, g := range games {
		p.Plies += float64(len(g.Moves)) / float64(len(games))
		p.States += float64(states(g)) / float64(len(games))
		for i, s := range g.Scores {
			p.Scores[i] += float64(s) / float64(max(1, ended))
		}
	}
	p.CacheHits = lookupsOf(&r.monitor.Counters).since(x.lookups).rate()
	p.Resolved = searchesOf(&r.monitor.Counters).since(x.searches).rate()
	p.PlaySeconds = x.played.Seconds()
	p.Seconds = trained.Sub(x.began).Seconds() - p.PlaySeconds
	if r.source.lag > 0 {
		p.Lag = x.lag.mean()
		p.Reuse = float64(x.Samples) / max(1, float64(x.entered))
		p.SelfPlayWaited = r.source.idled().Seconds()
	}
	return p
}

// lookups counts the lookups in self-play's cache and the hits among them.
type lookups struct{ all, hits uint64 }

func lookupsOf(c *selfplay.Counters) lookups {
	// Hits first: a hit is counted after its lookup.
	hits := c.CacheHits.Load()
	return lookups{c.Lookups.Load(), hits}
}

func (l lookups) since(before lookups) lookups {
	return lookups{l.all - before.all, l.hits - before.hits}
}

// rate returns the share of hits, nil without lookups.
func (l lookups) rate() *float64 {
	if l.all == 0 {
		return nil
	}
	r := float64(l.hits) / float64(l.all)
	return &r
}

// searches are the decisions of network seats, and those of them whose search
// resolved its root, or was cut short for want of room.
type searches struct{ all, resolved, full uint64 }

func searchesOf(c *selfplay.Counters) searches {
	resolved, full := c.Resolved.Load(), c.Full.Load()
	return searches{c.Decisions.Load(), resolved, full}
}

func (s searches) since(before searches) searches {
	return searches{s.all - before.all, s.resolved - before.resolved, s.full - before.full}
}

func (s searches) rate() float64 { return float64(s.resolved) / float64(max(1, s.all)) }

// eventsOf returns the events that report the iteration that has just ended. overfits is a warning,
// "" if there is none.
func (r *runner) eventsOf(p *run.Progress, overfits string) []run.Event {
	at, now := r.state.Iteration, r.now().UTC()
	var events []run.Event
	if overfits != "" {
		events = append(events, run.Event{
			Time: now, Kind: run.EventWarning, Iteration: at, Message: overfits,
		})
	}
	return append(events, run.Event{
		Time: now, Kind: run.EventIteration, Iteration: at, Progress: p,
	})
}

// logMissing logs the events of the checkpoint that the event log lacks: a process that was killed
// after the checkpoint did not write them. A log that can't be read is left as it is.
func (r *runner) logMissing() {
	if len(r.state.Events) == 0 {
		return
	}
	missing := slices.Clone(r.state.Events)
	err := r.folder.LastEvents(func(logged run.Event) bool {
		missing = slices.DeleteFunc(missing, func(e run.Event) bool {
			return e.Kind == logged.Kind && e.Iteration == logged.Iteration &&
				e.Time.Equal(logged.Time)
		})
		// Before an earlier iteration's event there is none of this one.
		earlier := logged.Kind == run.EventIteration && logged.Iteration < r.state.Iteration
		return len(missing) > 0 && !earlier
	})
	if err != nil {
		r.log.Warn("events may be missing", "reason", err)
		return
	}
	for _, e := range missing {
		r.logEvent(e)
	}
}

// logIteration returns the attributes of the log line of an iteration.
func logIteration(iteration, iterations int, p *run.Progress) []any {
	list := []any{
		"iteration", fmt.Sprintf("%d/%d", iteration, iterations),
		"games", p.Games,
	}
	if p.Asked > 0 {
		list = append(list, "evaluations", p.Asked)
	}
	if p.Dropped != "" {
		list = append(list, "update", "dropped")
	} else {
		list = append(list, logLosses("", &p.Losses)...)
	}
	if p.HeldOut != nil {
		list = append(list, logLosses("held_out_", p.HeldOut)...)
	}
	if p.States > 0 {
		list = append(list, "states_a_game", math.Round(p.States), "resolved_roots",
			fmt.Sprintf("%.0f %%", 100*p.Resolved))
	}
	if p.CacheHits != nil {
		list = append(list, "cache_hits", fmt.Sprintf("%.0f %%", 100**p.CacheHits))
	}
	if p.Reuse > 0 {
		list = append(list, "lag_steps", math.Round(p.Lag), "reuse",
			round(p.Reuse), "selfplay_waited", seconds(p.SelfPlayWaited))
	}
	list = append(list, logResignation(p.Resignation)...)
	return append(list, "plies", round(p.Plies), "epsilon", round(p.Epsilon),
		"selfplay", seconds(p.PlaySeconds), "update", seconds(p.Seconds), "elapsed",
		seconds(p.Elapsed))
}

// logLosses returns losses as attributes of a log line. Without a policy there is only the
// value's loss.
func logLosses(prefix string, l *nn.Losses) []any {
	if l.Policy == 0 {
		return []any{prefix + "value", fine(l.Value)}
	}
	list := []any{prefix + "policy", round(l.Policy), prefix + "value", round(l.Value)}
	if prefix == "" {
		list = append([]any{"loss", round(l.Total)}, list...)
	}
	return list
}

// fine rounds to four significant digits, for squared errors, which are small.
func fine(x float64) string { return fmt.Sprintf("%.4g", x) }

func round(x float64) float64 { return math.Round(x*1000) / 1000 }

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(100 * time.Millisecond)
}

// noteSpeed takes what an iteration tells of the speed of the run, and of what has held it up.
func (r *runner) noteSpeed(x *iteration) {
	p := x.progress
	if made := searchesOf(&r.monitor.Counters).since(x.searches); made.full > 0 {
		r.warn(fmt.Sprintf(
			"descent.max_nodes cut %d of %d searches short: their trees had no room left",
			made.full, made.all), r.state.Iteration)
	}
	r.evaluations.Played(len(x.games), x.waited)
	r.rates.note(len(x.games), p.PlaySeconds, x.Steps, p.Seconds)
	r.metrics.Reused(x.Samples, x.entered)
	if r.source.lag > 0 {
		r.metrics.Lag.Set(p.Lag)
		r.metrics.WaitedForTraining.Add(p.SelfPlayWaited)
	}
}

// observeStart records the state of the run and connects the counters of self-play to the
// metrics.
func (r *runner) observeStart() {
	m, counters := r.metrics, &r.monitor.Counters
	m.Describe(r.plan.Game.Name(), string(r.plan.Config.Algorithm), r.plan.device().Kernels())
	m.Devices(r.plan.readings)
	folder := r.folder
	m.ReplayBytes(func() float64 { return folderBytes(folder.FS, folder.Replay()) })
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

// observePast records the losses of the last iteration and the last evaluation of earlier
// processes, so that the curves of a resumed run have no gap.
func (r *runner) observePast() {
	for _, e := range r.state.Events {
		if e.Progress != nil {
			observeProgress(r.metrics, e.Progress)
		}
	}
	r.evaluations.ObservePast()
}

// observeState records the state of the run.
func (r *runner) observeState() {
	m := r.metrics
	m.Iteration.Set(float64(r.state.Iteration))
	m.Iterations.Set(float64(r.plan.Config.Training.Iterations))
	m.NewestStep.Set(float64(r.updater.Trainer.Steps()))
	m.ReplayGames.Set(float64(r.updater.Window.Len()))
	m.ReplayPositions.Set(float64(r.updater.Window.Positions(false)))
}

// observeStep records a training step and the time that it waited for its batch.
func (r *runner) observeStep(waited time.Duration) {
	r.metrics.Step(r.plan.Train.Batch)
	r.metrics.NewestStep.Set(float64(r.updater.Trainer.Steps()))
	r.metrics.WaitedForBatches.Add(waited.Seconds())
}

// observe records a finished iteration in the metrics and the monitor.
func (r *runner) observe(p *run.Progress) {
	r.observeState()
	observeProgress(r.metrics, p)
	r.monitor.update(func(s *run.Status) { s.Last = p })
}

// readings returns the measurements of the devices.
func (p *Plan) readings() []metrics.Device {
	var list []metrics.Device
	for _, x := range backend.Readings(p.device()) {
		list = append(list, metrics.Device(x))
	}
	return list
}

// folderBytes returns the size of the files in a folder, NaN if it can't be read.
func folderBytes(fsys vfs.FS, path string) float64 {
	entries, err := fsys.ReadDir(path)
	if err != nil {
		return math.NaN()
	}
	n := int64(0)
	for _, e := range entries {
		if info, err := e.Info(); err == nil { // else the file was removed
			n += info.Size()
		}
	}
	return float64(n)
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
