package trainer

import (
	"encoding/json"
	"fmt"

	"tengen/checkpoints"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/nn/train"
)

// restoreCheckpoint restores the state of a checkpoint.
func (r *runner) restoreCheckpoint(c *checkpoints.Checkpoint) error {
	if c.Game != r.plan.Game.Name() {
		return fmt.Errorf("resume %s: its checkpoint is of %s, its configuration of %s", r.folder.Folder, c.Game, r.plan.Game.Name())
	}
	// The process that wrote the checkpoint may have ended before it was durable.
	if err := r.folder.FS.SyncDir(r.folder.Checkpoints()); err != nil {
		return fmt.Errorf("resume %s: %w", r.folder.Folder, err)
	}
	if err := json.Unmarshal(c.State, &r.state); err != nil {
		return fmt.Errorf("resume %s: the checkpoint's state: %w", r.folder.Folder, err)
	}
	if on := r.plan.Config.Evaluation.Gate; on != (r.state.Gate != nil) && r.state.Iteration > 0 {
		return fmt.Errorf("resume %s: evaluation.gate=%v: the run began with %v and keeps it", r.folder.Folder, on, !on)
	}
	if err := r.updater.trainer.SetState(train.State{Steps: int(c.Step), Tensors: c.Optimizer}); err != nil {
		return fmt.Errorf("resume %s: %w", r.folder.Folder, err)
	}
	if now := r.plan.device().Kernels(); r.state.Kernels != "" && r.state.Kernels != now {
		r.log.Warn("other kernels than before: the network will not be the same to the bit as an uninterrupted run's",
			"before", r.state.Kernels, "now", now)
	}
	r.before = r.state.Elapsed
	if err := r.restorePrevious(); err != nil {
		return err
	}
	return r.restoreWindow()
}

// restoreBest loads the best network so far. If its checkpoint can't be read, the current
// network takes its place; only the loss of a device is an error.
func (r *runner) restoreBest(weights nn.Network) error {
	if r.state.Gate == nil {
		if !r.plan.Config.Evaluation.Gate {
			return nil
		}
		r.state.Gate = &GateState{} // a new run: the initial weights
	}
	defer func() { r.metrics.BestIteration.Set(float64(r.best.iteration)) }()
	best := r.state.Gate.Best
	if r.best = (network{best, weights}); best == r.state.Iteration {
		return nil
	}
	saved, err := r.plan.savedNetwork(r.folder, best, r.state.Init)
	if backend.Lost(err) {
		return err
	}
	if err != nil {
		// Continuing matters more than equality with an uninterrupted run.
		r.warn(fmt.Sprintf("the best network, of iteration %d, can't be read; that of iteration %d takes its place: %v", best, r.state.Iteration, err), r.state.Iteration)
		r.best.iteration = r.state.Iteration
		r.state.Gate = &GateState{r.state.Iteration, uint64(r.updater.trainer.Steps())}
		return nil
	}
	r.best = saved
	return nil
}
