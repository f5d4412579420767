package trainer

import (
	"encoding/json"
	"fmt"

	"tengen/checkpoints"
	"tengen/nn/train"
)

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
