//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/internal/random"
	"tengen/replay"
	"tengen/run"
	"tengen/run/inspect"
	"tengen/tools/internal/tengen"
)

// chaosOptions are the flags of chaos.
type chaosOptions struct {
	tengen.Options
	workers, iterations       int
	minutes, every, partition float64
	seed                      uint64
	cycle                     string
}

func runChaos(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o chaosOptions
	flags := o.Flags("chaos", "Chaos disturbs a trainer and its workers at random, and compares the result with an undisturbed run.\n\n  go run ./tools/trials chaos --minutes 30 --workers 8\n\n", stderr)
	flags.IntVar(&o.workers, "workers", 8, "worker processes")
	flags.IntVar(&o.iterations, "iterations",
		200, "iterations of a run; there are as many runs as the time allows")
	flags.Float64Var(&o.minutes, "minutes", 30, "how long to disturb")
	flags.Float64Var(&o.every, "every", 2, "seconds between two disturbances, mean")
	flags.Float64Var(&o.partition, "partition",
		30, "seconds for which a connection lets nothing through, at most")
	flags.StringVar(&o.cycle, "cycle",
		string(configs.CycleSynchronous), "training.cycle: synchronous, pipelined or asynchronous")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of what happens")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.workers < 1 || o.iterations < 1 || !(o.minutes > 0) || !(o.every > 0) ||
		!(o.partition > 0) || flags.NArg() > 0 {
		return errors.New("numbers above 0 are wanted, and no further argument")
	}
	temporary, err := o.Prepare(ctx, "chaos")
	defer func() {
		if err == nil {
			err = os.RemoveAll(temporary) // nothing if temporary is empty
		}
	}()
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel() // kills what is left
	c := &chaos{o: &o, log: stderr, rng: random.New(o.seed, random.Test), report: &chaosReport{
		Workers: o.workers, Iterations: o.iterations, Cycle: o.cycle, Seed: o.seed,
		Disturbances: map[string]int{}, Store: map[string]int{},
	}}
	if err := c.run(inner); err != nil {
		return fmt.Errorf("%w; the runs are in %s", err, o.Dir)
	}
	return o.Write(stdout, c.report)
}

// chaos is a trial.
type chaos struct {
	o       *chaosOptions
	log     io.Writer
	rng     *rand.Rand
	report  *chaosReport
	address string // of the broker
	whole   run.Folder
	folder  run.Folder // of the run at hand

	trainer *tengen.Process
	workers []*member
	due     []due // what is to happen later
	numbers int   // processes so far, for the names of logs
	games   int   // that were on disk
}

// member is a worker, its process and its connection.
type member struct {
	name  string
	p     *tengen.Process // nil while it is away
	proxy *proxy
}

// due is something that is to happen.
type due struct {
	at time.Time
	do func(context.Context) error
}

func (c *chaos) settings() []string {
	set := tengen.Tiny(c.o.iterations)
	set = append(set, "training.games=48", "search.simulations=64", "selfplay.workers=1",
		"selfplay.games_per_worker=2", "replay.games=200",
		"checkpoints.keep_last=1000000", "training.cycle="+c.o.cycle)
	if c.o.cycle == string(configs.CycleAsynchronous) {
		set = append(set, "warm_start.initial_epochs=0", "replay.held_out=0")
	}
	return append(set, c.o.Set...)
}

