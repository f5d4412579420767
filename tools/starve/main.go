// Starve runs the tests of every package beside busy loops, several times and in random order,
// and keeps the output of those that fail. A test that depends on the machine's speed fails
// here sooner than it fails by chance elsewhere.
//
//	go run ./tools/starve --rounds 20 --out /tmp/starve
//	go run ./tools/starve --match cluster/worker --loops 6 --rounds 5
//
// One package runs at a time by default, with as many loops as --loops says, so that on a machine
// of two cores and six loops a test has about a quarter of a core. Rounds alternate between one and
// two processors for the Go scheduler (--procs). Test binaries are built once, in --out; a package
// whose binary is already there is not built again with --keep.
//
// Where tests shall load each other in place of idle loops, --at-once says how many packages run
// side by side; a round then takes about the processors' time that the tests themselves need:
//
//	go run ./tools/starve --rounds 20 --at-once 6 --loops 2
//
// Each line tells how long the tests and their processes computed, and on Linux the load: the mean
// number of threads for each processor that computed or waited for it, while they ran.
//
// With --results FILE rounds are collected over several calls, however each of them ends:
//
//	go run ./tools/starve --rounds 20 --results starve.jsonl --for 20m   # again and again, until no package lacks a round
//
// The file gets a line for each run: when, at which commit, which package, and whether it passed. A
// call runs what the file lacks. A result counts while the files that the tests are built from are
// the same, with the data in their folders; a change to one package of the module takes away the
// rounds of those that import it. What tests read elsewhere in the repository is not looked at.
//
// Without loops it is also how the race detector looks at all packages, once before a release, in
// as many sittings as it takes:
//
//	go run ./tools/starve --race --short --loops 0 --procs 4 --rounds 1 --results race.jsonl --for 1h
//
// The report has a line for each run of a package; the exit status is 1 if any has failed. It needs
// no other program. On Linux with scheduling by session, start it with setsid and write a niceness
// to /proc/self/autogroup: then all of it together yields to others, while the loops still starve
// the tests.
package main

import (
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
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 3, "how often each package's tests run")
	flag.IntVar(&o.loops, "loops", 6, "busy loops beside them")
	flag.IntVar(&o.atOnce, "at-once",
		1, "packages whose tests run at once, each beside those of the others")
	procs := flag.String("procs", "1,2",
		"values of GOMAXPROCS for the tests, which rounds take in turn")
	match := flag.String("match", "", "only packages whose path matches this `expression`")
	flag.StringVar(&o.run, "run", "",
		"only tests that match this `expression`, as for go test -run")
	flag.BoolVar(&o.short, "short", false, "go test -short")
	flag.BoolVar(&o.race, "race", false, "go test -race")
	flag.BoolVar(&o.keep, "keep", false, "use the test binaries that are already in --out")
	flag.DurationVar(&o.timeout, "timeout", time.Hour, "`limit` for one run of a package")
	flag.StringVar(&o.results, "results", "",
		"`file` that keeps what has passed, so that rounds are collected over several calls")
	flag.DurationVar(&o.limit, "for",
		0, "`time` after which no further run of a package begins; 0: no limit")
	flag.StringVar(&o.out, "out", filepath.Join(os.TempDir(), "starve"),
		"`folder` for test binaries and the output of runs that fail")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if o.only, err = regexp.Compile(*match); err == nil && o.atOnce < 1 {
		err = fmt.Errorf("--at-once %d: want a number from 1", o.atOnce)
	}
	if err == nil {
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
	for i := range suites {
		suites[i].build = sync.OnceValue(func() error { return o.build(ctx, suites[i]) })
	}
	defer busy(o.loops)()
	h := harness{options: o, report: w, kept: kept, failed: kept.failed}
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
func (o *options) list(ctx context.Context) ([]suite, error) {
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
