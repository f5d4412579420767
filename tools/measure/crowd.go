//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"tengen/cluster"
	"tengen/configs"
	"tengen/game"
	"tengen/replay"
	"tengen/run"
	"tengen/tools/internal/tengen"
	"tengen/vfs"
)

// crowdOptions are the flags of crowd.
type crowdOptions struct {
	tengen.Options
	preset, cycle, games string
	workers, plies       int
	seconds, least       float64
	share                float64
}

func runCrowd(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o crowdOptions
	flags := o.Flags("crowd", "Crowd sends finished games of simulated workers to one trainer.\n\n  go run ./tools/measure crowd --workers 1000 --seconds 120\n\n", stderr)
	flags.StringVar(&o.preset, "config", "quick", "preset or file of the configuration")
	flags.StringVar(&o.cycle, "cycle", string(configs.CyclePipelined), "training.cycle")
	flags.StringVar(&o.games, "games", "", "run whose games are sent (default: random games)")
	flags.IntVar(&o.plies, "plies", 65, "length of random games, within a tenth; 0: any")
	flags.IntVar(&o.workers, "workers",
		1000, "simulated workers, each with a connection of its own")
	flags.Float64Var(&o.seconds, "seconds",
		60, "how long to measure, once each worker has an acknowledged game")
	flags.Float64Var(&o.least, "least", 0, "least games acknowledged a second")
	flags.Float64Var(&o.share, "least-share",
		0, "least share of the slowest worker, in percent of the mean")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.workers < 1 || !(o.seconds > 0) || o.plies < 0 || flags.NArg() > 0 {
		return errors.New("numbers above 0 are wanted, and no further argument")
	}
	temporary := ""
	if o.Dir == "" {
		if temporary, err = os.MkdirTemp("", "crowd-"); err != nil {
			return err
		}
		o.Dir = temporary
	}
	defer func() {
		if err == nil {
			err = os.RemoveAll(temporary) // nothing if temporary is empty
		}
	}()
	r, err := o.measure(ctx, stderr)
	if err != nil {
		return err
	}
	if err := o.Write(stdout, r); err != nil {
		return err
	}
	switch {
	case r.PerSecond < o.least:
		return fmt.Errorf("%.0f games a second are acknowledged; %g are wanted",
			r.PerSecond, o.least)
	case 100*r.Slowest < o.share:
		return fmt.Errorf("the slowest worker has %.0f %% of the mean; %g %% are wanted",
			100*r.Slowest, o.share)
	}
	return nil
}

func (o *crowdOptions) settings() []string {
	return append([]string{
		"training.cycle=" + o.cycle, "training.iterations=1000000", "training.games=10000",
		"training.max_steps=5", "evaluation.every=0",
		"warm_start.initial_games=0", "warm_start.initial_epochs=0", "warm_start.schedule=none",
		"replay.held_out=0", "replay.games=20000", "checkpoints.keep_last=1000000",
		"search.simulations=2",
		"selfplay.workers=1", "selfplay.games_per_worker=4",
		"selfplay.device_games_per_worker=4", "selfplay.cache_mib=1", "metrics.address=",
	}, o.Set...)
}