func (c *chaos) run(ctx context.Context) (err error) {
	c.whole = run.Folder(filepath.Join(c.o.Dir, "undisturbed"))
	fmt.Fprintf(c.log, "an undisturbed run of %d iterations in one process\n", c.o.iterations)
	began := time.Now()
	p, err := tengen.Start(ctx, "the trainer",
		filepath.Join(c.o.Dir, "logs", "undisturbed"), c.o.Program,
		tengen.Train(string(c.whole), false, c.settings())...)
	if err != nil {
		return err
	}
	if err := p.Wait(time.Hour); err != nil {
		return err
	}
	c.report.Alone = time.Since(began).Seconds()
	if c.address, err = tengen.FreeAddress(); err != nil {
		return err
	}
	for i := range c.o.workers {
		p, err := newProxy(c.address)
		if err != nil {
			return err
		}
		defer p.close()
		c.workers = append(c.workers, &member{name: fmt.Sprintf("worker %d", i), proxy: p})
	}
	began = time.Now()
	end := began.Add(time.Duration(c.o.minutes * float64(time.Minute)))
	for time.Now().Before(end) {
		c.folder = run.Folder(filepath.Join(c.o.Dir, fmt.Sprintf("run-%d", c.report.Runs+1)))
		c.games = 0
		if err := c.disturb(ctx, end); err != nil {
			return err
		}
		if err := c.finish(); err != nil {
			return err
		}
		c.report.Runs++
		fmt.Fprintf(c.log, "run %d is complete: %s\n", c.report.Runs, c.report.verdict())
	}
	c.report.Seconds = time.Since(began).Seconds()
	if c.report.Games == 0 {
		return errors.New("no game of a worker counted")
	}
	return nil
}

