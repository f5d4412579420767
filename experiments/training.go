package experiments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/metrics"
	"tengen/nn"
	"tengen/trainer"
)

// Arm is one condition of an experiment: a preset with some keys changed.
type Arm struct {
	Name string
	Set  []string // key=value, beside what the experiment sets
}

// training is how an experiment trains its arms.
type training struct {
	dir    string // holds a folder for each arm and seed
	preset string
	set    []string // in every arm, before the arm's own
	log    *slog.Logger
}

// trained is one arm trained from one seed.
type trained struct {
	plan     *trainer.Plan
	weights  *nn.Weights
	progress *trainer.Progress // of its last iteration
}

// train trains an arm from a seed in a folder of its own, unless a finished
// run of the same configuration is there.
func (t *training) train(ctx context.Context, arm Arm, seed int) (*trained, error) {
	folder := trainer.Folder(filepath.Join(t.dir, fmt.Sprintf("%s-%d", arm.Name, seed)))
	set := append([]string{fmt.Sprintf("seed=%d", seed)}, t.set...)
	resolved, err := configs.Resolve(configs.Options{Name: t.preset, Set: append(set, arm.Set...)})
	if err != nil {
		return nil, err
	}
	plan, err := trainer.NewPlan(&resolved.Config)
	if err != nil {
		return nil, err
	}
	if !folder.Exists() {
		t.log.Info("training", "arm", arm.Name, "seed", seed, "run", string(folder))
		monitor := new(trainer.Monitor)
		began := time.Now()
		err := trainer.Run(ctx, trainer.Options{
			Plan: plan, Folder: folder, Monitor: monitor, Metrics: metrics.New(nil), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		if err != nil {
			return nil, fmt.Errorf("%s (remove it to train this arm again): %w", folder, err)
		}
		p := monitor.Status().Last
		t.log.Info("trained", "arm", arm.Name, "seed", seed, "games", p.Games, "steps", p.Steps,
			"evaluations", p.Evaluations, "took", time.Since(began).Round(time.Second))
	}
	return finished(folder, plan)
}

// finished reads a finished run of the plan's configuration.
func finished(folder trainer.Folder, plan *trainer.Plan) (*trained, error) {
	written, err := configs.Resolve(configs.Options{Name: folder.Config()})
	if err != nil {
		return nil, err
	}
	if !sameConfig(&written.Config, plan.Config) {
		return nil, fmt.Errorf("%s holds a run of another configuration: remove the folder, or name another --dir", folder)
	}
	history, err := folder.History()
	if err != nil {
		return nil, err
	}
	r := &trained{plan: plan}
	ended := false
	for _, e := range history {
		if e.Progress != nil {
			r.progress = e.Progress
		}
		ended = e.Event == "stop" && e.Message == trainer.Finished
	}
	if !ended || r.progress == nil {
		return nil, fmt.Errorf("%s holds a run that was interrupted: the experiment wants it whole, so remove the folder", folder)
	}
	c, passedOver, err := checkpoints.Latest(folder.Checkpoints())
	if err := errors.Join(append(passedOver, err)...); err != nil {
		return nil, err
	}
	params := c.Params
	if c.Average != nil {
		params = c.Average
	}
	r.weights = nn.Fold(params)
	return r, nil
}

// sameConfig compares configurations as they are written.
func sameConfig(a, b *configs.Config) bool {
	x, errX := a.YAML()
	y, errY := b.YAML()
	return errX == nil && errY == nil && string(x) == string(y)
}
