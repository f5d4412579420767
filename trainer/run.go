package trainer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tengen/checkpoints"
	"tengen/metrics"
	"tengen/nn"
	"tengen/replay"
)

// Options say where and how a run is made.
type Options struct {
	Plan    *Plan
	Folder  Folder
	Resume  bool             // go on with the run in Folder
	Monitor *Monitor         // required
	Metrics *metrics.Metrics // required
	Log     *slog.Logger     // required
	Now     func() time.Time // required
}

// State is what a checkpoint keeps of a run beside weights and solver.
type State struct {
	Iteration int     `json:"iteration"` // finished
	Games     int     `json:"games"`     // played in them
	Elapsed   float64 `json:"elapsed"`   // seconds, over all sittings
	Kernels   string  `json:"kernels"`   // of the last sitting: others differ in the last bits
}

// run is one sitting of a run.
type run struct {
	plan    *Plan
	folder  Folder
	monitor *Monitor
	metrics *metrics.Metrics
	log     *slog.Logger
	now     func() time.Time

	learner *learner
	events  *events
	state   State
	pending []*replay.Game // games of the next iteration that an earlier sitting played
	pace    pace
	leave   func()    // ends the present stage
	base    []float64 // UCT's points in all seats, once measured
	counted uint64    // training steps that the metrics know of
	begun   time.Time
	before  float64 // seconds of earlier sittings
}

// Run trains until all iterations are done, or ctx ends. In the second case it
// finishes the step that it is in, keeps all finished games and the last
// checkpoint, and returns the context's error: a later Run with Resume goes
// on as if nothing had happened.
func Run(ctx context.Context, o Options) (err error) {
	r := &run{plan: o.Plan, folder: o.Folder, monitor: o.Monitor, metrics: o.Metrics, log: o.Log, now: o.Now, begun: o.Now()}
	if err := r.open(o.Resume); err != nil {
		return err
	}
	defer func() {
		r.enter("", 0)
		r.learner.close()
		r.logEvent(Event{Event: "stop", Message: stopMessage(err)})
		err = errors.Join(err, r.events.close())
	}()
	r.monitor.Counters.OnBatch = r.metrics.Batch
	r.monitor.Counters.OnLookups = r.metrics.Lookups
	r.monitor.Counters.OnSearch = r.metrics.Search
	iterations := r.plan.Config.Training.Iterations
	r.metrics.Iterations.Set(float64(iterations))
	r.monitor.update(func(s *Status) { s.Iteration, s.Iterations = r.state.Iteration, iterations })
	weights := r.learner.weights()
	if r.state.Iteration == 0 && r.plan.Config.Evaluation.Every > 0 {
		// What random weights are worth: where the curve of learning begins.
		if err := r.measure(ctx, weights); err != nil {
			return err
		}
	}
	for r.state.Iteration < iterations && !r.timeUp() {
		if weights, err = r.iterate(ctx, weights); err != nil {
			return err
		}
	}
	r.enter("", 0)
	r.draw()
	return nil
}

// Finished is the message of the event with which a complete run stops.
const Finished = "the run is complete"

func stopMessage(err error) string {
	if err == nil {
		return Finished
	}
	return err.Error()
}

// open begins the run or takes it up.
func (r *run) open(resume bool) error {
	if !resume {
		if err := r.folder.create(r.plan.Config); err != nil {
			return err
		}
	}
	params := r.plan.NewParams()
	var saved *checkpoints.Checkpoint
	if resume {
		var passedOver []error
		var err error
		saved, passedOver, err = checkpoints.Latest(r.folder.Checkpoints())
		for _, e := range passedOver {
			r.log.Warn("a damaged checkpoint is passed over", "reason", e)
		}
		switch {
		case errors.Is(err, checkpoints.ErrNone):
			r.log.Info("no checkpoint yet: the run begins from its first weights")
		case err != nil:
			return err
		default:
			params = saved.Params
		}
	}
	var err error
	if r.learner, err = newLearner(r.plan, params); err != nil {
		return err
	}
	r.learner.onStep = func(done, all int) {
		r.monitor.update(func(s *Status) { s.Done, s.All = done, all })
	}
	if saved != nil {
		if err := r.restore(saved); err != nil {
			r.learner.close()
			return err
		}
	}
	if r.events, err = openEvents(r.folder.Events(), r.now); err != nil {
		r.learner.close()
		return err
	}
	name := "start"
	if resume {
		name = "resume"
	}
	r.logEvent(Event{Event: name, Iteration: r.state.Iteration})
	return nil
}

