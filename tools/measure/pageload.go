//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"tengen/arena"
	"tengen/internal/interval"
	"tengen/tools/internal/tengen"
)

// loadOptions are the command's flags.
type loadOptions struct {
	tengen.Options
	preset, match       string
	rounds              int
	seconds             float64
	without, with, wait float64
	memory              float64
	token, base         string
	pin                 bool
}

// pinned is set in the environment of the process that has the clients' cores.
const pinned = "PAGELOAD_PINNED"

func pageload(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o loadOptions
	flags := o.Flags("pageload", "Pageload loads the page of a run that is trained, and measures what training loses.\n\n  go run ./tools/measure pageload --rounds 3 --seconds 5\n\n", stderr)
	flags.StringVar(&o.preset, "config", "quick", "preset or file of the configuration")
	flags.StringVar(&o.match, "match", "", "only loads whose names match this `expression`")
	flags.IntVar(&o.rounds, "rounds", 3, "rounds of a quiet and a loaded time, for each load")
	flags.Float64Var(&o.seconds, "seconds", 5, "length of a quiet and of a loaded time")
	flags.Float64Var(&o.without, "without",
		3, "what training may lose by clients without the token, in percent")
	flags.Float64Var(&o.with, "with", 10, "what it may lose by clients with the token, in percent")
	flags.Float64Var(&o.wait, "wait", 1, "seconds that a visitor may wait")
	flags.Float64Var(&o.memory, "memory",
		128, "memory that the process may take more than at the beginning, in MiB")
	flags.BoolVar(&o.pin, "pin",
		true, "give the trainer a core for itself, and the clients the others, if there is taskset")
	if err := flags.Parse(args); err != nil {
		return err
	}
	only, err := regexp.Compile(o.match)
	if err != nil {
		return err
	}
	if o.rounds < 1 || !(o.seconds > 0) || flags.NArg() > 0 {
		return errors.New("numbers above 0 are wanted, and no further argument")
	}
	if again := pin(ctx); again != nil && o.pin {
		again.Stdout, again.Stderr = stdout, stderr
		return again.Run()
	}
	temporary, err := o.Prepare(ctx, "pageload")
	// nothing if temporary is empty
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel() // kills the trainer
	training, err := o.train(inner)
	if err != nil {
		return err
	}
	// until games are at different plies
	time.Sleep(time.Duration(o.seconds * float64(time.Second)))
	r := &loadReport{Rounds: o.rounds, Seconds: o.seconds, Pinned: os.Getenv(pinned) != ""}
	for _, l := range loads {
		if !only.MatchString(l.name) {
			continue
		}
		f, err := o.measure(inner, training, l)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		f.judge(&o)
		fmt.Fprintf(stderr, "%s: %.1f %%\n", l.name, 100*f.Loss)
		r.Figures = append(r.Figures, *f)
	}
	training.stop()
	if o.JSON {
		err = json.NewEncoder(stdout).Encode(r)
	} else {
		_, err = io.WriteString(stdout, r.String())
	}
	for _, f := range r.Figures {
		if len(f.Failed) > 0 {
			err = errors.Join(err, fmt.Errorf("%s: %s", f.Load, strings.Join(f.Failed, "; ")))
		}
	}
	return err
}

// pin returns the command that is this process with the cores of the clients; nil if it has them,
// or there is nothing to divide.
func pin(ctx context.Context) *exec.Cmd {
	path, err := exec.LookPath("taskset")
	if err != nil || runtime.NumCPU() < 2 || os.Getenv(pinned) != "" {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	c := exec.CommandContext(ctx, path,
		append([]string{"-c", fmt.Sprintf("1-%d", runtime.NumCPU()-1), self}, os.Args[1:]...)...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGINT) }
	c.Env = append(os.Environ(), pinned+"=1")
	return c
}

// training is the process whose page is loaded.
type training struct {
	c     *exec.Cmd
	said  *bytes.Buffer
	ended chan error
}

