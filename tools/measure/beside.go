//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"tengen/configs"
	"tengen/run"
	"tengen/tools/internal/tengen"
)

// besideOptions are the flags of beside.
type besideOptions struct {
	tengen.Options
	preset, cycle               string
	workers, own, rounds, iters int
	threads                     int
	least                       float64
}

func runBeside(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o besideOptions
	flags := o.Flags("beside", "Beside compares a trainer with worker processes with the same run in one process.\n\n  go run ./tools/measure beside --rounds 3\n\n", stderr)
	flags.StringVar(&o.preset, "config", "quick", "preset or file of the configuration")
	flags.StringVar(&o.cycle, "cycle",
		string(configs.CycleSynchronous), "training.cycle: synchronous or pipelined")
	flags.IntVar(&o.workers, "workers", 2, "worker processes")
	flags.IntVar(&o.threads, "threads", 1, "goroutines that play in a worker process")
	flags.IntVar(&o.own, "own", 1, "goroutines that play in the trainer that has workers")
	flags.IntVar(&o.rounds, "rounds", 3, "how often to train both")
	flags.IntVar(&o.iters, "iterations", 5, "iterations of a run, at least 2")
	flags.Float64Var(&o.least, "least",
		0, "least ratio of the evaluations a second, in percent, mean of the rounds")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.workers < 1 || o.threads < 1 || o.own < 1 || o.rounds < 1 || o.iters < 2 ||
		flags.NArg() > 0 || o.cycle == string(configs.CycleAsynchronous) {
		return errors.New("numbers above 0, two iterations and a cycle that repeats to the bit are wanted, and no further argument")
	}
	temporary, err := o.Prepare(ctx, "beside")
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
	r := &besideReport{
		Config: o.preset, Cycle: o.cycle, Workers: o.workers, Threads: o.threads, Own: o.own,
		Iterations: o.iters, Cores: runtime.GOMAXPROCS(0),
	}
	for i := range o.rounds {
		var pair besideRound
		// Whichever is first has the cooler processor.
		for _, shared := range [][]bool{{false, true}, {true, false}}[i%2] {
			t, err := o.train(inner, i+1, shared)
			if err != nil {
				return fmt.Errorf("%w; the runs are in %s", err, o.Dir)
			}
			if shared {
				pair.Beside = t
			} else {
				pair.Alone = t
			}
			fmt.Fprintf(stderr, "round %d, %s: %.1f s, %.0f evaluations a second\n", i+1,
				map[bool]string{true: "with workers", false: "one process"}[shared], t.Seconds,
				t.PerSecond)
		}
		if err := o.compare(i + 1); err != nil {
			return err
		}
		pair.Ratio, pair.Time = pair.Beside.PerSecond/pair.Alone.PerSecond,
			pair.Alone.Later/pair.Beside.Later
		pair.Play, pair.PerCPU = pair.Beside.playing()/pair.Alone.playing(),
			pair.Beside.perCPU()/pair.Alone.perCPU()
		r.Rounds = append(r.Rounds, pair)
	}
	for _, p := range r.Rounds {
		r.Ratio += p.Ratio / float64(len(r.Rounds))
		r.Time += p.Time / float64(len(r.Rounds))
		r.Play += p.Play / float64(len(r.Rounds))
		r.PerCPU += p.PerCPU / float64(len(r.Rounds))
	}
	if err := o.Write(stdout, r); err != nil {
		return err
	}
	if 100*r.Ratio < o.least {
		return fmt.Errorf("%.1f %% of the evaluations a second of one process; %g %% are wanted",
			100*r.Ratio, o.least)
	}
	return nil
}

func (o *besideOptions) folder(round int, shared bool) run.Folder {
	return run.Folder(filepath.Join(o.Dir,
		fmt.Sprintf("%d-%s", round, map[bool]string{true: "workers", false: "alone"}[shared])))
}

var evaluations = regexp.MustCompile(`the run is finished .*evaluations=(\d+)`)