// iterate does one iteration and returns the weights that it leaves.
func (r *run) iterate(ctx context.Context, weights *nn.Weights) (*nn.Weights, error) {
	iteration := r.state.Iteration
	c := r.plan.Config
	began := r.now()
	remembered := lookupsOf(&r.monitor.Counters)
	searched := searchesOf(&r.monitor.Counters)
	games, err := r.selfPlay(ctx, iteration, weights)
	if err != nil {
		return nil, err
	}
	played := r.now()
	r.enter(metrics.Replay, len(games))
	for _, g := range games {
		if err := r.learner.window.Add(g); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", iteration, err)
		}
	}

	r.enter(metrics.Update, 0)
	u := update{iteration: iteration, progress: r.progressAt, passes: c.Training.Passes, maxSteps: c.Training.MaxSteps}
	if iteration == 0 && c.WarmStart.InitialPasses > 0 {
		u.passes, u.maxSteps = c.WarmStart.InitialPasses, 0
	}
	got := r.learner.do(u)
	if got.err != nil {
		return nil, got.err
	}

	r.state.Iteration++
	r.state.Games += len(games)
	p := r.progress(iteration, games, got)
	p.CacheHits = lookupsOf(&r.monitor.Counters).since(remembered).rate()
	made := searchesOf(&r.monitor.Counters).since(searched)
	p.Resolved = made.rate()
	if made.capped > 0 {
		r.warn(fmt.Sprintf("descent.max_nodes cut %d of %d searches short: their trees had no room left", made.capped, made.all), iteration+1)
	}
	p.PlaySeconds = played.Sub(began).Seconds()
	p.Seconds = r.now().Sub(played).Seconds()
	if err := r.checkpoint(); err != nil {
		return nil, err
	}
	r.observe(p)
	r.logEvent(Event{Event: "iteration", Iteration: r.state.Iteration, Progress: p})
	r.log.Info("iteration", logIteration(r.state.Iteration, c.Training.Iterations, p)...)

	last := r.state.Iteration == c.Training.Iterations || r.timeUp()
	if every := c.Evaluation.Every; every > 0 && (r.state.Iteration%every == 0 || last) {
		if err := r.measure(ctx, got.weights); err != nil {
			return nil, err
		}
	}
	r.monitor.update(func(s *Status) {
		s.Iteration = r.state.Iteration
		s.Left = r.left(iteration)
	})
	if ctx.Err() != nil && !last {
		return nil, ctx.Err()
	}
	return got.weights, nil
}

// measure plays the network against UCT and tells what came of it. A match
// that ctx ends is no error: it is not part of the run.
func (r *run) measure(ctx context.Context, w *nn.Weights) error {
	if ctx.Err() != nil {
		return nil
	}
	r.enter(metrics.Evaluation, 0)
	s, err := r.evaluate(ctx, r.state.Iteration, w)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	}
	r.monitor.update(func(m *Status) { m.Strength = s })
	r.logEvent(Event{Event: "evaluation", Iteration: r.state.Iteration, Strength: s})
	r.log.Info("evaluation", logStrength(r.state.Iteration, s)...)
	r.draw()
	return nil
}

// limit is how long the run may take; 0: as long as its iterations do.
func (r *run) limit() time.Duration {
	return time.Duration(r.plan.Config.Training.Minutes * float64(time.Minute))
}

func (r *run) timeUp() bool { return r.limit() > 0 && r.elapsed() >= r.limit() }

// progressAt is the share of the run, 0 to 1, that is over after so many
// iterations (with fractions), or by now where its time is limited.
func (r *run) progressAt(iterations float64) float64 {
	if limit := r.limit(); limit > 0 {
		return min(1, r.elapsed().Seconds()/limit.Seconds())
	}
	return iterations / float64(r.plan.Config.Training.Iterations)
}

// clock is an iteration and the number of iterations of the run, as schedules
// that count iterations see them: where time is limited, both stand for shares of it.
func (r *run) clock(iteration int) (at, of int) {
	if r.limit() > 0 {
		const parts = 10_000
		return int(parts * r.progressAt(0)), parts
	}
	return iteration, r.plan.Config.Training.Iterations
}

// warn tells of something that a person may want to change.
func (r *run) warn(message string, iteration int) {
	r.log.Warn(message, "iteration", iteration)
	r.logEvent(Event{Event: "warning", Iteration: iteration, Message: message})
}

// draw draws the run so far. That it can't be drawn is told, and does not end
// the run.
func (r *run) draw() {
	if err := Plot(r.folder, r.plan.Game); err != nil {
		r.log.Warn("the picture of the run can't be drawn", "reason", err)
	}
}

// left estimates the time that the other iterations will take, from the pace of this sitting.
// The first iteration, with UCT's games, says little about the others.
func (r *run) left(iteration int) time.Duration {
	left := r.pace.left(iteration, r.plan.Config.Training.Iterations, r.now())
	if limit := r.limit(); limit > 0 && (left == 0 || limit-r.elapsed() < left) {
		return max(0, limit-r.elapsed())
	}
	return left
}

// enter ends the present stage and begins another, with so much to do; "" begins none.
func (r *run) enter(s metrics.Stage, all int) {
	if r.leave != nil {
		r.leave()
		r.leave = nil
	}
	if s != "" {
		r.leave = r.metrics.Enter(s)
	}
	r.monitor.update(func(m *Status) { m.Stage, m.Done, m.All = s, 0, all })
}

// elapsed is the time that the run has taken, over all sittings.
func (r *run) elapsed() time.Duration {
	return time.Duration(r.before*float64(time.Second)) + r.now().Sub(r.begun)
}

// logEvent appends to the event log. The log is for people: that it can't be
// written is told, and does not end the run.
func (r *run) logEvent(e Event) {
	if err := r.events.write(e); err != nil {
		r.log.Warn("the event log can't be written", "reason", err)
	}
}
