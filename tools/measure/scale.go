//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"tengen/run"
	"tengen/tools/internal/tengen"
)

// scaleOptions are the flags of scale.
type scaleOptions struct {
	tengen.Options
	from  string
	sizes []size
	games int // of an iteration in which self-play is measured
	self  string
}

func runScale(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	o := scaleOptions{sizes: []size{{2000, 12_500}, {20_000, 50_000}, {200_000, 150_000}}}
	flags := o.Flags("scale", "Scale measures how the costs of a run grow with its length.\n\n  go run ./tools/measure scale\n\n", stderr)
	flags.StringVar(&o.from, "from", "", "folder of the run to grow (default: one is trained)")
	flags.IntVar(&o.games, "games", 500, "games of an iteration in which self-play is measured")
	flags.Func("sizes",
		"`iterations:games` of the grown runs, separated by commas (default 2000:12500,20000:50000,200000:150000)",
		func(s string) (err error) {
			o.sizes, err = parseSizes(s)
			return err
		})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.games < 1 || flags.NArg() > 0 {
		return errors.New("a number of games above 0 is wanted, and no argument")
	}
	temporary, err := o.Prepare(ctx, "scale")
	// nothing if temporary is empty
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	if err != nil {
		return err
	}
	if o.self, err = os.Executable(); err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel() // kills what is left
	if o.from == "" {
		if o.from, err = trainSmall(inner, &o.Options); err != nil {
			return err
		}
	}
	r := &scaleReport{Sizes: o.sizes, Games: o.games, Cores: runtime.GOMAXPROCS(0)}
	for _, s := range o.sizes {
		if err := o.measure(inner, s, r, stderr); err != nil {
			return fmt.Errorf("%d iterations, %d games: %w", s.Iterations, s.Games, err)
		}
	}
	r.fit()
	return o.Write(stdout, r)
}

func parseSizes(text string) (list []size, err error) {
	for part := range strings.SplitSeq(text, ",") {
		iterations, games, ok := strings.Cut(part, ":")
		var s size
		if s.Iterations, err = strconv.Atoi(iterations); err == nil {
			s.Games, err = strconv.Atoi(games)
		}
		if !ok || err != nil || s.Iterations < 1 || s.Games < 1 {
			return nil, fmt.Errorf("%q: iterations:games are wanted, such as 2000:12500", part)
		}
		list = append(list, s)
	}
	return list, nil
}

// cost is what a part takes.
type cost struct {
	CPU    float64 `json:"cpu_seconds"`
	Memory float64 `json:"most_memory_mib"`
}

// scaleReport is the result of scale.
type scaleReport struct {
	Cores int         `json:"cores"`
	Games int         `json:"selfplay_games"`
	Sizes []size      `json:"sizes"`
	Parts []scalePart `json:"parts"`
}

// scalePart is what a part of a run's work costs.
type scalePart struct {
	Name  string `json:"part"`
	Costs []cost `json:"costs"` // by size
	// Exponent is the slope of the logarithm of the processor time over that of the number of
	// iterations, or of games if Over says so, by least squares; Memory that of the memory.
	Over     string  `json:"over"`
	Exponent float64 `json:"cpu_exponent"`
	Memory   float64 `json:"memory_exponent"`
}

// The parts, in the order in which they are measured.
const (
	firstPage    = "first page of serve"
	firstScreen  = "first screen of watch"
	compareTwo   = "compare of two, with --out"
	exportCSV    = "export as CSV"
	resumption   = "resumption, to the first new game"
	tenSteps     = "iteration of a game and 10 steps"
	selfPlayPart = "self-play: an iteration of games, one step"
)

func (r *scaleReport) add(name, over string, c cost) {
	i := slices.IndexFunc(r.Parts, func(p scalePart) bool { return p.Name == name })
	if i < 0 {
		i = len(r.Parts)
		r.Parts = append(r.Parts, scalePart{Name: name, Over: over})
	}
	r.Parts[i].Costs = append(r.Parts[i].Costs, c)
}

