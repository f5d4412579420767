package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"tengen/cmd/internal/cli"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/machine"
	"tengen/internal/random"
	"tengen/nn"
	training "tengen/nn/train"
	"tengen/run"
	"tengen/trainer"
)

// New returns the group of measurements.
func New() *cobra.Command {
	c := cli.Group(&cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of games, searches, networks and training",
		Long: `Bench measures this machine. Each command works for a few seconds on one core, then on
all cores, and prints rates. Do not run anything else at the same time.`,
		Example: `  tengen bench game go:size=5,players=3
  tengen bench search --seconds 5
  tengen bench nn paper-alphazero --json
  tengen bench train --seconds 10`,
	})
	c.AddCommand(newBenchGame(), newBenchSearch(), newBenchLeaves(), newBenchNN(), newBenchTrain(),
		newBenchSelfPlay())
	return c
}

// seed is that of all that is drawn.
const seed = 1

// benchFlags holds the flags of every measurement.
type benchFlags struct {
	seconds float64
	json    bool
}

func (f *benchFlags) add(flags *pflag.FlagSet) {
	flags.Float64Var(&f.seconds, "seconds", 2, "duration of each measurement")
	flags.BoolVar(&f.json, "json", false, "print JSON")
}

func (f *benchFlags) duration() (time.Duration, error) {
	if !(f.seconds > 0 && f.seconds <= 3600) {
		return 0, cli.Usagef("--seconds %g: a number above 0, to 3600, is wanted", f.seconds)
	}
	return time.Duration(f.seconds * float64(time.Second)), nil
}

// tally holds the counts of one measurement.
type tally struct {
	units       int           // done in all
	elapsed     time.Duration // from the first to the last
	allocations uint64        // by all
	// of the workers' cores that this process had, 0 to 1; 1 where the system does not tell
	share float64
}

// rate returns units per second.
func (t tally) rate() float64 { return float64(t.units) / t.elapsed.Seconds() }

// measure runs the workers concurrently for d. prepare returns the function that worker i calls
// repeatedly; it does some work and returns the number of units done. Neither prepare nor the
// first call of each function, which fills caches, is measured.
func measure(
	ctx context.Context, d time.Duration, workers int, prepare func(i int) func() int,
) (tally, error) {
	work := make([]func() int, workers)
	for i := range work {
		work[i] = prepare(i)
		work[i]()
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var units atomic.Int64
	var group sync.WaitGroup
	began, used := time.Now(), machine.CPUTime()
	for _, f := range work {
		group.Go(func() {
			// However little time there is, what is done once is a figure, and nothing is none.
			for first := true; (first || time.Since(began) < d) && ctx.Err() == nil; first = false {
				units.Add(int64(f()))
			}
		})
	}
	group.Wait()
	t := tally{units: int(units.Load()), elapsed: time.Since(began), share: 1}
	if used > 0 {
		t.share = min(1, (machine.CPUTime()-used).Seconds()/(t.elapsed.Seconds()*float64(workers)))
	}
	runtime.ReadMemStats(&after)
	// The goroutines themselves allocate a little.
	t.allocations = after.Mallocs - before.Mallocs
	return t, ctx.Err()
}

// measureCores measures on one core, then on all.
func measureCores(
	ctx context.Context, d time.Duration, prepare func(i int) func() int,
) (one, all tally, err error) {
	if one, err = measure(ctx, d, 1, prepare); err == nil {
		all, err = measure(ctx, d, cli.Cores(), prepare)
	}
	return one, all, err
}

// busy returns a warning if other programs used a considerable part of the cores' time, and ""
// otherwise.
func busy(list ...tally) string {
	least := 1.0
	for _, t := range list {
		least = min(least, t.share)
	}
	if least >= 0.95 {
		return ""
	}
	return fmt.Sprintf(
		"the machine was busy: only %.0f %% of the cores' time was had, so the rates are too low",
		100*least)
}

// warnBusy prints the warning of busy to the standard error.
func warnBusy(c *cobra.Command, list ...tally) {
	if text := busy(list...); text != "" {
		cli.Warn(c, "%s", text)
	}
}

// onAllCores returns the name of a figure measured on all cores.
func onAllCores(what string) string {
	if n := cli.Cores(); n != 1 {
		return fmt.Sprintf("%s on %d cores", what, n)
	}
	return what + " on the only core"
}

// benchPresets are the presets whose networks are measured by default.
var benchPresets = []string{"paper-alphazero", "quick"}

// subject is a network to measure, with random weights.
type subject struct {
	game   game.Game
	spec   nn.Spec
	params *nn.Params
	train  training.Config // Batch is that of evaluations too
}

// newSubjects returns the network of the configuration that args or flags give, or those of
// benchPresets, each with each batch.
func newSubjects(
	f *cli.ConfigFlags, args []string, batches []int, seed uint64,
) ([]subject, error) {
	names := args
	if len(args) == 0 && len(f.Set) == 0 {
		names = benchPresets
	}
	if len(names) == 0 {
		names = []string{configs.DefaultPreset}
	}
	var list []subject
	for _, name := range names {
		r, err := f.Resolve([]string{name})
		if err != nil {
			return nil, err
		}
		s, err := newSubject(&r.Config, seed)
		if err != nil {
			return nil, err
		}
		for _, n := range batches {
			s.train.Batch = n
			list = append(list, s)
		}
	}
	return list, nil
}

func newSubject(c *configs.Config, seed uint64) (subject, error) {
	g, err := cli.ParseGame(c.Game)
	if err != nil {
		return subject{}, err
	}
	s, err := run.NetworkSpec(c, g)
	if err != nil {
		return subject{}, cli.Usage(err)
	}
	if err := trainer.Fits(&s, c.Training.Batch); err != nil {
		return subject{}, cli.Usage(err)
	}
	params, err := nn.NewParams(s)
	if err != nil {
		return subject{}, cli.Usage(err)
	}
	params.Init(random.New(seed, random.Weights))
	t := training.DefaultConfig() // with the losses of the configuration, whose kernels are its own
	t.Optimizer, t.PolicyLogits = training.OptimizerAdam,
		c.Training.PolicyLoss == configs.PolicyLogits
	t.LabelWeight, t.BeliefWeight = c.Training.LabelWeight, c.Training.BeliefWeight
	return subject{g, s, params, t}, nil
}

// observe fills rows with observations of positions from random games.
func observe(g game.Game, rows []float32, rng *rand.Rand) {
	s, size := g.NewState(), g.Planes().Size()
	var buf []game.Action
	for len(rows) >= size {
		if s.CurrentPlayer() == game.Nobody {
			s.CopyFrom(g.NewState())
		}
		if s.CurrentPlayer() >= 0 {
			s.Observation(rows[:size])
			rows = rows[size:]
		}
		buf = step(s, rng, buf)
	}
}
