package trainer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/run"
)

// Run trains until all iterations are finished, the time or the evaluations of the run are spent,
// or ctx ends. If ctx ends, Run ends after the training step and the batches of evaluations at
// hand, keeps all finished games and the last checkpoint, and returns the context's error. An
// update, or a game, that was under way is made again, to the bit. A later Run with Resume
// continues as if there had been no interruption.
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
		r.updater.Close()
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
	if r.weights, err = r.updater.Weights(); err != nil {
		return err
	}
	if r.playing, err = r.updater.Playing(r.weights); err != nil {
		return err
	}
	defer r.foresee(ctx)()
	every := r.plan.Config.Evaluation.Every
	if every > 0 && r.state.Iteration == 0 && ctx.Err() == nil {
		// Evaluate the initial weights, since the learning curve begins there: beside the first
		// games, or after them if that does not take long.
		if initial := (network{0, r.weights}); r.plan.Beside {
			r.evaluations.due(ctx, initial, r.enter)
		} else {
			r.initial = &initial
		}
	}
	if r.pipelined() {
		if r.pipeline, err = r.startPipeline(ctx, r.playing); err != nil {
			return err
		}
		defer func() {
			if e := r.pipeline.close(); err == nil {
				err = e
			}
		}()
	}
	if r.asynchronous() {
		if r.source, err = r.startSource(ctx, r.playing); err != nil {
			return err
		}
		defer func() {
			if e := r.source.close(); err == nil {
				err = e
			}
		}()
	}
	putOff := false // an evaluation
	// At least one iteration is made, however slow the start was.
	for !r.over() && (r.state.Iteration == 0 || !r.spent()) {
		if err := r.iterate(ctx); err != nil {
			return err
		}
		over := r.over() || r.spent()
		if ctx.Err() != nil && !over {
			return ctx.Err()
		}
		if r.initial != nil {
			r.evaluations.due(ctx, *r.initial, r.enter)
			r.initial = nil
		}
		if every > 0 && (putOff || r.state.Iteration%every == 0) && !over {
			putOff = r.evaluations.due(ctx, network{r.state.Iteration, r.weights}, r.enter)
		}
	}
	if every > 0 && ctx.Err() == nil {
		r.evaluations.last(ctx, network{r.state.Iteration, r.weights}, r.enter)
	}
	r.evaluations.close()
	r.enter("", 0)
	r.draw()
	return nil
}

// ending returns the state of the run at the end of Run with an error, and what its last event
// says.
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
	share := r.plan.Config.Share(r.state.Iteration, float64(r.state.Evaluations),
		r.elapsed().Seconds())
	r.monitor.update(func(s *run.Status) {
		s.Iteration, s.Iterations, s.Share = r.state.Iteration,
			r.plan.Config.Training.Iterations, share
	})
}

// iterate runs one iteration: it takes games and learns from them, saves a checkpoint, lets the
// next games begin, and reports.
func (r *runner) iterate(ctx context.Context) error {
	before := r.mark()
	x, err := r.learn(ctx)
	if err != nil {
		return err
	}
	if err := r.countDropped(x.Dropped); err != nil {
		return err
	}
	p := r.note(x, before)
	if err := r.checkpoint(ctx); err != nil {
		return err
	}
	r.weights, r.playing = x.Weights, x.Playing
	if err := r.nextGames(); err != nil {
		return err
	}
	r.reportIteration(x, p)
	return nil
}

// mark is what an iteration begins with.
type mark struct {
	began    time.Time
	lookups  lookups
	searches searches
}

func (r *runner) mark() mark {
	return mark{r.now(), lookupsOf(&r.monitor.Counters), searchesOf(&r.monitor.Counters)}
}

// note takes what an iteration has learned into the run's state, and returns its progress.
func (r *runner) note(x *learned, before mark) *run.Progress {
	trained, iteration := r.now(), r.state.Iteration
	epsilon := r.plan.Config.WarmStart.Epsilon(r.clock(iteration, r.state.Evaluations))
	r.metrics.Reused(x.Samples, x.entered)
	r.state.Iteration++
	r.state.Games = int(x.games[len(x.games)-1].Number) + 1
	r.state.Evaluations += r.asked
	r.notePlateau(x.HeldOut)
	overfits := r.noteFit(&x.Losses, x.HeldOut)
	p := r.progress(epsilon, x)
	r.noteResignation(p, x.games)
	p.CacheHits = lookupsOf(&r.monitor.Counters).since(before.lookups).rate()
	made := searchesOf(&r.monitor.Counters).since(before.searches)
	p.Resolved = made.rate()
	if made.full > 0 {
		r.warn(fmt.Sprintf(
			"descent.max_nodes cut %d of %d searches short: their trees had no room left",
			made.full, made.all), iteration+1)
	}
	p.PlaySeconds = x.played.Seconds()
	p.Seconds = trained.Sub(before.began).Seconds() - p.PlaySeconds
	r.evaluations.budget.played(len(x.games), x.waited)
	r.rates.note(len(x.games), p.PlaySeconds, x.Steps, p.Seconds)
	if r.pipeline != nil || r.source != nil {
		r.noteWaits(p, x)
	}
	r.state.Events = r.report(p, overfits)
	return p
}

// nextGames lets games begin with the newest network, in cycles whose games are played beside the
// updates.
func (r *runner) nextGames() error {
	switch {
	case r.source != nil:
		return r.source.set(r.playing)
	case r.pipeline != nil && r.state.Iteration+1 < r.plan.Config.Training.Iterations && !r.spent():
		return r.pipeline.add(r.inputsNow(r.playing))
	}
	return nil
}

// reportIteration tells of an iteration in the log, the metrics and the monitor.
func (r *runner) reportIteration(x *learned, p *run.Progress) {
	for _, e := range r.state.Events {
		if e.Kind == run.EventWarning {
			r.log.Warn(e.Message, "iteration", r.state.Iteration)
		}
		r.logEvent(e)
	}
	if x.Dropped == nil {
		r.observe(p)
	} else {
		r.observeState()
	}
	r.log.Info("iteration",
		logIteration(r.state.Iteration, r.plan.Config.Training.Iterations, p)...)
	r.noteShare()
	r.monitor.expect(r.left(), r.now)
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
		r.warn(fmt.Sprintf(
			"the update of iteration %d is dropped, and the network stays as it was: %v",
			iteration, dropped), iteration)
		return nil
	}
	return fmt.Errorf("the update of iteration %d failed as the %d before: %w; the network is that from before them, the games are kept; "+
		"lower training.learning_rate, which is %g, with --resume --set training.learning_rate=%g, or bound the gradient with training.grad_clip_norm",
		iteration, maxDropped-1, dropped, r.plan.Config.Training.LearningRate,
		r.plan.Config.Training.LearningRate/4)
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
		if d := r.evaluationPace.left(float64(r.state.Evaluations), float64(t.Evaluations),
			r.now()); d > 0 {
			sooner(d)
		}
	}
	if limit := r.limit(); limit > 0 {
		sooner(max(0, limit-r.elapsed()))
	}
	return left
}

// progress summarizes an iteration.
func (r *runner) progress(epsilon float64, x *learned) *run.Progress {
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
	return p
}
