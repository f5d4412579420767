package trainer

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/vfs"
)

// open begins the run or takes it up.
func (r *run) open(ctx context.Context, o *Options) (err error) {
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
	if r.learner, err = newLearner(r.plan, params); err != nil {
		return err
	}
	defer func() {
		if err == nil {
			return
		}
		r.learner.close()
		if r.events != nil {
			err = errors.Join(err, r.events.close())
		}
	}()
	r.learner.onStep = func(done, all int, waited time.Duration) {
		r.observeStep(waited)
		r.monitor.update(func(s *Status) { s.Done, s.All = done, all })
	}
	if !o.Resume {
		first := func() error { return nil }
		if o.Init != nil {
			first = func() error { return r.save(ctx) }
		}
		if err := r.folder.create(r.plan.Config, first); err != nil {
			return err
		}
	}
	if r.events, err = openEvents(r.folder.fs, r.folder.Events(), o.Now); err != nil {
		return err
	}
	if saved != nil {
		err = r.restore(saved)
	} else {
		err = r.restoreWindow() // the games of an iteration that was interrupted
	}
	if err != nil {
		return err
	}
	if err := r.adopt(o.Changes); err != nil {
		return err
	}
	if r.evaluations, err = r.openEvaluations(); err != nil {
		return err
	}
	e := Event{Event: "start", Iteration: r.state.Iteration, Init: r.state.Init}
	if o.Resume {
		e = Event{Event: "resume", Iteration: r.state.Iteration, Changes: o.Changes}
	}
	r.logEvent(e)
	return nil
}

// latest is the checkpoint to go on from; nil where there is none.
func (r *run) latest() (*checkpoints.Checkpoint, error) {
	saved, passedOver, err := r.folder.store().Latest()
	for _, e := range passedOver {
		r.log.Warn("a damaged checkpoint is passed over", "reason", e)
	}
	switch {
	case errors.Is(err, checkpoints.ErrNone) && len(passedOver) > 0:
		return nil, fmt.Errorf("resume %s: %w; put one of them back, or begin a new run elsewhere", r.folder.Folder, err)
	case errors.Is(err, checkpoints.ErrNone):
		r.log.Info("no checkpoint yet: the run begins from its first weights")
		return nil, nil
	}
	return saved, err
}

// adopt makes the configuration of this sitting the run's. The one that it had
// stays beside it, by the iterations that were made with it.
func (r *run) adopt(changes []configs.Change) error {
	if len(changes) == 0 {
		return nil
	}
	fail := func(err error) error {
		return fmt.Errorf("write the run's configuration: %w", err)
	}
	text, err := r.plan.Config.YAML()
	if err != nil {
		return fail(err)
	}
	earlier := filepath.Join(string(r.folder.Folder), fmt.Sprintf("config.%s.yaml", networkName(r.state.Iteration)))
	if _, err := r.folder.fs.Stat(earlier); err != nil { // else nothing was done with the one in between
		old, err := vfs.ReadFile(r.folder.fs, r.folder.Config())
		if err != nil {
			return fail(err)
		}
		if err := vfs.WriteBytes(r.folder.fs, earlier, old); err != nil {
			return fail(err)
		}
	}
	if err := vfs.WriteBytes(r.folder.fs, r.folder.Config(), text); err != nil {
		return fail(err)
	}
	return nil
}
