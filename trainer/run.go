package trainer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/nn"
	"tengen/replay/record"
	"tengen/run"
)

// Run trains until all iterations are finished, the time or the evaluations of the run are spent, or ctx ends. If ctx ends, Run ends after
// the training step and the batches of evaluations at hand, keeps all finished games and the last checkpoint, and returns the
// context's error. An update, or a game, that was under way is made again, to the bit. A later Run with Resume continues as if there had been no interruption.
func Run(ctx context.Context, o Options) (err error) {
	r := newRunner(&o)
	if !o.Resume {
		// Before the lock is created in the folder.
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
		r.updater.close()
		state, message := r.ending(ctx, err)
		r.logEvent(run.Event{Kind: run.EventStop, Iteration: r.state.Iteration, Message: message})
		r.monitor.end(state, message)
		if e := r.events.Close(); e != nil {
			r.log.Warn("the event log is not complete", "reason", e)
		}
	}()
	defer r.watch(o.StallAfter)()
	r.monitor.begin(r.elapsed, r.limit())
	defer context.AfterFunc(ctx, r.monitor.stopping)()
	r.noteShare()
	r.observeStart()
	weights, err := r.updater.weights()
	if err != nil {
		return err
	}
	playing, err := r.updater.playing(weights)
	if err != nil {
		return err
	}
	defer r.foresee(ctx)()
	every := r.plan.Config.Evaluation.Every
	if every > 0 && r.state.Iteration == 0 && ctx.Err() == nil {
		// Evaluate the initial weights, since the learning curve begins there: beside the first games, or after them if that
		// does not take long.
		if initial := (network{0, weights}); r.plan.Beside {
			r.evaluations.due(ctx, initial, r.enter)
		} else {
			r.initial = &initial
		}
	}
	if r.pipelined() {
		if r.pipeline, err = r.startPipeline(ctx, playing); err != nil {
			return err
		}
		defer func() {
			if e := r.pipeline.close(); err == nil {
				err = e
			}
		}()
	}
	if r.continuous() {
		if r.feed, err = r.startFeed(ctx, playing); err != nil {
			return err
		}
		defer func() {
			if e := r.feed.close(); err == nil {
				err = e
			}
		}()
	}
	putOff := false // an evaluation
	// At least one iteration is made, however slow the start was.
	for !r.over() && (r.state.Iteration == 0 || !r.spent()) {
		got, err := r.iterate(ctx, playing)
		if err != nil {
			return err
		}
		weights, playing = got.weights, got.playing
		over := r.over() || r.spent()
		if ctx.Err() != nil && !over {
			return ctx.Err()
		}
		if r.initial != nil {
			r.evaluations.due(ctx, *r.initial, r.enter)
			r.initial = nil
		}
		if every > 0 && (putOff || r.state.Iteration%every == 0) && !over {
			putOff = r.evaluations.due(ctx, network{r.state.Iteration, weights}, r.enter)
		}
	}
	if every > 0 && ctx.Err() == nil {
		r.evaluations.last(ctx, network{r.state.Iteration, weights}, r.enter)
	}
	r.evaluations.close()
	r.enter("", 0)
	r.draw()
	return nil
}

// ending returns the state of the run at the end of Run with an error, and what its last event says.
func (r *runner) ending(ctx context.Context, err error) (run.State, string) {
	switch {
	case err == nil:
		return run.Complete, run.Finished
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return run.Stopped, run.StoppedAfter(r.state.Iteration, r.plan.Config.Training.Iterations)
	}
	return run.Stopped, err.Error()
}

// noteShare tells the monitor how far the run is after an iteration.
func (r *runner) noteShare() {
	share := r.plan.Config.Share(r.state.Iteration, float64(r.state.Evaluations), r.elapsed().Seconds())
	r.monitor.update(func(s *run.Status) {
		s.Iteration, s.Iterations, s.Share = r.state.Iteration, r.plan.Config.Training.Iterations, share
	})
}