// train starts a run that plays all the time, and waits for its first games.
func (o *loadOptions) train(ctx context.Context) (*training, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	o.base, o.token = "http://"+address, "a-token-of-the-tool"
	secret := filepath.Join(o.Dir, "token")
	if err := os.WriteFile(secret, []byte(o.token), 0o600); err != nil {
		return nil, err
	}
	args := []string{
		"train", o.preset, "--run", filepath.Join(o.Dir, "run"), "--device", "cpu", "--listen",
		address, "--token-file", secret,
	}
	for _, s := range append([]string{
		"training.games=1000000", "evaluation.every=0", "warm_start.initial_games=0",
		"warm_start.schedule=none", "selfplay.workers=1", "selfplay.cache_mib=0",
	}, o.Set...) {
		args = append(args, "--set", s)
	}
	name := o.Program
	if path, err := exec.LookPath("taskset"); err == nil && os.Getenv(pinned) != "" {
		name, args = path, append([]string{"-c", "0", o.Program}, args...)
	}
	t := &training{
		c: exec.CommandContext(ctx, name, args...), said: &bytes.Buffer{},
		ended: make(chan error, 1),
	}
	t.c.Stderr = t.said
	if err := t.c.Start(); err != nil {
		return nil, err
	}
	go func() { t.ended <- t.c.Wait() }()
	for {
		if n, err := o.counter(ctx); err == nil && n > 0 {
			return t, nil
		}
		select {
		case err := <-t.ended:
			return nil, fmt.Errorf("tengen: %w\n%s", err, t.said)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// stop ends the training as Ctrl-C does.
func (t *training) stop() {
	_ = t.c.Process.Signal(os.Interrupt)
	select {
	case <-t.ended:
	case <-time.After(20 * time.Second):
		_ = t.c.Process.Kill()
		<-t.ended
	}
}

var positions = regexp.MustCompile(`(?m)^tengen_inference_positions_total\S* ([0-9.e+]+)$`)

// counter returns the positions that self-play has evaluated.
func (o *loadOptions) counter(ctx context.Context) (n float64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.base+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	for _, m := range positions.FindAllSubmatch(text, -1) {
		x, _ := strconv.ParseFloat(string(m[1]), 64)
		n += x
	}
	return n, nil
}

// figure is what one load has cost.
type figure struct {
	Load   string  `json:"load"`
	Token  bool    `json:"token"`
	Quiet  float64 `json:"quiet_positions_per_second"`
	Loaded float64 `json:"loaded_positions_per_second"`
	Loss   float64 `json:"loss"` // 1 - loaded ÷ quiet
	// half the width of its 95 % interval over the rounds; null with one
	CI       *float64 `json:"loss_ci95"`
	Requests int64    `json:"requests_per_second"`
	Visits   int      `json:"visits"`
	Median   float64  `json:"median_wait_seconds"` // of the visitor
	Most     float64  `json:"most_wait_seconds"`
	Missed   int      `json:"missed_visits"` // another answer than the status
	Missing  string   `json:"missing,omitempty"`
	Memory   float64  `json:"most_memory_mib"`
	Growth   float64  `json:"memory_growth_mib"`
	Failed   []string `json:"failed,omitempty"`
}

func (f *figure) judge(o *loadOptions) {
	most := o.without
	if f.Token {
		most = o.with
	}
	if 100*f.Loss > most {
		f.Failed = append(f.Failed,
			fmt.Sprintf("training loses %.1f %%, at most %g %% are wanted", 100*f.Loss, most))
	}
	if f.Most > o.wait {
		f.Failed = append(f.Failed, fmt.Sprintf("a visitor waits for %.2f s", f.Most))
	}
	if f.Missed > 0 {
		f.Failed = append(f.Failed,
			fmt.Sprintf("a visitor gets another answer %d times: %s", f.Missed, f.Missing))
	}
	if f.Growth > o.memory {
		f.Failed = append(f.Failed, fmt.Sprintf("%.0f MiB more than at the beginning", f.Growth))
	}
}

// measure alternates quiet and loaded times.
func (o *loadOptions) measure(ctx context.Context, t *training, l load) (*figure, error) {
	f := &figure{Load: l.name, Token: l.token}
	var quiet, loaded, quietTime, loadedTime float64
	var waits []float64
	var losses arena.Stat
	if l.token { // what may be taken at once, after a time without requests
		client := newClients(o, true)
		client.start(ctx, l)
		select {
		case <-ctx.Done():
		case <-time.After(4 * time.Second):
		}
		client.stop()
	}
	began := memory(t.c.Process.Pid)
	for range o.rounds {
		var speed [2]float64 // quiet and loaded
		for k, on := range []bool{false, true} {
			client := newClients(o, l.token)
			visits := func() visited { return visited{} }
			if l.clients > 1 { // else this one is the visitor
				visits = o.visit(ctx)
			}
			before, err := o.counter(ctx)
			if err != nil {
				return nil, err
			}
			at := time.Now()
			if on {
				client.start(ctx, l)
			}
			for end := at.Add(time.Duration(o.seconds * float64(time.Second))); time.Now().
				Before(end); {
				select {
				case err := <-t.ended:
					return nil, fmt.Errorf("tengen has ended: %w\n%s", err, t.said)
				case <-time.After(100 * time.Millisecond):
				}
				f.Memory = max(f.Memory, memory(t.c.Process.Pid))
			}
			client.stop()
			after, err := o.counter(ctx)
			if err != nil {
				return nil, err
			}
			took := time.Since(at).Seconds()
			v := visits()
			speed[k] = (after - before) / took
			if on {
				loaded, loadedTime = loaded+after-before, loadedTime+took
				waits = append(waits, v.waits...)
				f.Missed += v.missed
				if v.missed > 0 {
					f.Missing = v.why
				}
				f.Requests += client.requests.Load()
			} else {
				quiet, quietTime = quiet+after-before, quietTime+took
			}
		}
		losses.Add(1 - speed[1]/speed[0])
	}
	f.CI = interval.OrNull(losses.CI())
	f.Quiet, f.Loaded = quiet/quietTime, loaded/loadedTime
	f.Loss, f.Requests = 1-f.Loaded/f.Quiet, int64(float64(f.Requests)/loadedTime)
	f.Growth = f.Memory - began
	if slices.Sort(waits); len(waits) > 0 {
		f.Visits, f.Median, f.Most = len(waits), waits[len(waits)/2], waits[len(waits)-1]
	}
	return f, nil
}

// visited is what a visitor has found.
type visited struct {
	waits  []float64 // seconds
	missed int
	why    string
}

// visit asks for the status until the function that it returns is called, ten times a second or as
// often as it is answered.
func (o *loadOptions) visit(ctx context.Context) (end func() visited) {
	inner, cancel := context.WithCancel(ctx)
	result := make(chan visited, 1)
	go func() {
		var v visited
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-inner.Done():
				result <- v
				return
			case <-tick.C:
			}
			at := time.Now()
			status, err := o.ask(inner, client, "/api/v1/run", o.token, io.Discard)
			if inner.Err() != nil {
				continue
			}
			v.waits = append(v.waits, time.Since(at).Seconds())
			if err != nil || status != http.StatusOK {
				v.missed++
				v.why = fmt.Sprintf("status %d, %v", status, err)
			}
		}
	}()
	return func() visited { cancel(); return <-result }
}

// ask asks for a path, writes the answer to w and returns its status.
func (o *loadOptions) ask(
	ctx context.Context, c *http.Client, path, token string, w io.Writer,
) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.base+path, nil)
	if err != nil {
		return 0, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := c.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(w, answer.Body)
	return answer.StatusCode, err
}

