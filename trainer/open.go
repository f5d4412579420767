package trainer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tengen/checkpoints"
	"tengen/run"
)

// open creates the run or restores it.
func (r *runner) open(ctx context.Context, o *Options) (err error) {
	id, err := r.identify(o)
	if err != nil {
		return err
	}
	params := r.plan.NewParams()
	var saved *checkpoints.Checkpoint
	switch {
	case o.Resume:
		if saved, err = r.latest(); err != nil {
			return err
		}
		if saved != nil {
			params = saved.Params
		}
	case o.Init != nil:
		params, r.state.Init = o.Init.Params, o.Init.From
	}
	if r.updater, err = newUpdater(r.plan, params); err != nil {
		return err
	}
	defer func() {
		if err == nil {
			return
		}
		r.updater.Close()
		if r.events != nil {
			err = errors.Join(err, r.events.Close())
		}
	}()
	r.updater.OnStep = func(done, all int, waited time.Duration) {
		r.observeStep(waited)
		r.monitor.step(done, all)
	}
	if !o.Resume {
		first := func() error { return nil }
		if o.Init != nil {
			first = func() error { return r.save(ctx) }
		}
		if err := r.folder.Create(id, first); err != nil {
			return err
		}
	}
	if r.events, err = r.folder.OpenEvents(o.Now); err != nil {
		return err
	}
	if saved != nil {
		err = r.restoreCheckpoint(saved)
	} else {
		err = r.restoreWindow() // the games of an interrupted first iteration
	}
	if err != nil {
		return err
	}
	if len(o.Changes) > 0 {
		if err := r.folder.ChangeConfig(id, r.plan.Config, r.state.Iteration); err != nil {
			return err
		}
	}
	r.evaluations = &evaluations{
		plan: r.plan, folder: r.folder, monitor: r.monitor, metrics: r.metrics, log: r.log,
		elapsed: r.elapsed, tell: r.logEvent, draw: r.draw, init: r.state.Init,
		// no result of the run depends on it
		budget: newEvaluationBudget(time.Now, r.plan.EvaluationFloor),
		write: func(ctx context.Context, what piece, f func() error) error {
			waited, err := r.retrier.write(ctx, what, f)
			if !r.plan.Beside { // the run waits too
				r.waited.Add(int64(waited))
			}
			return err
		},
	}
	if r.plan.Config.Evaluation.RulerGames > 0 {
		r.evaluations.ruler = rulerOf(r.plan.Game)
	}
	if err := r.evaluations.open(r.state.Iteration); err != nil {
		return err
	}
	r.logMissing()
	e := run.Event{
		Kind: run.EventStart, Iteration: r.state.Iteration, Init: r.state.Init, Run: r.folder.Run,
	}
	if o.Resume {
		e = run.Event{
			Kind: run.EventResume, Iteration: r.state.Iteration, Changes: o.Changes,
			Run: r.folder.Run,
		}
	}
	r.logEvent(e)
	return nil
}

// latest returns the checkpoint to resume from, nil if there is none.
func (r *runner) latest() (*checkpoints.Checkpoint, error) {
	saved, passedOver, err := r.folder.Store().Latest()
	for _, e := range passedOver {
		r.log.Warn("a damaged checkpoint is passed over", "reason", e)
	}
	switch {
	case errors.Is(err, checkpoints.ErrNone) && len(passedOver) > 0:
		return nil, fmt.Errorf("resume %s: %w; put one of them back, or begin a new run elsewhere",
			r.folder.Folder, err)
	case errors.Is(err, checkpoints.ErrNone):
		r.log.Info("no checkpoint yet: the run begins from its first weights")
		return nil, nil
	}
	return saved, err
}
