//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"tengen/tools/internal/tengen"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	minutes, most float64
	dir, tengen   string
	set           []string
	json          bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o options
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Float64Var(&o.minutes, "minutes", 30, "how long to train")
	flags.Float64Var(&o.most, "most", 5, "by how many per cent memory may grow from a third of the time to the end")
	flags.StringVar(&o.dir, "dir", "", "folder for the run (default: a temporary one)")
	flags.StringVar(&o.tengen, "tengen", "", "program to watch (default: it is built)")
	flags.Func("set", "further setting of the run, key=value; may be repeated", func(s string) error {
		o.set = append(o.set, s)
		return nil
	})
	flags.BoolVar(&o.json, "json", false, "print JSON, with all samples")
	flags.Usage = func() {
		fmt.Fprint(stderr, "Soak watches the memory and the open files of `tengen train` over time.\n\n  go run ./tools/soak --minutes 30\n\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !(o.minutes > 0) || flags.NArg() > 0 {
		return errors.New("a time above 0 is wanted, and no further argument")
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "soak-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
	}
	if o.tengen == "" {
		if o.tengen, err = tengen.Build(ctx, o.dir); err != nil {
			return err
		}
	}
	samples, err := watch(ctx, &o, stderr)
	if err != nil {
		return err
	}
	r, err := newReport(samples)
	if err != nil {
		return err
	}
	if o.json {
		err = json.NewEncoder(stdout).Encode(r)
	} else {
		_, err = io.WriteString(stdout, r.String())
	}
	return errors.Join(err, r.verdict(o.most))
}

// churn are the settings of a run that goes through games, segments,
// checkpoints, evaluations and pictures as fast as it can.
func churn(minutes float64) []string {
	return append(tengen.Tiny(1_000_000),
		fmt.Sprintf("training.minutes=%g", minutes), "training.games=300", "training.max_steps=4", "replay.games=2000",
		"evaluation.every=20", "evaluation.games=2", "evaluation.simulations=4", "evaluation.earlier_games=2",
	)
}

// watch trains, and takes a sample each second.
func watch(ctx context.Context, o *options, log io.Writer) ([]sample, error) {
	var stderr bytes.Buffer
	folder := filepath.Join(o.dir, "run")
	c := exec.CommandContext(ctx, o.tengen, tengen.Train(folder, false, append(churn(o.minutes), o.set...))...)
	c.Stderr = &tail{buffer: &stderr}
	if err := c.Start(); err != nil {
		return nil, err
	}
	began := time.Now()
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	minute := time.NewTicker(time.Minute)
	defer minute.Stop()
	var samples []sample
	for {
		select {
		case err := <-ended:
			if err != nil {
				return nil, fmt.Errorf("tengen: %w\n%s", err, stderr.Bytes())
			}
			return samples, nil
		case <-minute.C:
			if n := len(samples); n > 0 {
				s := samples[n-1]
				fmt.Fprintf(log, "minute %.0f: %.1f MiB, %d files, %d threads\n", s.At/60, float64(s.RSS)/(1<<20), s.Files, s.Threads)
			}
		case <-tick.C:
			// That it has just ended is seen above.
			if s, err := look(c.Process.Pid, began); err == nil {
				samples = append(samples, s)
			}
		}
	}
}

// tail keeps the last of what is written, for when something goes wrong.
type tail struct{ buffer *bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const most = 1 << 14
	if t.buffer.Len() > most {
		t.buffer.Next(t.buffer.Len() - most/2)
	}
	return t.buffer.Write(p)
}
