//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"tengen/configs"
	"tengen/internal/random"
	"tengen/run"
	"tengen/tools/internal/tengen"
	"tengen/vfs"
)

// unixStatus is the exit status of a process.
type unixStatus = syscall.WaitStatus

// options are the flags of killloop.
type options struct {
	tengen.Options
	kills, iterations int
	seed              uint64
	cycle             string
}

func killloop(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o options
	flags := o.Flags("killloop", "Killloop kills `tengen train` while it writes and checks that nothing is lost.\n\n  go run ./tools/trials killloop --kills 200\n\n", stderr)
	flags.IntVar(&o.kills, "kills", 200, "how often to kill")
	flags.IntVar(&o.iterations, "iterations",
		150, "iterations of a run; there are as many runs as the kills need")
	flags.StringVar(&o.cycle, "cycle",
		string(configs.CycleSynchronous), "training.cycle: synchronous, pipelined or asynchronous")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the times of the kills")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.kills < 1 || o.iterations < 1 || flags.NArg() > 0 {
		return errors.New("at least one kill and one iteration are wanted, and no further argument")
	}
	temporary, err := o.Prepare(ctx, "killloop")
	defer func() {
		if err == nil {
			err = os.RemoveAll(temporary) // nothing if temporary is empty
		}
	}()
	if err != nil {
		return err
	}
	r, err := loop(ctx, &o, stderr)
	if err != nil {
		return fmt.Errorf("%w; the runs are in %s", err, o.Dir)
	}
	if o.JSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		_, err = io.WriteString(stdout, r.String())
	}
	if err == nil && 2*r.Writes < r.Kills {
		err = fmt.Errorf("%d of %d kills were during writes; at least half is required",
			r.Writes, r.Kills)
	}
	return err
}

// loop makes all kills and completes the last run.
func loop(ctx context.Context, o *options, log io.Writer) (*report, error) {
	p := &program{path: o.Program, settings: tengen.Tiny(o.iterations)}
	asynchronous := o.cycle == string(configs.CycleAsynchronous)
	p.settings = append(p.settings, "training.cycle="+o.cycle)
	if asynchronous {
		p.settings = append(p.settings, "warm_start.initial_epochs=0",
			"checkpoints.keep_last=1000000", "replay.held_out=0")
	}
	p.settings = append(p.settings, o.Set...)
	fmt.Fprintf(log, "an uninterrupted run of %d iterations\n", o.iterations)
	uninterrupted := filepath.Join(o.Dir, "uninterrupted")
	whole, err := (&program{
		p.path, append(slices.Clone(p.settings), "checkpoints.keep_last=1000000"),
	}).fresh(ctx, uninterrupted)
	if err != nil {
		return nil, err
	}
	var ref checker
	if asynchronous {
		ref = &records{}
	} else if ref, err = newReference(run.Folder(uninterrupted)); err != nil {
		return nil, err
	}
	t := whole.typical(o.iterations)
	r := newReport(o, t, whole)
	rng := random.New(o.seed, random.Test)
	began := time.Now()
	for kill := 0; kill < o.kills || r.Completed < r.Runs; {
		folder := filepath.Join(o.Dir, fmt.Sprintf("run-%d", r.Runs))
		if r.Runs == 0 || r.Completed == r.Runs {
			r.Runs++
			folder = filepath.Join(o.Dir, fmt.Sprintf("run-%d", r.Runs))
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return nil, err
			}
		}
		var a *aim
		if kill < o.kills {
			a = t.draw(rng, 10*r.Writes < 6*kill)
		}
		f := run.Folder(folder)
		s, err := p.start(ctx, folder, f.Exists(), a)
		if err != nil {
			return nil, fmt.Errorf("process %d, run %d: %w", r.Processes+1, r.Runs, err)
		}
		r.add(s)
		if err := ref.check(f, &r.progress); err != nil {
			return nil, fmt.Errorf("after %d kills, the last during %s: %w", kill, s.during, err)
		}
		if s.killed {
			kill++
			fmt.Fprintf(log, "kill %d of %d: %s, %s%d iterations acknowledged, after %v\n", kill,
				o.kills, s.during, leftOver(f, s.during), r.progress.acknowledged,
				s.took.Round(time.Millisecond))
			continue
		}
		if err := ref.checkEnd(f); err != nil {
			return nil, err
		}
		fmt.Fprintf(log, "run %d is complete: %s\n", r.Runs, ref)
		r.Completed++
		r.progress = progress{}
	}
	r.finish(time.Since(began))
	return r, nil
}

