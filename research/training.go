package research

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/game"
	"tengen/metrics"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/player"
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
	Params   *nn.Params
	Weights  nn.Network    // Params on the device
	Progress *run.Progress // of its last iteration
}

// Train trains an arm from a seed in a folder of its own. It resumes a run that was interrupted,
// and reads one that is finished; the folder must not hold a run of another configuration.
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
	if t.Device.Backend != nil {
		plan.Backend = t.Device.Backend
	}
	if folder.Exists() {
		written, err := folder.ReadConfig()
		if err != nil {
			return nil, err
		}
		if !sameConfig(written, plan.Config) {
			return nil,
				fmt.Errorf("%s holds a run of another configuration: remove the folder, or name another --dir", folder)
		}
	}
	ended, err := Ended(folder)
	if err != nil {
		return nil, err
	}
	if !ended {
		t.Log.Info("training", "arm", arm.Name, "seed", seed, "run", string(folder))
		began := time.Now()
		if err := Finish(ctx, trainer.Options{
			Plan: plan, Folder: folder, Log: slog.New(slog.DiscardHandler),
		}); err != nil {
			return nil, err
		}
		p, err := last(folder)
		if err != nil {
			return nil, err
		}
		t.Log.Info("trained", "arm", arm.Name, "seed", seed, "games", p.Games, "steps", p.Steps,
			"evaluations", p.Evaluations, "took", time.Since(began).Round(time.Second))
	}
	return Read(folder, plan)
}

// Finish trains the run of o.Plan in o.Folder to its end: it begins the run, or resumes it if it
// was interrupted. It sets the rest of o that is not set, but for Log.
func Finish(ctx context.Context, o trainer.Options) error {
	o.Resume = o.Folder.Exists()
	if o.Monitor == nil {
		o.Monitor = new(trainer.Monitor)
	}
	if o.Metrics == nil {
		o.Metrics = metrics.New(nil)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := trainer.Run(ctx, o); err != nil {
		return fmt.Errorf("train %s: %w", o.Folder, err)
	}
	return nil
}

// Ended reports whether a folder holds a run that was trained to its end.
func Ended(folder run.Folder) (bool, error) {
	if !folder.Exists() {
		return false, nil
	}
	history, err := folder.History()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // the process that created the folder was killed
	}
	if err != nil {
		return false, err
	}
	ended := false
	for _, e := range history {
		ended = e.Kind == run.EventStop && e.Message == run.Finished
	}
	return ended, nil
}

// last returns the progress of a run's last iteration.
func last(folder run.Folder) (*run.Progress, error) {
	history, err := folder.History()
	if err != nil {
		return nil, err
	}
	var p *run.Progress
	for _, e := range history {
		if e.Progress != nil {
			p = e.Progress
		}
	}
	if p == nil {
		return nil, fmt.Errorf("%s: its event log has no iteration", folder)
	}
	return p, nil
}

// Read reads the newest network of a run that was trained to its end, with averaged weights if it
// has them.
func Read(folder run.Folder, plan *trainer.Plan) (*Trained, error) {
	r := &Trained{Plan: plan}
	var err error
	if r.Progress, err = last(folder); err != nil {
		return nil, err
	}
	c, passedOver, err := checkpoints.Latest(folder.Checkpoints())
	if err := errors.Join(append(passedOver, err)...); err != nil {
		return nil, err
	}
	if r.Params = c.Params; c.Average != nil {
		r.Params = c.Average
	}
	r.Weights, err = plan.Load(r.Params)
	return r, err
}

// sameConfig compares configurations as they are written.
func sameConfig(a, b *configs.Config) bool {
	x, errX := a.YAML()
	y, errY := b.YAML()
	return errX == nil && errY == nil && string(x) == string(y)
}

// Device is where an experiment's networks are evaluated and trained: the zero value on the
// processor.
type Device struct{ Backend backend.Backend }

// backend returns the Backend.
func (d Device) backend() backend.Backend {
	if d.Backend == nil {
		return backend.NewCPU()
	}
	return d.Backend
}

// Parse reads a player of g as player.Parse does. Its network, if it has one, is evaluated on the
// device.
func (d Device) Parse(g game.Game, text string) (player.Player, error) {
	p, err := player.Parse(g, text)
	if err != nil {
		return nil, err
	}
	return p, player.On(p, d.Load)
}

// Load loads a network.
func (d Device) Load(p *nn.Params) (nn.Network, error) { return d.backend().Load(p) }

// GamesPerWorker returns the number of concurrent games of a worker whose positions are evaluated
// in one batch: what suits the device, and onCPU on the processor.
func (d Device) GamesPerWorker(onCPU int) int {
	if n := d.backend().Rows(); n > 0 {
		return n
	}
	return onCPU
}
