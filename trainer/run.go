package trainer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"tengen/checkpoints"
	"tengen/game"
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
	Now     func() time.Time // required; safe for concurrent use
	Command string           // what this process is, for others that want the run
}

// State is what a checkpoint keeps of a run beside weights and solver.
type State struct {
	Iteration int     `json:"iteration"` // finished
	Games     int     `json:"games"`     // played in them
	Elapsed   float64 `json:"elapsed"`   // seconds, over all sittings
	Kernels   string  `json:"kernels"`   // of the last sitting: others differ in the last bits
	// Gate is nil where there is none.
	Gate *GateState `json:"gate,omitempty"`
}

// run is one sitting of a run.
type run struct {
	plan    *Plan
	folder  Folder
	monitor *Monitor
	metrics *metrics.Metrics
	log     *slog.Logger
	now     func() time.Time

	learner     *learner
	events      *events
	evaluations *evaluations
	best        network // with a gate: what games are played with
	state       State
	pending     []*replay.Game // games of the next iteration that an earlier sitting played
	pace        pace
	leave       func() // ends the present stage
	counted     uint64 // training steps that the metrics know of
	begun       time.Time
	before      float64 // seconds of earlier sittings
}

// Run trains until all iterations are done, or ctx ends. In the second case it
// finishes the step that it is in, keeps all finished games and the last
// checkpoint, and returns the context's error: a later Run with Resume goes
// on as if nothing had happened.
func Run(ctx context.Context, o Options) (err error) {
	r := &run{plan: o.Plan, folder: o.Folder, monitor: o.Monitor, metrics: o.Metrics, log: o.Log, now: o.Now, begun: o.Now()}
	if !o.Resume {
		// Before anything is put into the folder.
		if err := r.folder.vacant(); err != nil {
			return err
		}
	}
	lock, err := r.folder.lock(o.Command)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := r.open(o.Resume); err != nil {
		return err
	}
	defer func() {
		r.evaluations.close()
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
	r.metrics.Seats(seatNames(r.plan.Game))
	weights := r.learner.weights()
	r.restoreBest(weights)
	every := r.plan.Config.Evaluation.Every
	if every > 0 && r.state.Iteration == 0 && ctx.Err() == nil {
		// What random weights are worth: where the curve of learning begins.
		r.evaluations.due(ctx, network{0, weights}, nil, r.enter)
	}
	for r.state.Iteration < iterations && !r.timeUp() {
		if weights, err = r.iterate(ctx, weights); err != nil {
			return err
		}
		over := r.state.Iteration == iterations || r.timeUp()
		if ctx.Err() != nil && !over {
			return ctx.Err()
		}
		if every > 0 && r.state.Iteration%every == 0 && !over {
			r.evaluations.due(ctx, network{r.state.Iteration, weights}, r.bestOf(), r.enter)
		}
	}
	if every > 0 && ctx.Err() == nil {
		r.evaluations.last(ctx, network{r.state.Iteration, weights}, r.bestOf(), r.enter)
	}
	r.evaluations.close()
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
	if r.evaluations, err = r.openEvaluations(); err != nil {
		r.learner.close()
		return errors.Join(err, r.events.close())
	}
	name := "start"
	if resume {
		name = "resume"
	}
	r.logEvent(Event{Event: name, Iteration: r.state.Iteration})
	return nil
}

// iterate does one iteration: games with weights, or the gate's best, and an
// update. It returns the weights that the update leaves.
func (r *run) iterate(ctx context.Context, weights *nn.Weights) (*nn.Weights, error) {
	if r.state.Gate != nil {
		weights = r.best.weights
	}
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

	updated := r.now()
	candidate := network{iteration + 1, got.weights}
	var verdict *GateResult
	if r.state.Gate != nil {
		if verdict, err = r.gate(ctx, candidate); err != nil {
			return nil, err
		}
		r.pass(candidate, verdict)
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
	p.Seconds = updated.Sub(played).Seconds()
	if err := r.checkpoint(); err != nil {
		return nil, err
	}
	r.observe(p)
	r.logEvent(Event{Event: "iteration", Iteration: r.state.Iteration, Progress: p})
	r.log.Info("iteration", logIteration(r.state.Iteration, c.Training.Iterations, p)...)
	if verdict != nil {
		r.tellGate(verdict)
	}
	r.monitor.update(func(s *Status) {
		s.Iteration = r.state.Iteration
		s.Left = r.left(iteration)
	})
	return got.weights, nil
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

// seatNames are the names of a game's seats.
func seatNames(g game.Game) []string {
	names := make([]string, g.Players())
	for p := range names {
		names[p] = game.SeatName(g, game.Player(p))
	}
	return names
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
