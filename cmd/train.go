package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"

	"tengen/configs"
	"tengen/metrics"
	"tengen/nn/kernels"
	"tengen/trainer"
)

func newTrain() *cobra.Command {
	var flags trainFlags
	c := &cobra.Command{
		Use:   "train [CONFIG]",
		Short: "Train a network by self-play",
		Long: `Train plays games against itself, learns from them, and keeps the network in a
folder of the run's own (--run), from where ` + "`tengen eval`" + ` and ` + "`tengen play`" + `
take it. CONFIG is a preset (quick, which is the default: three-player 5×5 Go on two
cores within the hour) or a YAML file; ` + "`tengen config`" + ` prints what it comes to.

Ctrl-C ends the step at hand, keeps everything and says how to go on (--resume);
a second Ctrl-C ends at once, and costs no more than the step at hand. A run
that was interrupted ends with the same network as one that was not.`,
		Example: `  tengen train
  tengen train --run runs/mine --set seed=7 --set search.simulations=64
  tengen train --resume --run runs/mine
  tengen train paper-alphazero --dry-run`,
		Args: arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error { return train(c, args, &flags) },
	}
	flags.config.add(c.Flags())
	c.Flags().StringVar(&flags.run, "run", "", "folder of the run (default: runs/ and CONFIG's name)")
	c.Flags().BoolVar(&flags.resume, "resume", false, "go on with the run in the folder")
	c.Flags().BoolVar(&flags.dry, "dry-run", false, "say what the run will take, from a short measurement, and write nothing")
	c.Flags().BoolVar(&flags.json, "json", false, "with --dry-run: print JSON")
	c.Flags().StringVar(&flags.metrics, "metrics-addr", "", "host:port of the metrics, or none (default: metrics.address of the configuration)")
	return c
}

type trainFlags struct {
	config  configFlags
	run     string
	metrics string
	resume  bool
	dry     bool
	json    bool
}

// folder is the run's folder.
func (f *trainFlags) folder(args []string) trainer.Folder {
	if f.run != "" {
		return trainer.Folder(f.run)
	}
	name := configs.DefaultPreset
	if len(args) > 0 {
		name = strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
	}
	return trainer.Folder(filepath.Join("runs", name))
}

func train(c *cobra.Command, args []string, f *trainFlags) error {
	folder := f.folder(args)
	var r *configs.Resolved
	var err error
	if f.resume {
		r, err = f.resumed(folder, args)
	} else {
		r, err = f.config.resolve(args)
	}
	if err != nil {
		return err
	}
	if f.json && !f.dry {
		return usagef("--json goes with --dry-run; a run's history is in its events.jsonl")
	}
	plan, err := trainer.NewPlan(&r.Config)
	if err != nil {
		return usage(err)
	}
	if f.dry {
		return dryRun(c, plan, f.json)
	}
	if !f.resume && folder.Exists() {
		return fmt.Errorf("%s already holds a run: --resume goes on with it, --run DIR puts the new one elsewhere", folder)
	}

	monitor := new(trainer.Monitor)
	screen := newScreen(c.ErrOrStderr(), monitor)
	defer screen.close()
	log := slog.New(tint.NewTextHandler(screen, &tint.Options{TimeFormat: time.TimeOnly, NoColor: !screen.color}))
	collectors := metrics.New(nil)
	server, err := serveMetrics(c.Context(), collectors, r.Config.Metrics.Address, f.metrics, log)
	if err != nil {
		return err
	}
	if server != nil {
		defer server.Close()
	}
	log.Info("training", "game", plan.Game.Name(), "network", network(plan.Spec), "run", string(folder),
		"iterations", r.Config.Training.Iterations, "games_an_iteration", r.Config.Training.Games, "workers", plan.Workers, "kernels", kernels.Selected().String())

	screen.begin()
	defer context.AfterFunc(c.Context(), func() {
		log.Info("stopping after the step at hand; a second Ctrl-C ends at once, and the step is made again on --resume")
	})()
	err = trainer.Run(c.Context(), trainer.Options{
		Plan: plan, Folder: folder, Resume: f.resume, Monitor: monitor, Metrics: collectors, Log: log, Now: time.Now,
		Command: commandLine(c),
	})
	screen.close()
	status := monitor.Status()
	switch {
	case err == nil:
		fmt.Fprintf(c.ErrOrStderr(), "trained for %d iterations; measure it against UCT with: tengen eval %s\n", status.Iterations, folder)
		return nil
	case errors.Is(err, context.Canceled) && c.Context().Err() != nil:
		return &stoppedError{fmt.Sprintf("stopped after iteration %d of %d, nothing is lost; go on with: tengen train --resume --run %s",
			status.Iteration, status.Iterations, folder), err}
	}
	return err
}

