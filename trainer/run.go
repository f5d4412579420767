package trainer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/metrics"
	"tengen/nn"
	"tengen/replay"
	"tengen/run"
	"tengen/run/plot"
	"tengen/vfs"
)

// Options say where and how a run is made.
type Options struct {
	Plan    *Plan
	Folder  run.Folder
	Resume  bool             // go on with the run in Folder
	Monitor *Monitor         // required
	Metrics *metrics.Metrics // required
	Log     *slog.Logger     // required
	Now     func() time.Time // required; safe for concurrent use
	Command string           // what this process is, for others that want the run
	FS      vfs.FS           // where Folder is; nil: the operating system's
	// Init is what a new run begins from; nil: weights drawn from the seed.
	Init *Init
	// Changes are what Plan's configuration changes of the one that the run has in
	// its folder, for a run that is resumed.
	Changes []configs.Change
	// Sleep waits before a full disk is tried again, or until its context ends, and
	// then returns an error; nil: by the real clock.
	Sleep func(context.Context, time.Duration) error
}

// State is what a checkpoint keeps of a run beside weights and solver.
type State struct {
	Iteration int     `json:"iteration"` // finished
	Games     int     `json:"games"`     // played in them
	Elapsed   float64 `json:"elapsed"`   // seconds, over all sittings
	Kernels   string  `json:"kernels"`   // of the last sitting: others differ in the last bits
	// Gate is nil where there is none.
	Gate   *GateState   `json:"gate,omitempty"`
	Window *WindowState `json:"window,omitempty"`
	// Init says whose weights the run began with; "": with weights drawn from its seed.
	Init string `json:"init,omitempty"`
	// Dropped is the number of updates that were dropped for numbers that are
	// not finite, DroppedNow of those since the last one that was not.
	Dropped    int `json:"dropped,omitempty"`
	DroppedNow int `json:"dropped_now,omitempty"`
}

// run is one sitting of a run.
type runner struct {
	plan    *Plan
	folder  run.Files
	monitor *Monitor
	metrics *metrics.Metrics
	log     *slog.Logger
	now     func() time.Time // steady

	patience    *patience
	waited      atomic.Int64 // nanoseconds for room on the disk, in this sitting
	learner     *learner
	events      *run.EventLog
	evaluations *evaluations
	best        network // with a gate: what games are played with
	state       State
	pending     []*replay.Game // games of the next iteration that an earlier sitting played
	pace        pace
	leave       func() // ends the present stage
	begun       time.Time
	before      float64 // seconds of earlier sittings
}

func newRun(o *Options) *runner {
	r := &runner{plan: o.Plan, folder: o.Folder.On(o.FS), monitor: o.Monitor, metrics: o.Metrics, log: o.Log, now: steady(o.Now)}
	r.begun = r.now()
	r.patience = &patience{monitor: r.monitor, metrics: r.metrics, log: r.log, sleep: o.Sleep, now: r.now, warn: func(message string) {
		r.logEvent(run.Event{Kind: run.EventWarning, Iteration: r.monitor.Status().Iteration, Message: message})
	}}
	if o.Sleep == nil {
		r.patience.sleep = sleep
	}
	return r
}