// train trains once and measures.
func (o *besideOptions) train(
	ctx context.Context, round int, shared bool,
) (t besideTime, err error) {
	folder := o.folder(round, shared)
	log := string(folder) + ".log"
	set := []string{
		fmt.Sprintf("training.iterations=%d", o.iters), "training.cycle=" + o.cycle,
		"evaluation.every=0", "warm_start.initial_games=0", "metrics.address=",
	}
	args := []string{"train", o.preset, "--run", string(folder), "--device", "cpu"}
	var workers []*tengen.Process
	if shared {
		address, err := tengen.FreeAddress()
		if err != nil {
			return t, err
		}
		args = append(args, "--share", address)
		set = append(set, fmt.Sprintf("selfplay.workers=%d", o.own))
		for i := range o.workers {
			w, err := tengen.Start(ctx, fmt.Sprintf("worker %d", i),
				fmt.Sprintf("%s.worker-%d.log", folder, i), o.Program, "worker",
				address, "--workers", strconv.Itoa(o.threads), "--device", "cpu")
			if err != nil {
				return t, err
			}
			workers = append(workers, w)
		}
	}
	for _, s := range append(set, o.Set...) {
		args = append(args, "--set", s)
	}
	p, err := tengen.Start(ctx, "the trainer", log, o.Program, args...)
	if err != nil {
		return t, err
	}
	select {
	case <-p.Ended:
	case <-ctx.Done():
	}
	if err := p.Wait(10 * time.Second); err != nil {
		return t, err
	}
	t.CPU = p.CPU()
	events, err := folder.History()
	if err != nil {
		return t, err
	}
	var began, first, last time.Time
	for _, e := range events {
		switch {
		case e.Kind == run.EventStart:
			began = e.Time
		case e.Kind == run.EventIteration:
			if first.IsZero() {
				first = e.Time
			}
			last, t.Evaluations = e.Time, e.Progress.Evaluations
			t.Playing += e.Progress.PlaySeconds
		}
	}
	t.Seconds, t.Later = last.Sub(began).Seconds(), last.Sub(first).Seconds()
	for _, w := range workers {
		if err := w.Wait(20 * time.Second); err != nil {
			w.Signal(syscall.SIGTERM)
			return t, err
		}
		text, err := os.ReadFile(w.Log)
		if err != nil {
			return t, err
		}
		m := evaluations.FindSubmatch(text)
		if m == nil {
			return t, fmt.Errorf("%s does not say how much it has played\n%s", w.Name, w.Tail())
		}
		n, _ := strconv.ParseUint(string(m[1]), 10, 64) // digits
		t.Evaluations += n
		t.CPU += w.CPU()
		t.Games += w.Games()
	}
	if shared && t.Games == 0 {
		return t, errors.New("no game of a worker counted")
	}
	t.PerSecond = float64(t.Evaluations) / t.Seconds
	return t, nil
}

// compare returns an error if the two runs of a round differ.
func (o *besideOptions) compare(round int) error {
	alone, err := tengen.Newest(o.folder(round, false))
	if err != nil {
		return err
	}
	shared, err := tengen.Newest(o.folder(round, true))
	if err != nil {
		return err
	}
	return tengen.Same(shared, alone)
}

// besideReport is the result of beside.
type besideReport struct {
	Config     string        `json:"config"`
	Cycle      string        `json:"cycle"`
	Workers    int           `json:"workers"`
	Threads    int           `json:"threads_of_a_worker"`
	Own        int           `json:"threads_of_the_trainer"`
	Iterations int           `json:"iterations"`
	Cores      int           `json:"cores"`
	Rounds     []besideRound `json:"rounds"`
	// of evaluations a second, with workers ÷ one process; mean
	Ratio float64 `json:"ratio"`
	// of the time, one process ÷ with workers, without the first iteration; mean
	Time float64 `json:"time_ratio"`
	Play float64 `json:"play_ratio"` // of evaluations a second of self-play; mean
	// of evaluations a second of processor time, learning included; mean
	PerCPU float64 `json:"cpu_ratio"`
}

// besideRound is one run of each kind.
type besideRound struct {
	Alone  besideTime `json:"one_process"`
	Beside besideTime `json:"with_workers"`
	Ratio  float64    `json:"ratio"`
	Time   float64    `json:"time_ratio"`
	Play   float64    `json:"play_ratio"`
	PerCPU float64    `json:"cpu_ratio"`
}

// besideTime is what one run took.
type besideTime struct {
	Seconds     float64 `json:"seconds"`
	Later       float64 `json:"seconds_after_first_iteration"`
	Playing     float64 `json:"play_seconds"` // for which iterations waited for their games
	CPU         float64 `json:"cpu_seconds"`  // of all processes
	Evaluations uint64  `json:"evaluations"`  // of all processes
	PerSecond   float64 `json:"evaluations_per_second"`
	Games       uint64  `json:"games_of_workers,omitempty"` // that counted
}

// playing returns the evaluations a second of self-play.
func (t *besideTime) playing() float64 { return float64(t.Evaluations) / t.Playing }

// perCPU returns the evaluations a second of processor time.
func (t *besideTime) perCPU() float64 { return float64(t.Evaluations) / t.CPU }

func (r *besideReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s), %d iterations, %d cores: a trainer that plays with %d and %d workers with %d against one process; the networks are the same to the bit\n",
		r.Config, r.Cycle, r.Iterations, r.Cores, r.Own, r.Workers, r.Threads)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "round\tone process\twith workers\tratio\tof self-play\tof processor time\tof the time\tgames of workers")
	for i, p := range r.Rounds {
		fmt.Fprintf(w, "%d\t%.0f/s\t%.0f/s\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%d\n", i+1,
			p.Alone.PerSecond, p.Beside.PerSecond, 100*p.Ratio, 100*p.Play, 100*p.PerCPU,
			100*p.Time, p.Beside.Games)
	}
	w.Flush()
	ratios := make([]float64, 0, len(r.Rounds))
	for _, p := range r.Rounds {
		ratios = append(ratios, p.Ratio)
	}
	fmt.Fprintf(&b, "evaluations a second: %.1f %% of one process (%.1f to %.1f), of self-play alone %.1f %%, of processor time %.1f %%; the same iterations at %.1f %% of its speed\n",
		100*r.Ratio, 100*slices.Min(ratios), 100*slices.Max(ratios), 100*r.Play,
		100*r.PerCPU, 100*r.Time)
	return b.String()
}