// stoppedError says what a signal ended, and how to go on.
type stoppedError struct {
	text string
	err  error // the context's
}

func (s *stoppedError) Error() string { return s.text }
func (s *stoppedError) Unwrap() error { return s.err }

// changeable are the groups of keys that may change when a run is resumed: they
// say how the run is made and watched, not what it computes.
var changeable = []string{"selfplay.", "evaluation.", "checkpoints.", "metrics."}

// unchangeable is the beginning of keys in these groups that say what is computed all the same.
const unchangeable = "evaluation.gate"

// resumed is the configuration of the run in the folder, with what --set changes.
func (f *trainFlags) resumed(folder trainer.Folder, args []string) (*configs.Resolved, error) {
	if len(args) > 0 && f.run != "" {
		return nil, usagef("--resume goes on with the configuration in %s: leave %q out", folder, args[0])
	}
	if !folder.Exists() {
		return nil, fmt.Errorf("%s holds no run to resume; without --resume a new one begins there", folder)
	}
	for _, set := range f.config.set {
		key, _, _ := strings.Cut(set, "=")
		ok := false
		for _, group := range changeable {
			ok = ok || strings.HasPrefix(key, group) && !strings.HasPrefix(key, unchangeable)
		}
		if !ok {
			return nil, usagef("--set %s: a run that has begun keeps its %s; what may change is %s, but for %s*", set, key, strings.Join(changeable, "*, ")+"*", unchangeable)
		}
	}
	r, err := configs.Resolve(configs.Options{Name: folder.Config(), Set: f.config.set})
	return r, usage(err)
}

// serveMetrics serves the metrics where the flag, or else the configuration, says.
func serveMetrics(ctx context.Context, m *metrics.Metrics, configured, flag string, log *slog.Logger) (*metrics.Server, error) {
	address := configured
	if flag != "" {
		address = flag
	}
	if address == "" || address == "none" {
		return nil, nil
	}
	server, err := m.Serve(ctx, address)
	switch {
	case err != nil && flag != "":
		return nil, err
	case err != nil:
		// Asked for by a preset, not by a person: the run is worth more.
		log.Warn("no metrics are served", "reason", err)
		return nil, nil
	}
	log.Info("metrics", "at", "http://"+server.Address()+"/metrics")
	return server, nil
}

// dryRunTime is how long --dry-run measures.
const dryRunTime = 10 * time.Second

func dryRun(c *cobra.Command, p *trainer.Plan, asJSON bool) error {
	fmt.Fprintf(c.ErrOrStderr(), "measuring for %v …\n", dryRunTime)
	e, err := trainer.Measure(c.Context(), p, dryRunTime)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), e)
	}
	return writeEstimate(c.OutOrStdout(), p, e)
}

func writeEstimate(w io.Writer, p *trainer.Plan, e *trainer.Estimate) error {
	span := func(s float64) string { return time.Duration(s * float64(time.Second)).Round(time.Second).String() }
	return writeFigures(w, fmt.Sprintf("%s, %s, %d workers", p.Game.Name(), network(p.Spec), p.Workers), []figure{
		{"parameters", fmt.Sprintf("%d", e.Parameters)},
		{"memory, about", fmt.Sprintf("%d MiB", e.MemoryBytes>>20)},
		{"evaluations", fmt.Sprintf("%.0f a second, %.0f a game (%.0f plies)", e.EvaluationsPerSecond, e.EvaluationsPerGame, e.PliesPerGame)},
		{"UCT's games", fmt.Sprintf("%.1f a second", e.UCTGamesPerSecond)},
		{"training steps", fmt.Sprintf("%.1f a second, %d in all", e.StepsPerSecond, e.Steps)},
		{"self-play", fmt.Sprintf("%s for %d games", span(e.SelfPlaySeconds), e.Games)},
		{"updates", span(e.UpdateSeconds)},
		{"in all, about", span(e.TotalSeconds) + ", evaluations not counted"},
	})
}

// isTerminal says whether w shows a person a screen.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && terminal(f)
}
