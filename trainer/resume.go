package trainer

import (
	"encoding/json"
	"fmt"
	"sort"

	"tengen/checkpoints"
	"tengen/nn"
	"tengen/nn/kernels"
	"tengen/nn/train"
	"tengen/replay"
)

// restore puts everything as it was when the checkpoint was written.
func (r *run) restore(c *checkpoints.Checkpoint) error {
	if c.Game != r.plan.Game.Name() {
		return fmt.Errorf("resume %s: its checkpoint is of %s, its configuration of %s", r.folder, c.Game, r.plan.Game.Name())
	}
	if err := json.Unmarshal(c.State, &r.state); err != nil {
		return fmt.Errorf("resume %s: the checkpoint's state: %w", r.folder, err)
	}
	if on := r.plan.Config.Evaluation.Gate; on != (r.state.Gate != nil) {
		return fmt.Errorf("resume %s: evaluation.gate=%v: the run began with %v and keeps it", r.folder, on, !on)
	}
	if err := r.learner.trainer.SetState(train.State{Steps: int(c.Step), Tensors: c.Optimizer}); err != nil {
		return fmt.Errorf("resume %s: %w", r.folder, err)
	}
	if now := kernels.Selected().String(); r.state.Kernels != "" && r.state.Kernels != now {
		r.log.Warn("other kernels than before: the network will differ in the last bits from an uninterrupted run's",
			"before", r.state.Kernels, "now", now)
	}
	r.before, r.counted = r.state.Elapsed, c.Step
	// Games beyond the checkpoint are of the iteration that was interrupted.
	numbers := r.plan.numbers(r.state.Iteration)
	end := uint64(r.state.Games + len(numbers))
	games, err := r.load(end, r.plan.Config.Replay.Games+len(numbers))
	if err != nil {
		return err
	}
	n := sort.Search(len(games), func(i int) bool { return games[i].Number >= uint64(r.state.Games) })
	if want := min(r.state.Games, r.plan.Config.Replay.Games); n < want {
		return fmt.Errorf("resume %s: %d of the %d games of the replay window can't be read from %s", r.folder, want-n, want, r.folder.Replay())
	}
	for _, g := range games[:n] {
		if err := r.learner.window.Add(g); err != nil {
			return fmt.Errorf("resume %s: %w", r.folder, err)
		}
	}
	r.pending = games[n:]
	return nil
}

// restoreBest finds the network that the gate let through last.
func (r *run) restoreBest(weights *nn.Weights) {
	if r.state.Gate == nil {
		if !r.plan.Config.Evaluation.Gate {
			return
		}
		r.state.Gate = &GateState{} // a new run: its first weights
	}
	defer func() { r.metrics.BestIteration.Set(float64(r.best.iteration)) }()
	best := r.state.Gate.Best
	if r.best = (network{best, weights}); best == r.state.Iteration {
		return
	}
	saved, err := r.plan.saved(r.folder, best)
	if err != nil {
		// The run is worth more than its being the same as an uninterrupted one.
		r.warn(fmt.Sprintf("the best network, of iteration %d, can't be read; that of iteration %d takes its place: %v", best, r.state.Iteration, err), r.state.Iteration)
		r.best.iteration = r.state.Iteration
		r.state.Gate = &GateState{r.state.Iteration, uint64(r.learner.trainer.Steps())}
		return
	}
	r.best = saved
}

// load reads the last games before a number back from disk.
func (r *run) load(before uint64, capacity int) ([]*replay.Game, error) {
	games, damages, err := replay.Load(osFS, r.folder.Replay(), before, capacity)
	for _, d := range damages {
		r.log.Warn("a damaged part of the replay is passed over", "reason", d)
	}
	if err != nil {
		return nil, fmt.Errorf("resume %s: %w", r.folder, err)
	}
	return games, nil
}
