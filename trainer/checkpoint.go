package trainer

import (
	"encoding/json"
	"fmt"

	"tengen/checkpoints"
	"tengen/metrics"
	"tengen/nn/kernels"
	"tengen/replay"
)

// checkpoint writes the run's present state.
func (r *run) checkpoint() error {
	r.enter(metrics.Checkpoint, 0)
	began := r.now()
	solver := r.learner.trainer.State()
	r.state.Elapsed, r.state.Kernels = r.elapsed().Seconds(), kernels.Selected().String()
	state, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return fmt.Errorf("checkpoint %d: %w", r.state.Iteration, err)
	}
	c := &checkpoints.Checkpoint{
		Iteration: r.state.Iteration, Step: uint64(solver.Steps), Game: r.plan.Game.Name(),
		Params: r.learner.trainer.Params(), Optimizer: solver.Tensors, State: state,
	}
	if r.plan.Train.EMA > 0 {
		c.Average = r.learner.trainer.Averaged()
	}
	if _, err := checkpoints.Save(r.folder.Checkpoints(), c); err != nil {
		return err
	}
	k := r.plan.Config.Checkpoints
	keep := r.evaluations.wanted()
	if r.state.Gate != nil {
		keep = append(keep, r.state.Gate.Best)
	}
	if err := checkpoints.Retain(r.folder.Checkpoints(), checkpoints.Policy{KeepLast: k.KeepLast, KeepEvery: k.KeepEvery, Keep: keep}); err != nil {
		return err
	}
	r.metrics.Checkpoint(r.now(), r.now().Sub(began))
	return r.prune()
}

// prune removes the games that the windows of the newest checkpoints, those that a
// resumed run may begin from, do not hold.
func (r *run) prune() error {
	c := r.plan.Config
	oldest := r.state.Iteration - c.Checkpoints.KeepLast + 1
	if c.Replay.KeepAll || oldest <= 0 {
		return nil
	}
	first := int(r.plan.numbers(oldest)[0]) - c.Replay.Games
	if first <= 0 {
		return nil
	}
	removed, err := replay.Prune(osFS, r.folder.Replay(), uint64(first))
	if err != nil {
		return fmt.Errorf("remove old games: %w", err)
	}
	for _, segment := range removed {
		r.log.Debug("old games are removed", "segment", segment)
	}
	return nil
}