// fresh trains a new run to its end.
func (p *program) fresh(ctx context.Context, folder string) (*process, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	return p.start(ctx, folder, false, nil)
}

// report is the result of all kills.
type report struct {
	Kills      int           `json:"kills"`
	Writes     int           `json:"during_writes"` // of a checkpoint or a segment
	Phases     map[phase]int `json:"phases"`
	Seed       uint64        `json:"seed"`
	Iterations int           `json:"iterations"` // of a run
	Runs       int           `json:"runs"`
	Cycle      string        `json:"cycle"`
	// each equal to the uninterrupted one to the bit; in an asynchronous cycle, verified by its
	// records
	Completed int `json:"completed"`
	Processes int `json:"sittings"`

	Uninterrupted float64 `json:"undisturbed_seconds"` // a run without kills
	Seconds       float64 `json:"seconds"`             // all processes
	// to kills: beyond the time of uninterrupted runs
	Lost float64 `json:"lost_seconds"`
	// of Lost: until the event log reported that the run continues
	StartUp float64 `json:"start_up_seconds"`
	Elapsed float64 `json:"elapsed_seconds"` // including the checks

	progress progress
}

func newReport(o *options, t *typical, whole *process) *report {
	return &report{
		Seed: o.seed, Cycle: o.cycle, Iterations: o.iterations, Phases: map[phase]int{},
		Uninterrupted: whole.took.Seconds(),
	}
}

// add counts a process.
func (r *report) add(s *process) {
	r.Processes++
	r.Seconds += s.took.Seconds()
	r.StartUp += s.start.Seconds()
	if s.start == 0 {
		r.StartUp += s.took.Seconds()
	}
	if s.killed {
		r.Kills++
		r.Phases[s.during]++
		if s.during.writes() {
			r.Writes++
		}
	}
}

func (r *report) finish(elapsed time.Duration) {
	r.Elapsed = elapsed.Seconds()
	r.Lost = r.Seconds - float64(r.Completed)*r.Uninterrupted
}

func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d kills of `tengen train` in %.0f s, seed %d: nothing is lost\n",
		r.Kills, r.Elapsed, r.Seed)
	for _, p := range phases {
		fmt.Fprintf(&b, "  %-20s %4d\n", p, r.Phases[p])
	}
	fmt.Fprintf(&b, "%d kills (%.0f %%) while a checkpoint or a segment was written\n",
		r.Writes, 100*float64(r.Writes)/float64(r.Kills))
	how := "equal to the uninterrupted run to the bit: network, average, optimizer, games"
	if r.Cycle == string(configs.CycleAsynchronous) {
		how = "with every game that was seen on disk, and as many samples as its positions ask for: nothing is lost or learned from twice"
	}
	fmt.Fprintf(&b, "%d runs of %d iterations (%s) in %d processes, each %s\n",
		r.Completed, r.Iterations, r.Cycle, r.Processes, how)
	fmt.Fprintf(&b, "time lost: %.1f s, %.2f s a kill, of which %.2f s to start (an uninterrupted run: %.1f s)\n",
		r.Lost, r.Lost/float64(r.Kills), r.StartUp/float64(r.Processes), r.Uninterrupted)
	return b.String()
}

// typical returns the durations of an uninterrupted run.
func (s *process) typical(iterations int) *typical {
	t := &typical{
		median: map[phase]time.Duration{}, start: s.start,
		iteration: (s.took - s.start) / time.Duration(iterations),
	}
	for p, list := range s.times {
		slices.Sort(list)
		t.median[p] = list[len(list)/2]
	}
	return t
}

// leftOver describes the incomplete checkpoint, if one was being written.
func leftOver(f run.Folder, p phase) string {
	if p != writingCheckpoint {
		return ""
	}
	entries, _ := os.ReadDir(f.Checkpoints())
	for _, e := range entries {
		if vfs.IsTemporary(e.Name()) {
			files, _ := os.ReadDir(filepath.Join(f.Checkpoints(), e.Name()))
			return fmt.Sprintf("%d files begun, ", len(files))
		}
	}
	return ""
}
