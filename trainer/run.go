package trainer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"tengen/configs"
	"tengen/metrics"
	"tengen/run"
	"tengen/trainer/evaluation"
	"tengen/vfs"
)

// Options describe a run and how this process trains it.
type Options struct {
	Plan    *Plan
	Folder  run.Folder
	Resume  bool             // resume the run in Folder
	Monitor *Monitor         // required
	Metrics *metrics.Metrics // required
	Log     *slog.Logger     // required
	Now     func() time.Time // required; safe for concurrent use
	Command string           // what this process is, shown to others that want the run's lock
	FS      vfs.FS           // where Folder is; nil: the operating system's
	// Init is the network that a new run begins with; nil: weights drawn from the seed.
	Init *Init
	// Changes lists what Plan's configuration changes in the one in Folder. Only a
	// resumed run has changes.
	Changes []configs.Change
	// Sleep waits before a write to a full disk is retried. If its context ends, it
	// returns an error. nil waits by the real clock.
	Sleep func(context.Context, time.Duration) error
	// StallAfter is the time without any progress after which the run says so and writes what its
	// goroutines do to run.Folder.Stalled; 0: DefaultStallAfter.
	StallAfter time.Duration
}

// Run trains until all iterations are finished, the time or the evaluations of the run are spent,
// or ctx ends. If ctx ends, Run ends after the training step and the batches of evaluations at
// hand, keeps all finished games and the last checkpoint, and returns the context's error. An
// update, or a game, that was under way is made again, to the bit. A later Run with Resume
// continues as if there had been no interruption.
func Run(ctx context.Context, o Options) (err error) {
	if err := o.Plan.CheckBatch(); err != nil {
		return err
	}
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
		r.evaluations.Close()
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
		if initial := (evaluation.Network{Weights: r.weights}); r.plan.Beside {
			r.evaluations.Due(ctx, initial)
		} else {
			r.initial = &initial
		}
	}
	defer r.mergeGames(ctx)()
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
			r.evaluations.Due(ctx, *r.initial)
			r.initial = nil
		}
		if every > 0 && (putOff || r.state.Iteration%every == 0) && !over {
			putOff = r.evaluations.Due(ctx, r.newest())
		}
	}
	if every > 0 && ctx.Err() == nil {
		r.evaluations.Last(ctx, r.newest())
	}
	r.evaluations.Close()
	r.enter("", 0)
	r.draw()
	return nil
}

// newest returns the newest network, for evaluations.
func (r *runner) newest() evaluation.Network {
	return evaluation.Network{Iteration: r.state.Iteration, Weights: r.weights}
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
