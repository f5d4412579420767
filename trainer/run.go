package trainer

import (
	"context"
	"errors"

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
	r.source = r.newSource()
	if err := r.source.start(ctx, r.playing, r.previous); err != nil {
		return err
	}
	r.previous = nil
	defer func() {
		if e := r.source.close(); err == nil {
			err = e
		}
	}()
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
