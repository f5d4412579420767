package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// corruptOptions are the flags of corrupt.
type corruptOptions struct {
	dir                string
	trials, only, from int
	seed               uint64
	limit              time.Duration
	json, worker       bool
}

func corrupt(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o corruptOptions
	flags := flag.NewFlagSet("corrupt", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.dir, "dir", "",
		"`folder` for the runs, best in memory (default: a temporary one)")
	flags.IntVar(&o.trials, "trials", 2000, "how many trials to make")
	flags.IntVar(&o.only, "only", -1, "make this trial alone and keep its folder, in --dir")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the trials")
	flags.DurationVar(&o.limit, "limit",
		3*time.Minute, "longest time of a trial; after it the trial counts as a hang")
	flags.BoolVar(&o.json, "json", false, "print JSON")
	flags.BoolVar(&o.worker, "worker", false, "internal: make the trials from --from on, in --dir")
	flags.IntVar(&o.from, "from", 0, "internal")
	flags.Usage = func() {
		fmt.Fprint(stderr, "Corrupt damages the files of a run and checks that nothing damaged is used without a word.\n\n  go run ./tools/trials corrupt --trials 2000\n\n")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.trials < 1 || flags.NArg() > 0 {
		return errors.New("at least one trial is wanted, and no argument")
	}
	if o.worker {
		return stage{o.dir}.work(o.seed, o.from, o.trials, false, stdout)
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "corrupt-"); err != nil {
			return err
		}
		if o.only < 0 {
			defer os.RemoveAll(o.dir)
		}
	}
	s := stage{o.dir}
	if _, err := os.Stat(s.path("run")); err != nil {
		fmt.Fprintln(stderr, "two tiny runs")
		if err := s.prepare(); err != nil {
			return err
		}
	}
	if o.only >= 0 {
		fmt.Fprintf(stderr, "the runs are in %s\n", o.dir)
		return s.work(o.seed, o.only, o.only+1, true, stdout)
	}
	r := &corruptReport{Seed: o.seed, Kinds: map[string]map[string]int{}}
	began := time.Now()
	for r.Trials < o.trials {
		if err := o.batch(ctx, r, stderr); err != nil {
			return err
		}
	}
	r.Seconds = time.Since(began).Seconds()
	if o.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		_, err = io.WriteString(stdout, r.String())
	}
	if err == nil && len(r.Failures) > 0 {
		err = fmt.Errorf("%d of %d trials have failed", len(r.Failures), r.Trials)
	}
	return err
}

// batch makes trials in another process until all are done, or one ends it or takes too long.
func (o *corruptOptions) batch(ctx context.Context, r *corruptReport, log io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, self, "corrupt", "--worker", "--dir", o.dir,
		"--seed", fmt.Sprint(o.seed), "--from", fmt.Sprint(r.Trials),
		"--trials", fmt.Sprint(o.trials))
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- bytes.Clone(s.Bytes())
		}
	}()
	failure := ""
	for more := true; more; {
		var line []byte
		select {
		case line, more = <-lines:
		case <-time.After(o.limit):
			failure = hung
			_ = c.Process.Signal(syscall.SIGQUIT) // for the goroutines
			for range lines {
			}
			more = false
		}
		if len(line) == 0 {
			continue
		}
		var x outcome
		if err := json.Unmarshal(line, &x); err != nil {
			return fmt.Errorf("a trial says %q: %w", line, err)
		}
		r.add(&x)
		if r.Trials%100 == 0 {
			fmt.Fprintf(log, "%d of %d trials, %d have failed\n",
				r.Trials, o.trials, len(r.Failures))
		}
	}
	err = c.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && failure == "" {
		return nil
	}
	if failure == "" && !strings.Contains(said.String(), "goroutine ") {
		return fmt.Errorf("trial %d: %w: %s", r.Trials, err, said.String()) // the tool's own error
	}
	if failure == "" {
		failure = crashed
	}
	r.add(&outcome{Trial: r.Trials, Kind: "?", Result: failure, Message: said.String()})
	return nil
}

// corruptReport is what the trials have found.
type corruptReport struct {
	Seed    uint64  `json:"seed"`
	Trials  int     `json:"trials"`
	Seconds float64 `json:"seconds"`
	// of what was damaged: trials by result, and those that inspect calls sound
	Kinds    map[string]map[string]int `json:"kinds"`
	Failures []*outcome                `json:"failures"`
}

const sound = "inspect: sound"

func (r *corruptReport) add(o *outcome) {
	r.Trials++
	k := r.Kinds[o.Kind]
	if k == nil {
		k = map[string]int{}
		r.Kinds[o.Kind] = k
	}
	k["trials"]++
	k[o.Result]++
	if o.Sound {
		k[sound]++
	}
	if o.failed() {
		r.Failures = append(r.Failures, o)
	}
}

// String is a table of the kinds of files, and the failures.
func (r *corruptReport) String() string {
	var b strings.Builder
	columns := []string{"trials", refused, told, same, silent, crashed, hung, wordy, sound}
	fmt.Fprintf(&b, "| damaged | %s |\n|%s\n",
		strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)+1))
	sum := map[string]int{}
	row := func(name string, k map[string]int) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, c := range columns {
			fmt.Fprintf(&b, " %d |", k[c])
			sum[c] += k[c]
		}
		b.WriteString("\n")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Kinds)) {
		row(name, r.Kinds[name])
	}
	row("all", maps.Clone(sum))
	for _, o := range r.Failures {
		fmt.Fprintf(&b, "\ntrial %d: %s: %s: %s\n%s\n",
			o.Trial, o.Victim, o.Damage, o.Result, o.Message)
	}
	fmt.Fprintf(&b, "\n%d trials with seed %d in %.0f s, %d failures\n",
		r.Trials, r.Seed, r.Seconds, len(r.Failures))
	return b.String()
}
