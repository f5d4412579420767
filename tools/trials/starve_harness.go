package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// A harness runs the tests of packages, as many at once as the options say.
type harness struct {
	*starveOptions
	load gauge

	lock        sync.Mutex // of all that follows, and of the counts of suites
	report      io.Writer
	kept        *results
	ran, failed int
}

// collect runs what the suites lack, round after round. Where several run at once, a round may
// begin before the one before it ends.
func (h *harness) collect(ctx context.Context, suites []suite) error {
	type turn struct {
		suite *suite
		round int
	}
	var lacking []turn
	for round := range h.rounds {
		for i := range suites {
			if suites[i].ran <= round {
				lacking = append(lacking, turn{&suites[i], round})
			}
		}
	}
	turns := make(chan turn, len(lacking))
	for _, t := range lacking {
		turns <- t
	}
	close(turns)
	defer h.load.sample()()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	began := time.Now()
	var running sync.WaitGroup
	for range h.atOnce {
		running.Go(func() {
			for t := range turns {
				if h.limit > 0 && time.Since(began) >= h.limit || ctx.Err() != nil {
					return
				}
				if err := h.once(ctx, t.suite, t.round); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// once runs the tests of one package, reports the result and keeps it. Its error is not one of the
// tests.
func (h *harness) once(ctx context.Context, s *suite, round int) error {
	if err := s.build(); err != nil {
		return err
	}
	began, before := time.Now(), h.load.mark()
	output, computed, err := h.test(ctx, s, h.procs[round%len(h.procs)])
	if ctx.Err() != nil {
		return ctx.Err()
	}
	took, load := time.Since(began), h.load.since(before)
	h.lock.Lock()
	defer h.lock.Unlock()
	h.ran++
	s.ran++
	result := "ok"
	if err != nil {
		h.failed++
		name := fmt.Sprintf("%s.%d.failed", s.binary, round+1)
		result = fmt.Sprintf("FAILED (%v), output in %s", err, name)
		if err := os.WriteFile(name, output, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(h.report, "%d/%d %s %.1fs computed %.1fs load %.1f %s\n",
		round+1, h.rounds, s.path, took.Seconds(), computed.Seconds(), load, result)
	return h.kept.add(*s, err == nil, took, computed, load)
}

// build builds the test binary of a package.
func (o *starveOptions) build(ctx context.Context, s suite) error {
	if _, err := os.Stat(s.binary); o.keep && err == nil {
		return nil
	}
	args := []string{"test", "-vet=off", "-c", "-o", s.binary}
	if o.race {
		args = append(args, "-race")
	}
	if message, err := exec.CommandContext(ctx, "go",
		append(args, s.path)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", s.path, err, message)
	}
	return nil
}

// test runs the tests of one package. It returns what they printed, and how long they and their
// processes computed.
func (o *starveOptions) test(
	ctx context.Context, s *suite, procs int,
) (output []byte, computed time.Duration, err error) {
	c := exec.CommandContext(ctx, s.binary, "-test.shuffle=on", "-test.timeout",
		o.timeout.String(), "-test.run", o.run, "-test.short="+strconv.FormatBool(o.short))
	c.Dir = s.folder
	c.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs))
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second // for processes that a test has left behind
	var printed bytes.Buffer
	c.Stdout, c.Stderr = &printed, &printed
	err = c.Run()
	if c.ProcessState != nil {
		computed = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return printed.Bytes(), computed, err
}

// A gauge measures how many threads compute or wait for a processor. The zero gauge is ready.
type gauge struct {
	lock         sync.Mutex
	sum, samples float64
}

// A mark is what a gauge has seen so far.
type mark struct{ sum, samples float64 }

// sample looks ten times a second, where the system tells, and returns what ends that.
func (g *gauge) sample() (end func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		ticks := time.NewTicker(100 * time.Millisecond)
		defer ticks.Stop()
		for {
			if n, ok := runnable(); ok {
				g.lock.Lock()
				g.sum += n
				g.samples++
				g.lock.Unlock()
			}
			select {
			case <-ticks.C:
			case <-done:
				return
			}
		}
	})
	return func() { close(done); running.Wait() }
}

func (g *gauge) mark() mark {
	g.lock.Lock()
	defer g.lock.Unlock()
	return mark{g.sum, g.samples}
}

// since returns the mean number of such threads for each processor since the mark; 0 where nothing
// was measured.
func (g *gauge) since(m mark) float64 {
	now := g.mark()
	if now.samples == m.samples {
		return 0
	}
	return (now.sum - m.sum) / (now.samples - m.samples) / float64(runtime.NumCPU())
}

// runnable returns how many threads of the machine compute or wait for a processor, as Linux tells
// in /proc/stat, this one left out.
func runnable() (n float64, ok bool) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	_, after, found := bytes.Cut(text, []byte("\nprocs_running "))
	if !found {
		return 0, false
	}
	number, _, _ := bytes.Cut(after, []byte("\n"))
	threads, err := strconv.Atoi(string(number))
	return float64(threads - 1), err == nil
}

// busy starts loops that compute all the time, each on a thread of its own, and returns what ends
// them.
func busy(loops int) (end func()) {
	done := make(chan struct{})
	previous := runtime.GOMAXPROCS(loops + 1)
	for range loops {
		go func() {
			runtime.LockOSThread()
			for {
				select {
				case <-done:
					return
				default:
					for range 1 << 16 {
					}
				}
			}
		}()
	}
	return func() { close(done); runtime.GOMAXPROCS(previous) }
}