// fit finds the exponents.
func (r *scaleReport) fit() {
	for i := range r.Parts {
		p := &r.Parts[i]
		var x, cpu, memory []float64
		for k, s := range r.Sizes {
			n := s.Iterations
			if p.Over == "games" {
				n = s.Games
			}
			x = append(x, math.Log(float64(n)))
			cpu = append(cpu, math.Log(max(p.Costs[k].CPU, 1e-3)))
			memory = append(memory, math.Log(max(p.Costs[k].Memory, 1)))
		}
		p.Exponent, p.Memory = slope(x, cpu), slope(x, memory)
	}
}

// slope returns the slope of the line through points that has the least squared errors, 0 if there
// is only one place.
func slope(x, y []float64) float64 {
	var mx, my, xx, xy float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		xy += (x[i] - mx) * (y[i] - my)
	}
	if xx == 0 {
		return 0
	}
	return xy / xx
}

func (r *scaleReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seconds of processor time, most memory in MiB; %d cores; self-play of %d games\n",
		r.Cores, r.Games)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "iterations, games of the window")
	for _, s := range r.Sizes {
		fmt.Fprintf(w, "\t%d, %d", s.Iterations, s.Games)
	}
	fmt.Fprintln(w, "\texponents of both\tover")
	for _, p := range r.Parts {
		fmt.Fprint(w, p.Name)
		for _, c := range p.Costs {
			fmt.Fprintf(w, "\t%.2f s, %.0f", c.CPU, c.Memory)
		}
		fmt.Fprintf(w, "\t%.2f, %.2f\t%s\n", p.Exponent, p.Memory, p.Over)
	}
	w.Flush()
	return b.String()
}

// measure measures all parts with runs of a size.
func (o *scaleOptions) measure(ctx context.Context, s size, r *scaleReport, log io.Writer) error {
	dir := filepath.Join(o.Dir, strconv.Itoa(s.Iterations))
	defer os.RemoveAll(dir) // the disk may not hold all sizes at a time; what is left does no harm
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	for folder, games := range map[string]int{first: s.Games, second: 1} {
		// A process of its own: on Linux, what one begins with counts to the most memory of
		// those that it starts.
		args := []string{
			"grow", "--from", o.from, "--run", folder, "--iterations", strconv.Itoa(s.Iterations),
			"--games", strconv.Itoa(games),
		}
		for _, set := range o.Set {
			args = append(args, "--set", set)
		}
		if text, err := exec.CommandContext(ctx, o.self, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("grow: %w\n%s", err, text)
		}
	}
	add := func(name, over string, c cost, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.add(name, over, c)
		fmt.Fprintf(log, "%d iterations: %s: %.2f s, %.0f MiB\n",
			s.Iterations, name, c.CPU, c.Memory)
		return nil
	}
	c, err := o.page(ctx, dir, first)
	if err := add(firstPage, "iterations", c, err); err != nil {
		return err
	}
	for _, x := range []struct {
		name string
		args []string
	}{
		{firstScreen, []string{"watch", first, "--once"}},
		{compareTwo, []string{"compare", first, second, "--out", filepath.Join(dir, "pictures")}},
		{exportCSV,
			[]string{"export", first, "--format", "csv", "--out", filepath.Join(dir, "x.csv")}},
	} {
		c, err := o.command(ctx, dir, x.args)
		if err := add(x.name, "iterations", c, err); err != nil {
			return err
		}
	}
	start, each, err := o.resume(ctx, dir, first, 100, 1, 10)
	if err := errors.Join(add(resumption, "games", start, err),
		add(tenSteps, "games", each, err)); err != nil {
		return err
	}
	_, each, err = o.resume(ctx, dir, first, 4, o.games, 1)
	return add(selfPlayPart, "games", each, err)
}

// command runs tengen to its end.
func (o *scaleOptions) command(ctx context.Context, dir string, args []string) (c cost, err error) {
	p, err := tengen.Start(ctx, args[0], filepath.Join(dir, args[0]+".log"), o.Program, args...)
	if err != nil {
		return c, err
	}
	return ended(p)
}

// ended waits for the end of a process, and returns its cost.
func ended(p *tengen.Process) (c cost, err error) {
	<-p.Ended // or its context ends it
	if err := p.Wait(time.Minute); err != nil {
		return c, err
	}
	return cost{p.CPU(), float64(p.Usage().Maxrss) / 1024}, nil
}

