package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/configs"
	"tengen/internal/runid"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/train"
	"tengen/player"
	"tengen/replay"
	"tengen/run"
	"tengen/trainer/evaluation"
)

// open creates the run or restores it.
func (r *runner) open(ctx context.Context, o *Options) (err error) {
	id, err := r.identify(o)
	if err != nil {
		return err
	}
	r.keeper = r.folder.Store().Keeper()
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
	if r.evaluations, err = r.openEvaluations(); err != nil {
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

// Tests replace the opponent in evaluations, and the anchor ladders of games.
var (
	baseline       = player.Baseline
	anchorLadderOf = arena.AnchorLadderOf
)

// openEvaluations returns the run's evaluations.
func (r *runner) openEvaluations() (*evaluation.Series, error) {
	p, folder, init := r.plan, r.folder, r.state.Init
	simulations := p.Config.Evaluation.Simulations
	o := evaluation.Options{
		Evaluation: p.Config.Evaluation, Game: p.Game, Seed: p.Config.Seed, Folder: folder,
		Baseline: baseline,
		Workers:  p.Workers, GamesPerWorker: p.GamesPerWorker(),
		Concurrent: p.Beside, Floor: p.EvaluationFloor,
		Player: func(label string, w nn.Network) player.Player {
			return p.NetworkPlayer(label, w, simulations)
		},
		Saved: func(iteration int) (nn.Network, error) {
			return p.savedNetwork(folder, iteration, init)
		},
		Contestant: func(w nn.Network) arena.Contestant {
			return arena.Contestant{Params: p.loaded.of(w), Simulations: simulations}
		},
		Remote: p.remote, Metrics: r.metrics, Log: r.log, Tell: r.logEvent,
		Update: r.monitor.update, Enter: r.enter, Finish: r.monitor.finish, Elapsed: r.elapsed,
		Draw: r.draw,
		Write: func(ctx context.Context, name, path string, f func() error) error {
			waited, err := r.retrier.write(ctx, piece{name: name, where: path}, f)
			if !p.Beside { // the run waits too
				r.waited.Add(int64(waited))
			}
			return err
		},
	}
	if p.Config.Evaluation.RulerGames > 0 {
		o.Ladder = anchorLadderOf(p.Game)
	}
	return evaluation.Open(o, r.state.Iteration)
}

// latest returns the checkpoint to resume from, nil if there is none.
func (r *runner) latest() (*checkpoints.Checkpoint, error) {
	saved, passedOver, err := r.keeper.Latest()
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

// restoreCheckpoint restores the state of a checkpoint.
func (r *runner) restoreCheckpoint(c *checkpoints.Checkpoint) error {
	if c.Game != r.plan.Game.Name() {
		return fmt.Errorf("resume %s: its checkpoint is of %s, its configuration of %s",
			r.folder.Folder, c.Game, r.plan.Game.Name())
	}
	// The process that wrote the checkpoint may have ended before it was durable.
	if err := r.folder.FS.SyncDir(r.folder.Checkpoints()); err != nil {
		return fmt.Errorf("resume %s: %w", r.folder.Folder, err)
	}
	if err := json.Unmarshal(c.State, &r.state); err != nil {
		return fmt.Errorf("resume %s: the checkpoint's state: %w", r.folder.Folder, err)
	}
	if err := r.updater.Trainer.SetState(train.State{
		Steps: int(c.Step), Tensors: c.Optimizer,
	}); err != nil {
		return fmt.Errorf("resume %s: %w", r.folder.Folder, err)
	}
	if now := r.plan.arithmetic(); r.state.Kernels != "" && r.state.Kernels != now {
		r.log.Warn("other kernels or devices than before: the network will not be the same to the bit as an uninterrupted run's",
			"before", r.state.Kernels, "now", now)
	}
	r.before = r.state.Elapsed
	if err := r.restorePrevious(); err != nil {
		return err
	}
	return r.restoreWindow()
}

// restorePrevious loads the run as it was at the checkpoint before the one that it is resumed from,
// for the games of the next iteration. Without that checkpoint the present one takes its place;
// only the loss of a device is an error.
func (r *runner) restorePrevious() error {
	if r.plan.lag() != 1 || r.state.Iteration == 0 {
		return nil
	}
	iteration := r.state.Iteration - 1
	b, s := new(inputs), new(State)
	weights, err := r.plan.savedPlaying(r.folder, iteration, r.state.Init)
	if err == nil && (iteration > 0 || r.state.Init != "") {
		s, b.step, err = r.savedState(iteration)
	}
	switch {
	case backend.Lost(err):
		return err
	case err != nil:
		// Continuing matters more than equality with an uninterrupted run.
		r.warn(fmt.Sprintf("the checkpoint of iteration %d can't be read; that of iteration %d takes its place in the games: %v", iteration, r.state.Iteration, err), r.state.Iteration)
		return nil
	}
	b.weights, b.evaluations, b.resign = weights, s.Evaluations, s.Resignation.threshold()
	r.previous = b
	return nil
}

// savedState returns the state in a checkpoint, and its training steps.
func (r *runner) savedState(iteration int) (*State, uint64, error) {
	c, err := r.folder.Store().Load(r.folder.Checkpoint(iteration))
	if err != nil {
		return nil, 0, err
	}
	s := new(State)
	return s, c.Step, json.Unmarshal(c.State, s)
}

// identify gives r.folder the run's identity: a new one, or that of the run that is
// resumed.
func (r *runner) identify(o *Options) (*run.Identity, error) {
	if !o.Resume {
		init := ""
		if o.Init != nil {
			init = o.Init.From + ", " + o.Init.Params.Digest()
		}
		id, err := run.NewIdentity(r.plan.Config, init, o.Now())
		if err == nil {
			r.folder = r.folder.Of(id)
		}
		return id, err
	}
	id, err := r.folder.ReadIdentity()
	if err != nil {
		return nil, fmt.Errorf("resume %s: %w", r.folder.Folder, err)
	}
	if id == nil {
		if id, err = r.adopted(o); err != nil {
			return nil, fmt.Errorf("resume %s: %w", r.folder.Folder, err)
		}
		if err := r.folder.Adopt(id); err != nil {
			return nil, err
		}
	}
	for _, c := range configs.Changes(id.Config, r.plan.Config) {
		if verdict, why := c.OnResume(); verdict == configs.Impossible {
			return nil, fmt.Errorf("resume %s: %s: %s", r.folder.Folder, c, why)
		}
	}
	r.folder = r.folder.Of(id)
	return id, nil
}

// adopted returns an identity for a run that has lost its run.json: the one that all its files
// carry, or a new one if there are none yet.
func (r *runner) adopted(o *Options) (*run.Identity, error) {
	config, err := o.Folder.On(r.folder.FS).ReadConfig()
	if err != nil {
		return nil, err
	}
	id, err := run.NewIdentity(config, "", o.Now())
	if err != nil {
		return nil, err
	}
	var carried []runid.ID // by the files that can be read
	list, err := r.folder.Store().List()
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		switch c, err := r.folder.Store().Load(e.Path); {
		case err == nil:
			carried = append(carried, c.Run)
		case errors.Is(err, fs.ErrPermission) || errors.Is(err, checkpoints.ErrVersion):
			return nil, err
		}
	}
	runs, err := replay.Runs(r.folder.FS, r.folder.Replay())
	if err != nil {
		return nil, err
	}
	carried = append(carried, runs...)
	for _, c := range carried {
		if c != carried[0] {
			return nil, fmt.Errorf("%s is missing, and not all checkpoints and segments carry the same identity (%s and %s): put it back, or move those of another run away",
				r.folder.Identity(), carried[0], c)
		}
	}
	if len(carried) > 0 {
		if carried[0] == 0 {
			return nil, fmt.Errorf("%s is missing, and its checkpoints and segments carry no identity",
				r.folder.Identity())
		}
		id.ID = carried[0]
		r.log.Warn("the run's identity is missing: that of its checkpoints and games is taken, and nothing tells whether config.yaml was changed", "file", r.folder.Identity(), "identity", id.ID.String())
	}
	return id, nil
}
