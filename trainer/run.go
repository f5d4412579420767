package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sort"
	"time"

	"tengen/checkpoints"
	"tengen/metrics"
	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/train"
	"tengen/replay"
	"tengen/selfplay"
)

// gamesPerSegment is the number of games in one file of the replay.
const gamesPerSegment = 1000

// commitEvery is how long a finished game may wait until it is durable.
const commitEvery = time.Second

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
	for r.state.Iteration < iterations {
		if weights, err = r.iterate(ctx, weights); err != nil {
			return err
		}
	}
	r.enter("", 0)
	r.draw()
	return nil
}

func stopMessage(err error) string {
	if err == nil {
		return "all iterations are done"
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

// restore puts everything as it was when the checkpoint was written.
func (r *run) restore(c *checkpoints.Checkpoint) error {
	if c.Game != r.plan.Game.Name() {
		return fmt.Errorf("resume %s: its checkpoint is of %s, its configuration of %s", r.folder, c.Game, r.plan.Game.Name())
	}
	if err := json.Unmarshal(c.State, &r.state); err != nil {
		return fmt.Errorf("resume %s: the checkpoint's state: %w", r.folder, err)
	}
	if err := r.learner.trainer.SetState(train.State{Steps: int(c.Step), Tensors: c.Optimizer}); err != nil {
		return fmt.Errorf("resume %s: %w", r.folder, err)
	}
	if now := kernels.Selected().String(); r.state.Kernels != "" && r.state.Kernels != now {
		r.log.Warn("other kernels than before: the network will differ in the last bits from an uninterrupted run's",
			"before", r.state.Kernels, "now", now)
	}
	r.before, r.counted = r.state.Elapsed, c.Step
	// Games beyond the checkpoint are of the iteration that was interrupted.
	numbers := r.plan.numbers(r.state.Iteration)
	end := uint64(r.state.Games + len(numbers))
	games, err := r.load(end, r.plan.Config.Replay.Games+len(numbers))
	if err != nil {
		return err
	}
	n := sort.Search(len(games), func(i int) bool { return games[i].Number >= uint64(r.state.Games) })
	if want := min(r.state.Games, r.plan.Config.Replay.Games); n < want {
		return fmt.Errorf("resume %s: %d of the %d games of the replay window can't be read from %s", r.folder, want-n, want, r.folder.Replay())
	}
	for _, g := range games[:n] {
		if err := r.learner.window.Add(g); err != nil {
			return fmt.Errorf("resume %s: %w", r.folder, err)
		}
	}
	r.pending = games[n:]
	return nil
}

// load reads the last games before a number back from disk.
func (r *run) load(before uint64, capacity int) ([]*replay.Game, error) {
	games, damages, err := replay.Load(osFS, r.folder.Replay(), before, capacity)
	for _, d := range damages {
		r.log.Warn("a damaged part of the replay is passed over", "reason", d)
	}
	if err != nil {
		return nil, fmt.Errorf("resume %s: %w", r.folder, err)
	}
	return games, nil
}

// numbers are the numbers of an iteration's games. The games that UCT plays
// alone belong to the first iteration.
func (p *Plan) numbers(iteration int) []uint64 {
	first := p.Config.WarmStart.InitialGames + iteration*p.Config.Training.Games
	n := p.Config.Training.Games
	if iteration == 0 {
		first, n = 0, n+p.Config.WarmStart.InitialGames
	}
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = uint64(first + i)
	}
	return numbers
}

// iterate does one iteration and returns the weights that it leaves.
func (r *run) iterate(ctx context.Context, weights *nn.Weights) (*nn.Weights, error) {
	iteration := r.state.Iteration
	c := r.plan.Config
	began := r.now()
	remembered := lookupsOf(&r.monitor.Counters)
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
	u := update{iteration: iteration, passes: c.Training.Passes, maxSteps: c.Training.MaxSteps}
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
	p.PlaySeconds = played.Sub(began).Seconds()
	p.Seconds = r.now().Sub(played).Seconds()
	if err := r.checkpoint(); err != nil {
		return nil, err
	}
	r.observe(p)
	r.logEvent(Event{Event: "iteration", Iteration: r.state.Iteration, Progress: p})
	r.log.Info("iteration", logIteration(r.state.Iteration, c.Training.Iterations, p)...)

	last := r.state.Iteration == c.Training.Iterations
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
	return r.pace.left(iteration, r.plan.Config.Training.Iterations, r.now())
}

// selfPlay plays the iteration's games, but for those that an interrupted
// sitting has left on disk, and returns all in order of number.
func (r *run) selfPlay(ctx context.Context, iteration int, weights *nn.Weights) (games []*replay.Game, err error) {
	c := r.plan.Config
	numbers := r.plan.numbers(iteration)
	r.enter(metrics.SelfPlay, len(numbers))
	games, r.pending = r.pending, nil
	for i, g := range games {
		if g.Number != numbers[i] {
			games = games[:i] // a gap: the games behind it are played again
			break
		}
	}
	numbers = numbers[len(games):]
	if len(numbers) == 0 {
		return games, nil
	}
	log, err := replay.OpenLog(osFS, r.folder.Replay(), gamesPerSegment)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()

	r.monitor.beginPlay(len(games), r.now)
	defer r.monitor.endPlay()
	committed := r.now()
	emit := func(g *replay.Game) error {
		games = append(games, g)
		r.countGame(g)
		if err := log.Append(g); err != nil {
			return err
		}
		if r.now().Sub(committed) < commitEvery {
			return nil
		}
		committed = r.now()
		return log.Commit()
	}
	job := selfplay.Job{Iteration: iteration, Step: uint64(r.learner.trainer.Steps()), Weights: weights}
	alone := sort.Search(len(numbers), func(i int) bool { return numbers[i] >= uint64(c.WarmStart.InitialGames) })
	for _, part := range []struct {
		numbers []uint64
		epsilon float64
	}{{numbers[:alone], 1}, {numbers[alone:], c.WarmStart.Epsilon(iteration, c.Training.Iterations)}} {
		job.Games, job.Epsilon = part.numbers, part.epsilon
		if err := selfplay.Play(ctx, &r.plan.Play, job, r.plan.Workers, c.SelfPlay.Slate, &r.monitor.Counters, emit); err != nil {
			return nil, err
		}
	}
	return games, nil
}

// checkpoint writes the run's present state.
func (r *run) checkpoint() error {
	r.enter(metrics.Checkpoint, 0)
	began := r.now()
	solver := r.learner.trainer.State()
	r.state.Elapsed, r.state.Kernels = r.elapsed().Seconds(), kernels.Selected().String()
	state, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return fmt.Errorf("checkpoint %d: %w", r.state.Iteration, err)
	}
	c := &checkpoints.Checkpoint{
		Iteration: r.state.Iteration, Step: uint64(solver.Steps), Game: r.plan.Game.Name(),
		Params: r.learner.trainer.Params(), Optimizer: solver.Tensors, State: state,
	}
	if r.plan.Train.EMA > 0 {
		c.Average = r.learner.trainer.Averaged()
	}
	if _, err := checkpoints.Save(r.folder.Checkpoints(), c); err != nil {
		return err
	}
	k := r.plan.Config.Checkpoints
	if err := checkpoints.Retain(r.folder.Checkpoints(), checkpoints.Policy{KeepLast: k.KeepLast, KeepEvery: k.KeepEvery}); err != nil {
		return err
	}
	r.metrics.Checkpoint(r.now(), r.now().Sub(began))
	return nil
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