func (o *crowdOptions) measure(ctx context.Context, stderr io.Writer) (*crowdReport, error) {
	resolved, err := configs.Resolve(configs.Options{Name: o.preset, Set: o.settings()})
	if err != nil {
		return nil, err
	}
	g, err := game.New(resolved.Config.Game)
	if err != nil {
		return nil, err
	}
	list, err := templates(g, resolved.Config.Seed, o.games, o.plies)
	if err != nil {
		return nil, err
	}
	plies := 0
	for _, x := range list {
		plies += len(x.Moves)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	address, err := tengen.FreeAddress()
	if err != nil {
		return nil, err
	}
	folder := run.Folder(filepath.Join(o.Dir, "run"))
	args := []string{"trainer", "--dir", string(folder), "--config", o.preset, "--share", address}
	for _, s := range o.settings() {
		args = append(args, "--set", s)
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	p, err := tengen.Start(inner, "the trainer", filepath.Join(o.Dir, "trainer.log"), self, args...)
	if err != nil {
		return nil, err
	}
	names, err := cluster.NewNames(cluster.DefaultName)
	if err != nil {
		return nil, err
	}
	var group sync.WaitGroup
	playing, stop := context.WithCancel(inner)
	failed := make(chan error, o.workers)
	workers := make([]*simulated, o.workers)
	defer group.Wait()
	defer stop()
	for i := range workers {
		w := &simulated{id: fmt.Sprintf("simulated-%d", i), names: names, templates: list}
		workers[i] = w
		group.Go(func() {
			err := w.connect(playing, address)
			if err == nil {
				defer w.conn.Close()
				err = w.work(playing,
					4*time.Second+time.Duration(i)*time.Second/time.Duration(o.workers))
			}
			if err != nil {
				failed <- err
			}
		})
	}
	wait := func(until func() bool, limit time.Duration) error {
		for end := time.Now().Add(limit); !until(); time.Sleep(50 * time.Millisecond) {
			select {
			case err := <-failed:
				return fmt.Errorf("%w\n%s", err, p.Tail())
			case <-p.Ended:
				return errors.Join(p.Wait(0), errors.New("the trainer has ended"))
			case <-ctx.Done():
				return ctx.Err()
			default:
			}
			if time.Now().After(end) {
				return fmt.Errorf("some workers have no acknowledged game after %v\n%s",
					limit, p.Tail())
			}
		}
		return nil
	}
	fmt.Fprintf(stderr, "%d workers join\n", o.workers)
	began := time.Now()
	if err := wait(func() bool {
		return !slices.ContainsFunc(workers, func(w *simulated) bool {
			return w.counted.Load() == 0
		})
	}, 5*time.Minute); err != nil {
		return nil, err
	}
	r := &crowdReport{
		Config: o.preset, Cycle: o.cycle, Workers: o.workers, Cores: runtime.GOMAXPROCS(0),
		Plies:  float64(plies) / float64(len(list)),
		Joined: time.Since(began).Seconds(),
	}
	fmt.Fprintf(stderr, "all have an acknowledged game after %.1f s; %g s are measured\n",
		r.Joined, o.seconds)
	before := make([]uint64, len(workers))
	latencies := make([]int, len(workers))
	for i, w := range workers {
		before[i] = w.counted.Load()
		w.mu.Lock()
		latencies[i] = len(w.latency)
		w.mu.Unlock()
	}
	mine, its := cpuSeconds(os.Getpid()), cpuSeconds(p.PID())
	began = time.Now()
	end := began.Add(time.Duration(o.seconds * float64(time.Second)))
	next := began
	if err := wait(func() bool {
		now := time.Now()
		if now.After(next) {
			r.Memory = append(r.Memory, resident(p.PID())>>20)
			next = now.Add(time.Duration(o.seconds / 20 * float64(time.Second)))
		}
		return now.After(end)
	}, time.Duration(2*o.seconds*float64(time.Second))+time.Minute); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(began).Seconds()
	var all []time.Duration
	least, most := ^uint64(0), uint64(0)
	for i, w := range workers {
		n := w.counted.Load() - before[i]
		r.Games += n
		least, most = min(least, n), max(most, n)
		w.mu.Lock()
		all = append(all, w.latency[latencies[i]:]...)
		w.mu.Unlock()
	}
	r.TrainerCores = (cpuSeconds(p.PID()) - its) / r.Seconds
	r.WorkerCores = (cpuSeconds(os.Getpid()) - mine) / r.Seconds
	r.PerSecond = float64(r.Games) / r.Seconds
	mean := float64(r.Games) / float64(len(workers))
	r.Slowest, r.Fastest = float64(least)/max(mean, 1), float64(most)/max(mean, 1)
	slices.Sort(all)
	if len(all) > 0 {
		r.Median, r.Late = all[len(all)/2].Seconds(), all[len(all)*99/100].Seconds()
	}
	// What was acknowledged must be on disk, whatever happens to the trainer.
	p.Kill()
	stop()
	group.Wait()
	return r, o.check(folder, workers, r)
}

// check returns an error if a game that was acknowledged is not on disk.
func (o *crowdOptions) check(folder run.Folder, workers []*simulated, r *crowdReport) error {
	games, _, err := tengen.LoadGames(folder)
	if err != nil {
		return err
	}
	there := map[uint64]bool{}
	for _, g := range games {
		n := g.Number
		if g.EndOrder {
			n = g.Stream
		}
		if there[n] {
			return fmt.Errorf("game %d is there twice", n)
		}
		there[n] = true
	}
	j, early, _, err := replay.OpenJournal(vfs.OS{},
		filepath.Join(string(folder), run.ClusterFolder, "journal"), nil)
	if err != nil {
		return err
	}
	for _, g := range early {
		there[g.Number] = true
	}
	seen := map[uint64]bool{}
	for _, w := range workers {
		for _, n := range w.numbers {
			if !there[n] {
				return errors.Join(fmt.Errorf("game %d was acknowledged, and is not on disk",
					n), j.Close())
			}
			seen[n] = true
		}
	}
	r.OnDisk = len(seen)
	return j.Close()
}

// resident returns the memory that a process has, in bytes; 0 if it is not known.
func resident(pid int) uint64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			n, _ := strconv.ParseUint(strings.Fields(rest)[0], 10, 64) // the kernel's format
			return n << 10
		}
	}
	return 0
}

