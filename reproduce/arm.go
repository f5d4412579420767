package reproduce

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

// run is one arm trained from one seed.
type run struct {
	plan     *trainer.Plan
	weights  *nn.Weights
	progress *trainer.Progress // of its last iteration; nil where it was trained before
}

// train trains an arm from a seed in a folder of its own, unless a finished
// run of the same configuration is there.
func (a *DescentAblation) train(ctx context.Context, arm Arm, seed int, log *slog.Logger) (*run, error) {
	folder := trainer.Folder(filepath.Join(a.Dir, fmt.Sprintf("%s-%d", arm.Name, seed)))
	set := append([]string{
		fmt.Sprintf("seed=%d", seed), fmt.Sprintf("training.minutes=%g", a.Minutes),
	}, arm.Set...)
	if a.Game != "" {
		set = append(set, "game="+a.Game)
	}
	resolved, err := configs.Resolve(configs.Options{Name: "descent-ablation", Set: append(set, a.Set...)})
	if err != nil {
		return nil, err
	}
	plan, err := trainer.NewPlan(&resolved.Config)
	if err != nil {
		return nil, err
	}
	r := &run{plan: plan}
	if !folder.Exists() {
		monitor := new(trainer.Monitor)
		began := time.Now()
		err := trainer.Run(ctx, trainer.Options{
			Plan: plan, Folder: folder, Monitor: monitor, Metrics: metrics.New(nil), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		if err != nil {
			return nil, fmt.Errorf("%s (remove it to train this arm again): %w", folder, err)
		}
		r.progress = monitor.Status().Last
		log.Info("trained", "arm", arm.Name, "seed", seed, "games", r.progress.Games, "steps", r.progress.Steps,
			"evaluations", r.progress.Evaluations, "took", time.Since(began).Round(time.Second))
	}
	c, passedOver, err := checkpoints.Latest(folder.Checkpoints())
	if err := errors.Join(append(passedOver, err)...); err != nil {
		return nil, err
	}
	history, err := folder.History()
	if err != nil {
		return nil, err
	}
	ended := false
	for _, e := range history {
		if e.Progress != nil {
			r.progress = e.Progress
		}
		ended = e.Event == "stop" && e.Message == trainer.Finished
	}
	if !ended {
		return nil, fmt.Errorf("%s holds a run that was interrupted: a measurement wants its whole time, so remove the folder", folder)
	}
	if written, err := configs.Resolve(configs.Options{Name: folder.Config()}); err != nil {
		return nil, err
	} else if !sameConfig(written.Config, resolved.Config) {
		return nil, fmt.Errorf("%s holds a run of another configuration: remove the folder, or name another --dir", folder)
	}
	params := c.Params
	if c.Average != nil {
		params = c.Average
	}
	r.weights = nn.Fold(params)
	return r, nil
}

// sameConfig compares configurations as they are written.
func sameConfig(a, b configs.Config) bool {
	x, errX := a.YAML()
	y, errY := b.YAML()
	return errX == nil && errY == nil && string(x) == string(y)
}
