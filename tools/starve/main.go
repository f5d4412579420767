package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 3, "how often each package's tests run")
	flag.IntVar(&o.loops, "loops", 6, "busy loops beside them")
	procs := flag.String("procs", "1,2", "values of GOMAXPROCS for the tests, which rounds take in turn")
	match := flag.String("match", "", "only packages whose path matches this `expression`")
	flag.StringVar(&o.run, "run", "", "only tests that match this `expression`, as for go test -run")
	flag.BoolVar(&o.short, "short", false, "go test -short")
	flag.BoolVar(&o.race, "race", false, "go test -race")
	flag.BoolVar(&o.keep, "keep", false, "use the test binaries that are already in --out")
	flag.DurationVar(&o.timeout, "timeout", time.Hour, "`limit` for one run of a package")
	flag.StringVar(&o.results, "results", "", "`file` that keeps what has passed, so that rounds are collected over several calls")
	flag.DurationVar(&o.limit, "for", 0, "`time` after which no further run of a package begins; 0: no limit")
	flag.StringVar(&o.out, "out", filepath.Join(os.TempDir(), "starve"), "`folder` for test binaries and the output of runs that fail")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if o.only, err = regexp.Compile(*match); err == nil {
		if o.procs, err = numbers(*procs); err == nil {
			err = o.starve(ctx, os.Stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "starve:", err)
		os.Exit(1)
	}
}

// options are the tool's flags.
type options struct {
	rounds, loops     int
	procs             []int
	only              *regexp.Regexp
	run, out, results string
	short, race, keep bool
	timeout, limit    time.Duration
}

// A suite is the tests of one package.
type suite struct {
	path, folder, binary string
	built                bool
	sources              string // a digest of what the tests are built from; "" without results
	ran                  int    // rounds, those of earlier calls included
}

// numbers reads positive numbers that commas separate.
func numbers(list string) ([]int, error) {
	var all []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--procs %s: want numbers from 1, separated by commas", list)
		}
		all = append(all, n)
	}
	return all, nil
}

// starve builds the tests and runs them, and writes a line for each run to w. Where results are kept, it runs what they lack.
func (o *options) starve(ctx context.Context, w io.Writer) error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	suites, err := o.list(ctx)
	if err != nil {
		return err
	}
	kept, err := o.open(ctx, suites)
	if err != nil {
		return err
	}
	defer kept.close()
	began := time.Now()
	defer busy(o.loops)()
	failed, ran := kept.failed, 0
	for round := range o.rounds {
		for i := range suites {
			s := &suites[i]
			if s.ran > round || o.limit > 0 && time.Since(began) >= o.limit {
				continue
			}
			if err := o.build(ctx, s); err != nil {
				return err
			}
			began := time.Now()
			output, err := o.test(ctx, *s, o.procs[round%len(o.procs)])
			if ctx.Err() != nil {
				return ctx.Err()
			}
			ran++
			s.ran++
			result := "ok"
			if err != nil {
				failed++
				kept := fmt.Sprintf("%s.%d.failed", s.binary, round+1)
				result = fmt.Sprintf("FAILED (%v), output in %s", err, kept)
				if err := os.WriteFile(kept, output, 0o644); err != nil {
					return err
				}
			}
			fmt.Fprintf(w, "%d/%d %s %.1fs %s\n", round+1, o.rounds, s.path, time.Since(began).Seconds(), result)
			if err := kept.add(*s, err == nil, time.Since(began)); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(w, "%d runs of %d packages beside %d busy loops, %d have failed\n", ran, len(suites), o.loops, failed)
	if o.results != "" {
		least, lacking := o.rounds, 0
		for _, s := range suites {
			least = min(least, s.ran)
			if s.ran < o.rounds {
				lacking++
			}
		}
		fmt.Fprintf(w, "%d rounds of all packages; %d packages have fewer than %d\n", least, lacking, o.rounds)
	}
	if failed > 0 {
		return errors.New("tests have failed")
	}
	return nil
}

// list lists the packages with tests that match.
func (o *options) list(ctx context.Context) ([]suite, error) {
	text, err := goList(ctx, "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}", "./...")
	if err != nil {
		return nil, err
	}
	var all []suite
	for line := range strings.Lines(text) {
		path, folder, is := strings.Cut(strings.TrimSpace(line), "\t")
		if is && o.only.MatchString(path) {
			all = append(all, suite{path: path, folder: folder, binary: filepath.Join(o.out, strings.ReplaceAll(path, "/", "_")+".test")})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no package with tests matches %q", o.only)
	}
	return all, nil
}

// goList runs go list.
func goList(ctx context.Context, args ...string) (string, error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	list.Stderr = os.Stderr
	text, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	return string(text), nil
}

// build builds the test binary of a package, once.
func (o *options) build(ctx context.Context, s *suite) error {
	if s.built {
		return nil
	}
	s.built = true
	if _, err := os.Stat(s.binary); o.keep && err == nil {
		return nil
	}
	args := []string{"test", "-vet=off", "-c", "-o", s.binary}
	if o.race {
		args = append(args, "-race")
	}
	if message, err := exec.CommandContext(ctx, "go", append(args, s.path)...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", s.path, err, message)
	}
	return nil
}

// test runs the tests of one package and returns what they printed.
func (o *options) test(ctx context.Context, s suite, procs int) ([]byte, error) {
	c := exec.CommandContext(ctx, s.binary, "-test.shuffle=on", "-test.timeout", o.timeout.String(), "-test.run", o.run, "-test.short="+strconv.FormatBool(o.short))
	c.Dir = s.folder
	c.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", procs))
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second // for processes that a test has left behind
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	err := c.Run()
	return output.Bytes(), err
}

// busy starts loops that compute all the time, each on a thread of its own, and returns what ends them.
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
