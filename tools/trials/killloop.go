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
	"syscall"
	"time"

	"tengen/configs"
	"tengen/internal/random"
	"tengen/run"
	"tengen/tools/internal/tengen"
)

// unixStatus is the exit status of a process.
type unixStatus = syscall.WaitStatus

// options are the command's flags.
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