// iterate runs one iteration: self-play with weights, an update and a checkpoint. It returns the
// update.
func (r *runner) iterate(ctx context.Context, weights nn.Network) (*updateResult, error) {
	iteration := r.state.Iteration
	c := r.plan.Config
	began, start := r.now(), time.Now() // start: of the machine's time, as evaluationBudget has it
	remembered := lookupsOf(&r.monitor.Counters)
	searched := searchesOf(&r.monitor.Counters)
	var games []*record.Game
	var got *updateResult
	var entered int
	var err error
	var lag lagMean
	var waited time.Duration // for games
	played := began
	if r.feed != nil {
		if games, got, entered, err = r.learn(ctx); err != nil {
			return nil, err
		}
		played, waited, lag = began.Add(got.waited), got.waited, got.lag
	} else {
		if r.pipeline != nil {
			games, err = r.pipeline.take()
		} else {
			games, err = r.selfPlay(ctx, iteration, weights)
		}
		if err != nil {
			return nil, err
		}
		r.asked = 0
		for _, g := range games {
			r.asked += g.Evaluations
			lag.add(g, r.updater.trainer.Steps())
		}
		played, waited = r.now(), time.Since(start)
		r.metrics.WaitedForGames.Add(played.Sub(began).Seconds())
		if got, entered, err = r.update(ctx, iteration, games); err != nil {
			return nil, err
		}
	}
	r.metrics.Reused(got.samples, entered)
	if err := r.countDropped(got.dropped); err != nil {
		return nil, err
	}

	trained := r.now()
	epsilon := c.WarmStart.Epsilon(r.clock(iteration, r.state.Evaluations))
	r.state.Iteration++
	r.state.Games = int(games[len(games)-1].Number) + 1
	r.state.Evaluations += r.asked
	r.notePlateau(got.heldOut)
	byHeart := r.noteFit(&got.losses, got.heldOut)
	p := r.progress(epsilon, games, got)
	r.noteResignation(p, games)
	p.CacheHits = lookupsOf(&r.monitor.Counters).since(remembered).rate()
	made := searchesOf(&r.monitor.Counters).since(searched)
	p.Resolved = made.rate()
	if made.full > 0 {
		r.warn(fmt.Sprintf("descent.max_nodes cut %d of %d searches short: their trees had no room left", made.full, made.all), iteration+1)
	}
	p.PlaySeconds = played.Sub(began).Seconds()
	r.evaluations.budget.played(len(games), waited)
	p.Seconds = trained.Sub(played).Seconds()
	r.rates.note(len(games), p.PlaySeconds, got.steps, p.Seconds)
	if r.pipeline != nil || r.feed != nil {
		r.noteWaits(p, lag, entered, got)
	}
	r.state.Events = r.report(p, byHeart)
	if err := r.checkpoint(ctx); err != nil {
		return nil, err
	}
	if r.pipeline != nil && r.state.Iteration+1 < c.Training.Iterations && !r.spent() {
		if err := r.pipeline.add(r.basisNow(got.playing)); err != nil {
			return nil, err
		}
	}
	if r.feed != nil {
		if err := r.feed.set(got.playing); err != nil {
			return nil, err
		}
	}
	if byHeart != "" {
		r.log.Warn(byHeart, "iteration", r.state.Iteration)
	}
	for _, e := range r.state.Events {
		r.logEvent(e)
	}
	if got.dropped == nil {
		r.observe(p)
	} else {
		r.observeState()
	}
	r.log.Info("iteration", logIteration(r.state.Iteration, r.plan.Config.Training.Iterations, p)...)
	r.noteShare()
	r.monitor.expect(r.left(), r.now)
	return got, nil
}

// update trains on the window, which the games of an iteration have entered. It returns the number of positions that
// entered, too.
func (r *runner) update(ctx context.Context, iteration int, games []*record.Game) (got *updateResult, entered int, err error) {
	c := r.plan.Config
	r.enter(run.StageReplay, len(games))
	r.updater.window.SetCapacity(c.Replay.Window(r.state.Games + len(games)))
	if entered, err = r.updater.add(ctx, games); err != nil {
		return nil, 0, fmt.Errorf("iteration %d: %w", iteration, err)
	}
	r.metrics.NewPositions.Add(float64(entered))

	r.enter(run.StageUpdate, 0)
	epochs, most := r.plan.epochs(iteration)
	o := updateOptions{iteration: iteration, progress: r.progressAt, epochs: epochs, maxSteps: most, scale: r.rateScale()}
	got, err = r.updater.update(ctx, o)
	return got, entered, err
}

// maxDropped is the number of consecutive dropped updates that ends a run: another
// iteration will not cure the cause.
const maxDropped = 3

// countDropped reports a dropped update. It returns an error, which ends the run, for the
// last of maxDropped in a row: that iteration is not finished, its games are kept, and a
// resumed run repeats its update.
func (r *runner) countDropped(dropped error) error {
	if dropped == nil {
		r.state.DroppedNow = 0
		return nil
	}
	iteration := r.state.Iteration + 1
	r.state.Dropped++
	r.state.DroppedNow++
	r.metrics.BadUpdates.Inc()
	if r.state.DroppedNow < maxDropped {
		r.warn(fmt.Sprintf("the update of iteration %d is dropped, and the network stays as it was: %v", iteration, dropped), iteration)
		return nil
	}
	return fmt.Errorf("the update of iteration %d failed as the %d before: %w; the network is that from before them, the games are kept; "+
		"lower training.learning_rate, which is %g, with --resume --set training.learning_rate=%g, or bound the gradient with training.grad_clip_norm",
		iteration, maxDropped-1, dropped, r.plan.Config.Training.LearningRate, r.plan.Config.Training.LearningRate/4)
}

// left estimates the time until the first of the run's limits is reached, from the rates of
// this process.
func (r *runner) left() time.Duration {
	t := r.plan.Config.Training
	left := r.forecast()
	sooner := func(d time.Duration) {
		if left == 0 || d < left {
			left = d
		}
	}
	if t.Evaluations > 0 {
		if d := r.evaluationPace.left(float64(r.state.Evaluations), float64(t.Evaluations), r.now()); d > 0 {
			sooner(d)
		}
	}
	if limit := r.limit(); limit > 0 {
		sooner(max(0, limit-r.elapsed()))
	}
	return left
}

// progress summarizes an iteration.
func (r *runner) progress(epsilon float64, games []*record.Game, got *updateResult) *run.Progress {
	p := &run.Progress{
		Epsilon: epsilon, Asked: r.state.Evaluations,
		Games: r.state.Games, Window: r.updater.window.Len(), Positions: r.updater.window.Positions(false),
		Evaluations: r.monitor.Counters.Evaluations.Load(),
		Scores:      make([]float64, r.plan.Game.Players()),
		Steps:       uint64(r.updater.trainer.Steps()),
		Losses:      got.losses, HeldOut: got.heldOut, Elapsed: r.elapsed().Seconds(),
	}
	if got.dropped != nil {
		p.Dropped = got.dropped.Error()
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
	return p
}
