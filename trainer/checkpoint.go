package trainer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"tengen/checkpoints"
	"tengen/nn"
	"tengen/run"
)

// checkpoint saves the run's state and removes the checkpoints and games that are no longer
// needed.
func (r *runner) checkpoint(ctx context.Context) error {
	r.enter(run.StageCheckpoint, 0)
	if _, err := r.folder.FS.Stat(r.folder.Config()); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the run's folder was removed while it was used: there is no %s",
			r.folder.Config())
	}
	began := r.now()
	r.noteWindow()
	if err := r.save(ctx); err != nil {
		return err
	}
	if err := r.retain(ctx, r.policy()); err != nil {
		return err
	}
	r.metrics.Checkpoint(r.now(), r.now().Sub(began))
	if err := r.prune(ctx); err != nil {
		return err
	}
	return r.watchDisk(ctx)
}

// retain removes the checkpoints that a policy does not keep.
func (r *runner) retain(ctx context.Context, p checkpoints.Policy) error {
	what := piece{name: "the removal of old checkpoints", where: r.folder.Checkpoints()}
	return r.write(ctx, what, func() error { return r.keeper.Retain(p) })
}

// policy says which checkpoints stay: those that a resumed run may start from, those that
// evaluations need, and a series that grows thinner with the distance from the newest.
func (r *runner) policy() checkpoints.Policy {
	p := checkpoints.Policy{
		KeepLast: r.checkpointsNeeded(), PerOctave: r.perOctave,
		Keep: r.evaluations.Wanted(),
	}
	if r.state.Init != "" {
		p.Keep = append(p.Keep, 0) // these weights can't be drawn again
	}
	return p
}

// save writes a checkpoint of the run's state.
func (r *runner) save(ctx context.Context) error {
	now, err := r.updater.Snapshot()
	if err != nil {
		return fmt.Errorf("checkpoint %d: %w", r.state.Iteration, err)
	}
	r.state.Elapsed, r.state.Kernels = r.elapsed().Seconds(), r.plan.arithmetic()
	state, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return fmt.Errorf("checkpoint %d: %w", r.state.Iteration, err)
	}
	c := &checkpoints.Checkpoint{
		Iteration: r.state.Iteration, Step: uint64(now.State.Steps), Game: r.plan.Game.Name(),
		Run:    r.folder.Run,
		Params: now.Params, Optimizer: now.State.Tensors, State: state,
	}
	if r.plan.Train.EMADecay > 0 {
		if c.Average, err = r.updater.Trainer.Averaged(); err != nil {
			return fmt.Errorf("checkpoint %d: %w", r.state.Iteration, err)
		}
	}
	what := piece{
		name:  fmt.Sprintf("the checkpoint of iteration %d", c.Iteration),
		where: r.folder.Checkpoints(), bytes: bytesOf(c),
	}
	again := false
	return r.write(ctx, what, func() error {
		_, err := r.keeper.Save(c)
		if again && errors.Is(err, checkpoints.ErrExists) {
			// Only the last step of the previous attempt failed.
			return r.folder.FS.SyncDir(r.folder.Checkpoints())
		}
		again = true
		return err
	})
}

// bytesOf returns the approximate size of a checkpoint on disk.
func bytesOf(c *checkpoints.Checkpoint) int64 {
	n := int64(len(c.State))
	lists := [][]nn.Tensor{c.Params.Tensors, c.Optimizer}
	if c.Average != nil {
		lists = append(lists, c.Average.Tensors)
	}
	for _, list := range lists {
		for _, t := range list {
			n += 4 * int64(len(t.Data))
		}
	}
	return n
}

// prune removes the games that are in no window of the checkpoints that a resumed run may
// start from.
func (r *runner) prune(ctx context.Context) error {
	w := r.state.Window
	if len(w.First) < r.checkpointsNeeded() || w.First[0] == 0 {
		return nil
	}
	what := piece{name: "the removal of old games", where: r.folder.Replay()}
	var removed []string
	err := r.write(ctx, what, func() error {
		list, err := r.games.Prune(w.First[0])
		removed = append(removed, list...)
		return err
	})
	if err != nil {
		return fmt.Errorf("remove old games: %w", err)
	}
	for _, segment := range removed {
		r.log.Debug("old games are removed", "segment", segment)
	}
	return nil
}

// State is the state of a run in a checkpoint, except weights and solver.
type State struct {
	Iteration int `json:"iteration"` // finished
	Games     int `json:"games"`     // played in them
	// Evaluations is the number that self-play asked the network for in these games, if
	// training.evaluations limits it.
	Evaluations uint64  `json:"evaluations,omitempty"`
	Elapsed     float64 `json:"elapsed"` // seconds, over all processes
	// of the last process, and how many devices share each step if there are several; others round
	// differently
	Kernels string       `json:"kernels"`
	Window  *WindowState `json:"window,omitempty"`
	// Plateau is nil before the first held-out loss, and without training.schedule=plateau.
	Plateau *PlateauState `json:"plateau,omitempty"`
	// Fit is nil before the first held-out loss.
	Fit *FitState `json:"fit,omitempty"`
	// Asynchronous is nil in other cycles.
	Asynchronous *AsynchronousState `json:"asynchronous,omitempty"`
	// Resignation is nil before the first iteration's end, and while nobody resigns by
	// configuration.
	Resignation *ResignationState `json:"resignation,omitempty"`
	// Init is the origin of the initial weights; "": drawn from the seed.
	Init string `json:"init,omitempty"`
	// Events are those of the last iteration. They are logged after the checkpoint, and a process
	// that is killed in between leaves them to the next one.
	Events []run.Event `json:"events,omitempty"`
	// Dropped is the number of updates that were dropped because a number was not finite,
	// and DroppedNow the number of consecutive ones up to now.
	Dropped    int `json:"dropped,omitempty"`
	DroppedNow int `json:"dropped_now,omitempty"`
}

// ResignationState is what the games of the window tell of resignations: replay.Resignation.
type ResignationState struct {
	// utility below which players resign in games that begin from now on; 0: nobody does
	Threshold float32 `json:"threshold"`
	Games     int     `json:"games"`    // of the window that were played to their end
	Resigned  int     `json:"resigned"` // of these, those that would have ended by resignation
	// of these, those in which a player that would have resigned did not lose
	False int `json:"false"`
}

// threshold returns the utility below which players resign, 0 for a nil state.
func (s *ResignationState) threshold() float32 {
	if s == nil {
		return 0
	}
	return s.Threshold
}

// WindowState says which games were in the replay window at a checkpoint, so that a
// resumed run loads the same games.
type WindowState struct {
	Games    int `json:"games"`    // in it
	Capacity int `json:"capacity"` // configs.Replay.Window
	// First has the number of the window's first game after each of the last
	// checkpoints.keep_last iterations, the newest last. Older games are not needed.
	First []uint64 `json:"first"`
}

// AsynchronousState is the state of an asynchronous cycle in a checkpoint.
type AsynchronousState struct {
	// Streams is the number of games begun: each has random streams of its own, by number. Those of
	// games that were in progress at the end of a process are not used again.
	Streams uint64 `json:"streams"`
}
