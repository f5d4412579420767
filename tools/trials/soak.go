//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"tengen/tools/internal/tengen"
)

// soakOptions are the command's flags.
type soakOptions struct {
	tengen.Options
	minutes, most float64
	watched       bool
	address       string       // of the run's page, if watched
	answers       atomic.Int64 // that the clients of a watched run had
}

func soak(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o soakOptions
	flags := o.Flags("soak", "Soak monitors the memory and the open files of `tengen train`.\n\n  go run ./tools/trials soak --minutes 30\n  go run ./tools/trials soak --minutes 120 --watched\n\n", stderr)
	flags.Float64Var(&o.minutes, "minutes", 30, "how long to train")
	flags.BoolVar(&o.watched, "watched", false, "train the preset quick in place of a tiny run, with everything on: the page and its event stream, metrics asked for every 5 seconds, evaluations, TensorBoard's files; and print a table over time")
	flags.Float64Var(&o.most, "most",
		5, "greatest growth of memory, in percent, from a third of the time to the end")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !(o.minutes > 0) || flags.NArg() > 0 {
		return errors.New("a time above 0 is wanted, and no further argument")
	}
	temporary, err := o.Prepare(ctx, "soak")
	// nothing if temporary is empty
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	if err != nil {
		return err
	}
	samples, err := watch(ctx, &o, stderr)
	if err != nil {
		return err
	}
	r, err := newSoakReport(samples)
	if err != nil {
		return err
	}
	if r.Answers = o.answers.Load(); o.watched && r.Answers < int64(o.minutes*12/2) {
		return fmt.Errorf("the page and the metrics answered %d times only: nobody watched the run",
			r.Answers)
	}
	if o.JSON {
		err = json.NewEncoder(stdout).Encode(r)
	} else {
		_, err = io.WriteString(stdout, r.String())
	}
	return errors.Join(err, r.verdict(o.most))
}

// churn returns the settings of a run that produces games, segments, checkpoints,
// evaluations and pictures as fast as possible.
func churn(minutes float64) []string {
	return append(tengen.Tiny(1_000_000),
		fmt.Sprintf("training.minutes=%g", minutes), "training.games=300", "training.max_steps=4",
		"replay.games=2000",
		"evaluation.every=20", "evaluation.games=2", "evaluation.simulations=4",
	)
}

// watch trains and takes a sample every second.
func watch(ctx context.Context, o *soakOptions, log io.Writer) ([]sample, error) {
	var stderr bytes.Buffer
	folder := filepath.Join(o.Dir, "run")
	args := tengen.Train(folder, false, append(churn(o.minutes), o.Set...))
	if o.watched {
		var err error
		if args, err = o.everything(folder); err != nil {
			return nil, err
		}
		inner, cancel := context.WithCancel(ctx)
		defer tengen.Watch(inner, o.get)()
		defer cancel()
	}
	c := exec.CommandContext(ctx, o.Program, args...)
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
				fmt.Fprintf(log, "minute %.0f of %g: %.1f MiB, %d files, %d threads\n",
					s.At/60, o.minutes, float64(s.RSS)/(1<<20), s.Files, s.Threads)
			}
		case <-tick.C:
			// An error means that the process has just ended.
			s, err := look(c.Process.Pid, began)
			if err != nil {
				break
			}
			if o.watched && len(samples)%10 == 0 {
				s.Disk = disk(o.Dir)
				if s.Goroutines, s.Iteration, err = o.metrics(ctx); err != nil {
					s.Goroutines = 0 // not yet, or no longer
				}
			}
			samples = append(samples, s)
		}
	}
}

// tail keeps the end of what is written, for errors.
type tail struct{ buffer *bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	const most = 1 << 14
	if t.buffer.Len() > most {
		t.buffer.Next(t.buffer.Len() - most/2)
	}
	return t.buffer.Write(p)
}

// everything returns the arguments of a run of the preset quick with the page, metrics and
// TensorBoard's files.
func (o *soakOptions) everything(folder string) ([]string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	o.address = l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	args := []string{
		"train", "quick", "--run", folder, "--listen", o.address, "--tensorboard",
		filepath.Join(o.Dir, "tensorboard"),
	}
	for _, s := range append([]string{
		"training.iterations=1000000", fmt.Sprintf("training.minutes=%g", o.minutes),
	}, o.Set...) {
		args = append(args, "--set", s)
	}
	return args, nil
}

// get writes the answer to a request to w.
func (o *soakOptions) get(ctx context.Context, path string, w io.Writer) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+o.address+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	_, err = io.Copy(w, answer.Body)
	if err == nil {
		o.answers.Add(1)
	}
	return err
}

var metric = regexp.MustCompile(`(?m)^(go_goroutines|tengen_iteration)(?:{[^}]*})? ([0-9.e+]+)$`)

// metrics returns figures that the run exports.
func (o *soakOptions) metrics(ctx context.Context) (goroutines, iteration int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var text strings.Builder
	if err := o.get(ctx, "/metrics", &text); err != nil {
		return 0, 0, err
	}
	for _, m := range metric.FindAllStringSubmatch(text.String(), -1) {
		x, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("metric %s: %w", m[1], err)
		}
		if m[1] == "go_goroutines" {
			goroutines = int(x)
		} else {
			iteration = int(x)
		}
	}
	if goroutines == 0 {
		return 0, 0, fmt.Errorf("%s has no go_goroutines", o.address)
	}
	return goroutines, iteration, nil
}

// disk returns the bytes of the files below a folder, but for the program that was built there.
// Files that go meanwhile count nothing.
func disk(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && path != filepath.Join(dir, "tengen") {
			if i, err := d.Info(); err == nil {
				bytes += i.Size()
			}
		}
		return nil
	})
	return bytes
}