// page serves a run and asks for what a browser asks for when the page is opened.
func (o *scaleOptions) page(ctx context.Context, dir, folder string) (c cost, err error) {
	address, err := tengen.FreeAddress()
	if err != nil {
		return c, err
	}
	p, err := tengen.Start(ctx, "serve", filepath.Join(dir, "serve.log"), o.Program,
		"serve", folder, "--listen", address, "--device", "cpu")
	if err != nil {
		return c, err
	}
	for !reachable(address) {
		select {
		case <-p.Ended:
			return c, fmt.Errorf("serve has ended: %w\n%s", p.Err, p.Tail())
		case <-time.After(10 * time.Millisecond):
		}
	}
	for _, path := range append([]string{"/"}, tengen.Asks...) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
		if err != nil {
			return c, err
		}
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		err = errors.Join(err, answer.Body.Close())
		// The machine's and the cluster's are of runs that are trained.
		if err == nil && answer.StatusCode != http.StatusOK &&
			answer.StatusCode != http.StatusNotFound {
			err = errors.New(answer.Status)
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", path, err)
		}
	}
	p.Signal(os.Interrupt.(syscall.Signal))
	return ended(p)
}

// reachable reports whether somebody listens on an address.
func reachable(address string) bool {
	c, err := net.Dial("tcp", address)
	return err == nil && c.Close() == nil
}

// resume resumes a run for a number of iterations and one more, each of some games and steps. It
// returns what the process takes until the first of them begins, and the mean of what each of the
// later half takes: in the background the process may do more before.
func (o *scaleOptions) resume(
	ctx context.Context, dir, folder string, iterations, games, steps int,
) (start, each cost, err error) {
	events := run.Folder(folder).Events()
	info, err := os.Stat(events)
	if err != nil {
		return start, each, err
	}
	latest, err := tengen.Newest(run.Folder(folder))
	if err != nil {
		return start, each, err
	}
	args := []string{"train", "--run", folder, "--resume", "--device", "cpu"}
	for _, s := range []string{
		fmt.Sprintf("training.iterations=%d", latest.Iteration+1+iterations),
		fmt.Sprintf("training.games=%d", games), fmt.Sprintf("training.max_steps=%d", steps),
		"evaluation.every=0", "metrics.address=",
	} {
		args = append(args, "--set", s)
	}
	p, err := tengen.Start(ctx, "train", filepath.Join(dir, "train.log"), o.Program, args...)
	if err != nil {
		return start, each, err
	}
	// The processor time when each iteration has ended.
	var at []float64
	follow := &follower{path: events, offset: info.Size()}
	for running := true; running; {
		select {
		case <-p.Ended:
			running = false
		case <-time.After(2 * time.Millisecond):
		}
		now := processorTime(p.PID())
		if !running {
			now = p.CPU()
		}
		n, err := follow.iterations()
		if err != nil {
			return start, each, err
		}
		for range n {
			at = append(at, now)
		}
	}
	whole, err := ended(p)
	if err != nil {
		return start, each, err
	}
	if len(at) != iterations+1 {
		return start, each, fmt.Errorf("%d iterations were made, not %d", len(at), iterations+1)
	}
	later := at[len(at)/2:]
	return cost{at[0] - perIteration(later), whole.Memory},
		cost{perIteration(later), whole.Memory}, nil
}

// perIteration returns the mean difference between times.
func perIteration(at []float64) float64 { return (at[len(at)-1] - at[0]) / float64(len(at)-1) }

// processorTime returns the processor time, in seconds, of a process that runs; 0 if it has ended.
func processorTime(pid int) float64 {
	const ofProcess = 2 // CPUCLOCK_SCHED: what clock_getcpuclockid returns
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid)<<3|ofProcess, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano()).Seconds()
}

// follower reads what is appended to an event log.
type follower struct {
	path   string
	offset int64 // of the first line that was not read
}

// iterations returns the number of iterations in the lines since the last call.
func (f *follower) iterations() (n int, err error) {
	file, err := os.Open(f.path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, f.offset, math.MaxInt64-f.offset))
	if err != nil {
		return 0, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	f.offset += int64(len(text))
	for line := range bytes.Lines(text) {
		var e struct{ Event run.EventKind }
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, err
		}
		if e.Event == run.EventIteration {
			n++
		}
	}
	return n, nil
}