// Run trains until all iterations are done, or ctx ends. In the second case it
// finishes the step that it is in, keeps all finished games and the last
// checkpoint, and returns the context's error: a later Run with Resume goes
// on as if nothing had happened.
func Run(ctx context.Context, o Options) (err error) {
	r := newRun(&o)
	if !o.Resume {
		// Before anything is put into the folder.
		if err := r.folder.Vacant(); err != nil {
			return err
		}
	}
	lock, err := r.folder.Lock(o.Command)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := r.open(ctx, &o); err != nil {
		return err
	}
	defer func() {
		r.evaluations.close()
		r.enter("", 0)
		r.learner.close()
		r.logEvent(run.Event{Kind: run.EventStop, Message: stopMessage(err)})
		if e := r.events.Close(); e != nil {
			r.log.Warn("the event log is not complete", "reason", e)
		}
	}()
	iterations := r.plan.Config.Training.Iterations
	r.monitor.update(func(s *run.Status) { s.Iteration, s.Iterations = r.state.Iteration, iterations })
	r.beginObserving()
	weights, err := r.learner.weights()
	if err != nil {
		return err
	}
	if err := r.restoreBest(weights); err != nil {
		return err
	}
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

func stopMessage(err error) string {
	if err == nil {
		return run.Finished
	}
	return err.Error()
}

// iterate does one iteration: games with weights, or the gate's best, and an
// update. It returns the weights that the update leaves.
func (r *runner) iterate(ctx context.Context, weights nn.Network) (nn.Network, error) {
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
	r.metrics.WaitedForGames.Add(played.Sub(began).Seconds())
	r.enter(run.StageReplay, len(games))
	entered := r.learner.window.Added(false)
	for _, g := range games {
		if err := r.learner.window.Add(g); err != nil {
			return nil, fmt.Errorf("iteration %d: %w", iteration, err)
		}
	}
	entered = r.learner.window.Added(false) - entered
	r.metrics.NewPositions.Add(float64(entered))

	r.enter(run.StageUpdate, 0)
	u := update{iteration: iteration, progress: r.progressAt, passes: c.Training.Epochs, maxSteps: c.Training.MaxSteps}
	if iteration == 0 && c.WarmStart.InitialEpochs > 0 {
		u.passes, u.maxSteps = c.WarmStart.InitialEpochs, 0
	}
	got := r.learner.do(u)
	if got.err != nil {
		return nil, got.err
	}
	r.metrics.Reused(got.samples, entered)
	if err := r.countDropped(got.dropped); err != nil {
		return nil, err
	}

	updated := r.now()
	candidate := network{iteration + 1, got.weights}
	var verdict *run.GateResult
	if r.state.Gate != nil && got.dropped == nil {
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
	if made.full > 0 {
		r.warn(fmt.Sprintf("descent.max_nodes cut %d of %d searches short: their trees had no room left", made.full, made.all), iteration+1)
	}
	p.PlaySeconds = played.Sub(began).Seconds()
	p.Seconds = updated.Sub(played).Seconds()
	if err := r.checkpoint(ctx); err != nil {
		return nil, err
	}
	if got.dropped == nil {
		r.observe(p)
	} else {
		r.observeState()
	}
	r.logEvent(run.Event{Kind: run.EventIteration, Iteration: r.state.Iteration, Progress: p})
	r.log.Info("iteration", logIteration(r.state.Iteration, c.Training.Iterations, p)...)
	if verdict != nil {
		r.tellGate(verdict)
	}
	r.monitor.update(func(s *run.Status) {
		s.Iteration = r.state.Iteration
		s.Left = r.left(iteration)
	})
	return got.weights, nil
}

// limit is how long the run may take; 0: as long as its iterations do.
func (r *runner) limit() time.Duration {
	return time.Duration(r.plan.Config.Training.Minutes * float64(time.Minute))
}

func (r *runner) timeUp() bool { return r.limit() > 0 && r.elapsed() >= r.limit() }

// progressAt is the share of the run, 0 to 1, that is over after so many
// iterations (with fractions), or by now where its time is limited.
func (r *runner) progressAt(iterations float64) float64 {
	if limit := r.limit(); limit > 0 {
		return min(1, r.elapsed().Seconds()/limit.Seconds())
	}
	return iterations / float64(r.plan.Config.Training.Iterations)
}

// clock is an iteration and the number of iterations of the run, as schedules
// that count iterations see them: where time is limited, both stand for shares of it.
func (r *runner) clock(iteration int) (at, of int) {
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
func (r *runner) warn(message string, iteration int) {
	r.log.Warn(message, "iteration", iteration)
	r.logEvent(run.Event{Kind: run.EventWarning, Iteration: iteration, Message: message})
}

// draw draws the run so far. That it can't be drawn is told, and does not end
// the run.
func (r *runner) draw() {
	if err := plot.Learning(r.folder, r.plan.Game); err != nil {
		r.metrics.WriteFailures.Inc()
		r.log.Warn("the picture of the run can't be drawn", "reason", err)
	}
}

// left estimates the time that the other iterations will take, from the pace of this sitting.
// The first iteration, with UCT's games, says little about the others.
func (r *runner) left(iteration int) time.Duration {
	left := r.pace.left(iteration, r.plan.Config.Training.Iterations, r.now())
	if limit := r.limit(); limit > 0 && (left == 0 || limit-r.elapsed() < left) {
		return max(0, limit-r.elapsed())
	}
	return left
}

// enter ends the present stage and begins another, with so much to do; "" begins none.
func (r *runner) enter(s run.Stage, all int) {
	if r.leave != nil {
		r.leave()
		r.leave = nil
	}
	if s != "" {
		r.leave = r.metrics.Enter(s)
	}
	r.monitor.update(func(m *run.Status) { m.Stage, m.Done, m.All = s, 0, all })
}

// elapsed is the time that the run has taken, over all sittings, but for the time
// that it waited for room on the disk.
func (r *runner) elapsed() time.Duration {
	return time.Duration(r.before*float64(time.Second)) + r.now().Sub(r.begun) - time.Duration(r.waited.Load())
}

// logEvent appends to the event log. The log is for people: that it can't be
// written is told, and does not end the run.
func (r *runner) logEvent(e run.Event) {
	if r.events == nil {
		return // the run is being made
	}
	news, err := r.events.Write(e)
	if err == nil {
		return
	}
	r.metrics.WriteFailures.Inc()
	if news {
		r.log.Warn("the event log can't be written", "reason", err)
	}
}