// memory returns the resident memory of a process in MiB, 0 once it has ended.
func memory(pid int) float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "VmRSS:" {
			kib, _ := strconv.ParseFloat(words[1], 64)
			return kib / 1024
		}
	}
	return 0
}

// loadReport is the result of the tool.
type loadReport struct {
	Rounds  int      `json:"rounds"`
	Seconds float64  `json:"seconds"`
	Pinned  bool     `json:"pinned"` // the trainer has a core for itself
	Figures []figure `json:"figures"`
}

func (r *loadReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d rounds of %g s without and with each load", r.Rounds, r.Seconds)
	if r.Pinned {
		fmt.Fprint(&b, "; the trainer has a core for itself")
	}
	fmt.Fprintln(&b)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "load\ttoken\trequests/s\tpositions/s, quiet\tloaded\tloss\tvisitor waits, median\tmost\tmissed\tmost memory, MiB\tgrowth")
	for _, f := range r.Figures {
		loss := fmt.Sprintf("%.1f %%", 100*f.Loss)
		if f.CI != nil {
			loss = fmt.Sprintf("%.1f ± %.1f %%", 100*f.Loss, 100**f.CI)
		}
		fmt.Fprintf(w, "%s\t%t\t%d\t%.0f\t%.0f\t%s\t%.0f ms\t%.0f ms\t%d of %d\t%.0f\t%.0f\n",
			f.Load, f.Token, f.Requests, f.Quiet, f.Loaded, loss, 1000*f.Median, 1000*f.Most,
			f.Missed, f.Visits, f.Memory, f.Growth)
	}
	w.Flush()
	return b.String()
}
