package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"tengen/configs"
	_ "tengen/game/all"
	"tengen/internal/machine"
	"tengen/metrics"
	"tengen/nn/backend/fake"
	"tengen/run"
	"tengen/tools/internal/tengen"
	"tengen/trainer"
)

// busyOptions are the command's flags.
type busyOptions struct {
	tengen.Options
	preset          string
	minutes, slower float64
	least           float64
	block           int
	calls           time.Duration
	pack            bool
	cycles          []string
	verbose         bool
}

func busy(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o := busyOptions{
		cycles: []string{
			string(configs.CycleSynchronous), string(configs.CyclePipelined),
			string(configs.CycleAsynchronous),
		},
	}
	flags := o.Flags("busy", "Busy tells how busy each cycle keeps a modelled device.\n\n  go run ./tools/measure busy --minutes 1 --slower 8\n\n", stderr)
	flags.StringVar(&o.preset, "config", "paper-alphazero", "preset or file of the configuration")
	flags.Float64Var(&o.minutes, "minutes", 5, "how long to train with each cycle")
	flags.Float64Var(&o.slower, "slower",
		1, "factor by which the device is slower, and cores seem faster")
	flags.Float64Var(&o.least, "least", 0, "least share of the time, in percent, in which the device of an asynchronous cycle is to be busy")
	flags.IntVar(&o.block, "block",
		1, "positions of a block of threads of the device: a batch takes whole blocks")
	flags.DurationVar(&o.calls, "calls",
		0, "time of a core that the driver's calls for a batch take, one batch at a time")
	flags.BoolVar(&o.pack, "pack",
		true, "evaluate small batches that would wait for each other as one, as on a device")
	flags.BoolVar(&o.verbose, "v", false, "print the log of the runs")
	flags.Func("cycle",
		"cycle to measure (default: all); several are separated by commas", func(s string) error {
			o.cycles = strings.Split(s, ",")
			return nil
		})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !(o.minutes > 0) || !(o.slower > 0) || o.block < 1 || o.calls < 0 || flags.NArg() > 0 {
		return errors.New("a time, a factor and a block above 0 and calls of 0 or longer are wanted, and no further argument")
	}
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "busy-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.Dir)) }()
	}
	r := &busyReport{Minutes: o.minutes, Model: fake.H100().Slower(o.slower)}
	r.Model.Block, r.Model.Calls, r.Model.Pack = o.block, o.calls, o.pack
	for _, cycle := range o.cycles {
		fmt.Fprintf(stderr, "%s, %g minutes\n", cycle, o.minutes)
		c, err := o.train(ctx, cycle, r, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", cycle, err)
		}
		r.Cycles = append(r.Cycles, c)
		fmt.Fprintf(stderr, "  the device is busy %.1f %% of the time\n", 100*c.Busy)
	}
	if o.JSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		_, err = io.WriteString(stdout, r.String())
	}
	return errors.Join(err, r.verdict(o.least))
}

// train measures one cycle.
func (o *busyOptions) train(
	ctx context.Context, cycle string, r *busyReport, stderr io.Writer,
) (*cycleReport, error) {
	set := []string{"training.iterations=1000000", "evaluation.every=0", "training.cycle=" + cycle}
	set = append(set, o.Set...)
	resolved, err := configs.Resolve(configs.Options{Name: o.preset, Set: set})
	if err != nil {
		return nil, err
	}
	plan, err := trainer.NewPlan(&resolved.Config)
	if err != nil {
		return nil, err
	}
	device := fake.NewModelled(r.Model)
	plan.Backend = device
	r.Device = device.Describe()
	log := slog.New(slog.DiscardHandler)
	if o.verbose {
		log = slog.New(slog.NewTextHandler(stderr, nil))
	}
	monitor := new(trainer.Monitor)
	limited, cancel := context.WithTimeout(ctx, time.Duration(o.minutes*float64(time.Minute)))
	defer cancel()
	began, used := time.Now(), machine.CPUTime()
	device.Usage()
	err = trainer.Run(limited, trainer.Options{
		Plan: plan, Folder: run.Folder(filepath.Join(o.Dir, cycle)), Monitor: monitor,
		Metrics: metrics.New(nil), Log: log, Now: time.Now, Command: "busy",
	})
	if err != nil && (ctx.Err() != nil || limited.Err() == nil) {
		return nil, err
	}
	u, seconds, cores := device.Usage(), time.Since(began).Seconds(),
		(machine.CPUTime() - used).Seconds()
	c := &monitor.Counters
	status := monitor.Status()
	x := &cycleReport{
		Cycle: cycle, Usage: u, Workers: plan.Workers, GamesAtOnce: plan.ConcurrentGames(),
		Iterations: status.Iteration,
		Games:      c.Games.Load(), Evaluations: c.Evaluations.Load(),
		CacheHits: c.CacheHits.Load(),
	}
	x.PerSecond = float64(x.Evaluations) / seconds
	if n := c.Batches.Load(); n > 0 {
		x.Batch = float64(x.Evaluations) / float64(n)
	}
	if cores > 0 {
		x.Cores = cores / seconds
		x.Microseconds = 1e6 * cores / float64(max(1, x.Evaluations+x.CacheHits))
	}
	return x, nil
}

// busyReport is what busy prints.
type busyReport struct {
	Device  string         `json:"device"`
	Model   fake.Model     `json:"-"`
	Minutes float64        `json:"minutes"` // of each cycle, at least
	Cycles  []*cycleReport `json:"cycles"`
}

// cycleReport is the measurement of a cycle.
type cycleReport struct {
	Cycle string `json:"cycle"`
	fake.Usage
	Workers     int     `json:"workers"`
	GamesAtOnce int     `json:"games_at_once"` // at most
	Iterations  int     `json:"iterations"`
	Games       uint64  `json:"games"`
	Evaluations uint64  `json:"evaluations"`
	CacheHits   uint64  `json:"cache_hits"`
	PerSecond   float64 `json:"evaluations_per_second"`
	Batch       float64 `json:"mean_batch"`
	// time of cores a second that this process had; 0: unknown
	Cores float64 `json:"cores"`
	// time of a core in all ÷ evaluations and hits of the cache
	Microseconds float64 `json:"microseconds_per_evaluation"`
}

func (r *busyReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Device)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "cycle\tbusy\twork\tof it training\tevaluations/s\ta batch\ta launch\titerations\tseconds\tcores of %d\tµs of a core\n", runtime.GOMAXPROCS(0))
	for _, c := range r.Cycles {
		fmt.Fprintf(w, "%s\t%.1f %%\t%.1f %%\t%.1f %%\t%.0f\t%.0f\t%.0f\t%d\t%.0f\t%.2f\t%.2f\n",
			c.Cycle, 100*c.Busy, 100*c.Work, 100*c.Training,
			c.PerSecond, c.Batch, float64(c.Rows)/float64(max(1, c.Batches)), c.Iterations,
			c.Seconds, c.Cores, c.Microseconds)
	}
	w.Flush()
	return b.String()
}

// verdict returns an error if an asynchronous cycle did not keep the device busy.
func (r *busyReport) verdict(least float64) error {
	for _, c := range r.Cycles {
		if c.Cycle == string(configs.CycleAsynchronous) && 100*c.Busy < least {
			return fmt.Errorf("an asynchronous cycle kept the device busy for %.1f %% of the time; %g %% are wanted", 100*c.Busy, least)
		}
	}
	return nil
}