// cpuSeconds returns the time of cores that a process has had; 0 if it is not known.
func cpuSeconds(pid int) float64 {
	if pid == os.Getpid() {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64) // the kernel's format, in hundredths
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

// crowdReport is the result of crowd.
type crowdReport struct {
	Config       string   `json:"config"`
	Cycle        string   `json:"cycle"`
	Workers      int      `json:"workers"`
	Cores        int      `json:"cores"` // for the trainer and the workers
	Plies        float64  `json:"plies"` // of a game, mean
	Joined       float64  `json:"joined_seconds"`
	Seconds      float64  `json:"seconds"`
	Games        uint64   `json:"games"` // acknowledged
	PerSecond    float64  `json:"games_per_second"`
	Slowest      float64  `json:"slowest_share"` // games of the worker with the fewest ÷ the mean
	Fastest      float64  `json:"fastest_share"`
	Median       float64  `json:"median_seconds"` // from a block to its acknowledgement
	Late         float64  `json:"p99_seconds"`
	Memory       []uint64 `json:"trainer_memory_mib"` // resident, in the course of the time
	TrainerCores float64  `json:"trainer_cores"`
	WorkerCores  float64  `json:"worker_cores"`
	// of all that were acknowledged, after the trainer was killed
	OnDisk int `json:"games_on_disk"`
}

func (r *crowdReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s), %d workers, games of %.0f plies, %d cores for both: %.0f games a second acknowledged (%d in %.0f s)\n",
		r.Config, r.Cycle, r.Workers, r.Plies, r.Cores, r.PerSecond, r.Games, r.Seconds)
	fmt.Fprintf(&b, "  of the mean, the slowest worker has %.0f %%, the fastest %.0f %%\n",
		100*r.Slowest, 100*r.Fastest)
	fmt.Fprintf(&b, "  a block is acknowledged after %.2f s (median), 99 %% within %.2f s; all workers had one after %.1f s\n", r.Median, r.Late, r.Joined)
	if n := len(r.Memory); n > 0 {
		fmt.Fprintf(&b, "  the trainer had %d MiB at the start, %d in the middle, %d at the end, %d at most; it used %.2f cores, the workers %.2f\n",
			r.Memory[0], r.Memory[n/2], r.Memory[n-1], slices.Max(r.Memory), r.TrainerCores,
			r.WorkerCores)
	}
	fmt.Fprintf(&b, "  the trainer was killed; all %d acknowledged games are on disk\n", r.OnDisk)
	return b.String()
}
