package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

func starve(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var o starveOptions
	flags := flag.NewFlagSet("starve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rounds, "rounds", 3, "how often each package's tests run")
	flags.IntVar(&o.loops, "loops", 6, "busy loops beside them")
	flags.IntVar(&o.atOnce, "at-once",
		1, "packages whose tests run at once, each beside those of the others")
	procs := flags.String("procs", "1,2",
		"values of GOMAXPROCS for the tests, which rounds take in turn")
	match := flags.String("match", "", "only packages whose path matches this `expression`")
	flags.StringVar(&o.run, "run", "",
		"only tests that match this `expression`, as for go test -run")
	flags.BoolVar(&o.short, "short", false, "go test -short")
	flags.BoolVar(&o.race, "race", false, "go test -race")
	flags.BoolVar(&o.keep, "keep", false, "use the test binaries that are already in --out")
	flags.DurationVar(&o.timeout, "timeout", time.Hour, "`limit` for one run of a package")
	flags.StringVar(&o.results, "results", "",
		"`file` that keeps what has passed, so that rounds are collected over several calls")
	flags.DurationVar(&o.limit, "for",
		0, "`time` after which no further run of a package begins; 0: no limit")
	flags.StringVar(&o.out, "out", filepath.Join(os.TempDir(), "starve"),
		"`folder` for test binaries and the output of runs that fail")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.atOnce < 1 {
		return fmt.Errorf("--at-once %d: want a number from 1", o.atOnce)
	}
	var err error
	if o.only, err = regexp.Compile(*match); err != nil {
		return err
	}
	if o.procs, err = numbers(*procs); err != nil {
		return err
	}
	return o.starve(ctx, stdout)
}

// starveOptions are the flags of starve.
type starveOptions struct {
	rounds, loops, atOnce int
	procs                 []int
	only                  *regexp.Regexp
	run, out, results     string
	short, race, keep     bool
	timeout, limit        time.Duration
}

// A suite is the tests of one package.
type suite struct {
	path, folder, binary string
	build                func() error // builds the test binary, at the first call
	// a digest of what the tests are built from; "" without results
	sources string
	ran     int // rounds, those of earlier calls included
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

// starve builds the tests and runs them, and writes a line for each run to w. Where results are
// kept, it runs what they lack.
func (o *starveOptions) starve(ctx context.Context, w io.Writer) error {
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
	for i := range suites {
		suites[i].build = sync.OnceValue(func() error { return o.build(ctx, suites[i]) })
	}
	defer busy(o.loops)()
	h := harness{starveOptions: o, report: w, kept: kept, failed: kept.failed}
	if err := h.collect(ctx, suites); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d runs of %d packages beside %d busy loops, %d have failed\n",
		h.ran, len(suites), o.loops, h.failed)
	if o.results != "" {
		least, lacking := o.rounds, 0
		for _, s := range suites {
			least = min(least, s.ran)
			if s.ran < o.rounds {
				lacking++
			}
		}
		fmt.Fprintf(w, "%d rounds of all packages; %d packages have fewer than %d\n",
			least, lacking, o.rounds)
	}
	if h.failed > 0 {
		return errors.New("tests have failed")
	}
	return nil
}

// list lists the packages with tests that match.
func (o *starveOptions) list(ctx context.Context) ([]suite, error) {
	text, err := goList(ctx, "-f",
		"{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}\t{{.Dir}}{{end}}", "./...")
	if err != nil {
		return nil, err
	}
	var all []suite
	for line := range strings.Lines(text) {
		path, folder, is := strings.Cut(strings.TrimSpace(line), "\t")
		if is && o.only.MatchString(path) {
			all = append(all, suite{
				path: path, folder: folder,
				binary: filepath.Join(o.out, strings.ReplaceAll(path, "/", "_")+".test"),
			})
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