// disturb trains a run to its end, and until a time disturbs it.
func (c *chaos) disturb(ctx context.Context, end time.Time) error {
	c.due = nil
	for _, w := range c.workers {
		if err := c.startWorker(ctx, w); err != nil {
			return err
		}
	}
	if err := c.startTrainer(ctx); err != nil {
		return err
	}
	next := time.Now().Add(c.pause(c.o.every))
	for {
		now := time.Now()
		if err := ctx.Err(); err != nil {
			return err
		}
		for i := 0; i < len(c.due); i++ {
			if d := c.due[i]; !d.at.After(now) {
				c.due = slices.Delete(c.due, i, i+1)
				i--
				if err := d.do(ctx); err != nil {
					return err
				}
			}
		}
		if c.trainer != nil && c.trainer.Over() && !c.trainer.Killed {
			if c.trainer.Err == nil {
				return nil
			}
			return c.trainer.Wait(0)
		}
		for _, w := range c.workers {
			// The last ones may end before the trainer does.
			if p := w.p; p != nil && p.Over() && !p.Killed && p.Err != nil {
				return p.Wait(0)
			}
		}
		if now.After(next) && now.Before(end) {
			what, err := c.act(ctx)
			if err != nil {
				return err
			}
			if what != "" {
				c.report.Disturbances[what]++
			}
			next = now.Add(c.pause(c.o.every))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// store is the folder of the broker's store.
func (c *chaos) store() string { return filepath.Join(string(c.folder), run.ClusterFolder, "nats") }

func (c *chaos) startWorker(ctx context.Context, w *member) (err error) {
	c.numbers++
	log := filepath.Join(c.o.Dir, "logs", fmt.Sprintf("%05d %s", c.numbers, w.name))
	w.p, err = tengen.Start(ctx, w.name, log, c.o.Program, "worker", "nats://"+w.proxy.address(), "--workers", "1", "--games-per-worker", "8", "--device", "cpu")
	return err
}

func (c *chaos) startTrainer(ctx context.Context) (err error) {
	c.numbers++
	log := filepath.Join(c.o.Dir, "logs", fmt.Sprintf("%05d trainer", c.numbers))
	args := append(tengen.Train(string(c.folder), c.folder.Exists(), c.settings()), "--share",
		c.address, "--device", "cpu")
	c.trainer, err = tengen.Start(ctx, "the trainer", log, c.o.Program, args...)
	return err
}

// finish ends all workers and compares the complete run with the undisturbed one.
func (c *chaos) finish() error {
	for _, w := range c.workers {
		w.proxy.hold(false)
	}
	var told, ended []*tengen.Process
	for _, w := range c.workers {
		if p := w.p; p != nil {
			p.Signal(syscall.SIGCONT)
			ended = append(ended, p)
		}
	}
	time.Sleep(500 * time.Millisecond)
	for _, p := range ended {
		if !p.Over() { // it was cut off when the trainer said that the run is finished
			told = append(told, p)
			p.Signal(syscall.SIGTERM)
		}
	}
	c.report.Ended += len(ended) - len(told)
	c.report.Told += len(told)
	for _, p := range ended {
		if err := p.Wait(20 * time.Second); err != nil {
			return err
		}
		c.report.Games += p.Games()
	}
	if err := c.check(); err != nil {
		return err
	}
	end, err := tengen.Newest(c.folder)
	if err != nil {
		return err
	}
	games, damages, err := tengen.LoadGames(c.folder)
	// left by a kill
	damages = slices.DeleteFunc(damages, func(d *replay.Damage) bool { return d.Torn })
	if err != nil || len(damages) > 0 {
		return fmt.Errorf("%s: %v, %v", c.folder, err, damages)
	}
	if c.o.cycle == string(configs.CycleAsynchronous) {
		config, err := c.folder.ReadConfig()
		if err != nil {
			return err
		}
		return inspect.VerifyAsynchronous(config, games, end)
	}
	want, err := tengen.Newest(c.whole)
	if err == nil {
		err = tengen.Same(end, want)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.folder, err)
	}
	same, _, err := tengen.LoadGames(c.whole)
	if err == nil && !reflect.DeepEqual(games, same) {
		err = fmt.Errorf("%s: its games differ from the undisturbed run's", c.folder)
	}
	return err
}

// check checks a run whose trainer is not running: what was there is still there.
func (c *chaos) check() error {
	if _, err := tengen.Newest(c.folder); err != nil && !errors.Is(err, checkpoints.ErrNone) {
		return err
	}
	games, _, err := tengen.LoadGames(c.folder)
	if err != nil {
		return err
	}
	if len(games) < c.games {
		return fmt.Errorf("%s: %d games; there were %d", c.folder, len(games), c.games)
	}
	c.games = len(games)
	return nil
}

// chaosReport is the result of chaos.
type chaosReport struct {
	Workers    int     `json:"workers"`
	Iterations int     `json:"iterations"` // of a run
	Cycle      string  `json:"cycle"`
	Seed       uint64  `json:"seed"`
	Seconds    float64 `json:"seconds"`
	Alone      float64 `json:"undisturbed_seconds"` // of a run in one process
	Runs       int     `json:"runs"`                // all complete, and as they must be
	// that counted, as far as workers have said so
	Games        uint64         `json:"games_of_workers"`
	Disturbances map[string]int `json:"disturbances"`
	// what became of the broker's store when the trainer was killed
	Store map[string]int `json:"store"`
	Ended int            `json:"workers_ended"`
	// at the end of a run; they ended when they were asked to
	Told int `json:"workers_cut_off"`
}

func (r *chaosReport) verdict() string {
	if r.Cycle == string(configs.CycleAsynchronous) {
		return "no game is missing, and none is there or learned from twice"
	}
	return "games, network, average and optimizer equal the undisturbed run's to the bit"
}

func (r *chaosReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"%d runs of %d iterations (%s) with %d workers, disturbed for %.0f s, seed %d: %s\n",
		r.Runs, r.Iterations, r.Cycle, r.Workers, r.Seconds, r.Seed, r.verdict())
	for _, what := range slices.Sorted(maps.Keys(r.Disturbances)) {
		fmt.Fprintf(&b, "  %-40s %5d\n", what, r.Disturbances[what])
	}
	for _, what := range slices.Sorted(maps.Keys(r.Store)) {
		fmt.Fprintf(&b, "  %-40s %5d\n", "store of a dead broker "+what, r.Store[what])
	}
	fmt.Fprintf(&b, "%d games of workers counted; %d workers ended with the run, %d were cut off then and ended when asked to (a run alone: %.1f s)\n", r.Games, r.Ended, r.Told, r.Alone)
	return b.String()
}
