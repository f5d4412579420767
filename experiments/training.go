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
	"tengen/run"
	"tengen/trainer"
)

// Arm is one condition of an experiment: a preset with some keys changed.
type Arm struct {
	Name string
	Set  []string // key=value, after those of the experiment
}

// Training says how an experiment trains its arms.
type Training struct {
	Dir    string // holds a folder for each arm and seed
	Preset string
	Set    []string // key=value, in every arm before the arm's own
	Device Device   // trains and evaluates
	Log    *slog.Logger
}

// Trained is an arm trained from one seed.
type Trained struct {
	Plan     *trainer.Plan
	Weights  nn.Network    // on the device
	Progress *run.Progress // of its last iteration
}

// Train trains an arm from a seed in a folder of its own, unless the folder holds a finished
// run of the same configuration.
func (t *Training) Train(ctx context.Context, arm Arm, seed int) (*Trained, error) {
	folder := run.Folder(filepath.Join(t.Dir, fmt.Sprintf("%s-%d", arm.Name, seed)))
	set := append([]string{fmt.Sprintf("seed=%d", seed)}, t.Set...)
	resolved, err := configs.Resolve(configs.Options{Name: t.Preset, Set: append(set, arm.Set...)})
	if err != nil {
		return nil, err
	}
	plan, err := trainer.NewPlan(&resolved.Config)
	if err != nil {
		return nil, err
	}
	plan.Backend = t.Device.Backend
	if !folder.Exists() {
		t.Log.Info("training", "arm", arm.Name, "seed", seed, "run", string(folder))
		monitor := new(trainer.Monitor)
		began := time.Now()
		err := trainer.Run(ctx, trainer.Options{
			Plan: plan, Folder: folder, Monitor: monitor, Metrics: metrics.New(nil), Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		if err != nil {
			return nil, fmt.Errorf("%s (remove it to train this arm again): %w", folder, err)
		}
		p := monitor.Status().Last
		t.Log.Info("trained", "arm", arm.Name, "seed", seed, "games", p.Games, "steps", p.Steps,
			"evaluations", p.Evaluations, "took", time.Since(began).Round(time.Second))
	}
	return finished(folder, plan, t.Device)
}

// finished reads a finished run of the plan's configuration.
func finished(folder run.Folder, plan *trainer.Plan, d Device) (*Trained, error) {
	written, err := folder.ReadConfig()
	if err != nil {
		return nil, err
	}
	if !sameConfig(written, plan.Config) {
		return nil, fmt.Errorf("%s holds a run of another configuration: remove the folder, or name another --dir", folder)
	}
	history, err := folder.History()
	if err != nil {
		return nil, err
	}
	r := &Trained{Plan: plan}
	ended := false
	for _, e := range history {
		if e.Progress != nil {
			r.Progress = e.Progress
		}
		ended = e.Kind == run.EventStop && e.Message == run.Finished
	}
	if !ended || r.Progress == nil {
		return nil, fmt.Errorf("%s holds a run that was interrupted: the experiment needs a finished one, so remove the folder", folder)
	}
	c, passedOver, err := checkpoints.Latest(folder.Checkpoints())
	if err := errors.Join(append(passedOver, err)...); err != nil {
		return nil, err
	}
	params := c.Params
	if c.Average != nil {
		params = c.Average
	}
	r.Weights, err = d.Load(params)
	return r, err
}

// sameConfig compares configurations as they are written.
func sameConfig(a, b *configs.Config) bool {
	x, errX := a.YAML()
	y, errY := b.YAML()
	return errX == nil && errY == nil && string(x) == string(y)
}
