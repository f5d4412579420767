package tengen

import (
	"bufio"
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
	"reflect"
	"strings"
	"sync"
	"time"

	"tengen/checkpoints"
	"tengen/replay"
	"tengen/replay/record"
	"tengen/run"
	"tengen/vfs"
)

// Build compiles the program of this module into dir and returns its path.
func Build(ctx context.Context, dir string) (path string, err error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, "tengen")
	build := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/tengen")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build tengen: %w\n%s", err, text)
	}
	return path, nil
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == os.DevNull {
		return "", errors.New("run it in tengen's source tree, or set --tengen to a program")
	}
	return filepath.Dir(file), nil
}

// Tiny returns the settings (key=value) of a run whose iterations take hundredths of a
// second: tic-tac-toe, a network of one block, averaged weights, no evaluation, no metrics.
// It writes all kinds of a run's files, as often as possible.
func Tiny(iterations int) []string {
	return []string{
		"game=tictactoe", "network.blocks=1", "network.filters=8", "network.hidden=8",
		"search.simulations=4",
		"warm_start.schedule=none", "warm_start.initial_games=0",
		fmt.Sprintf("training.iterations=%d", iterations), "training.games=8", "training.batch=8",
		"training.max_steps=2",
		"training.warmup_steps=2", "training.ema_decay=0.9",
		"evaluation.every=0", "selfplay.workers=2", "selfplay.cache_mib=1",
		"checkpoints.keep_last=2", "replay.games=30",
		"metrics.address=",
	}
}

// Train returns the program's arguments for a new run in a folder with the given settings
// or, with resume, for continuing it.
func Train(folder string, resume bool, settings []string) []string {
	args := []string{"train", "--run", folder}
	if resume {
		return append(args, "--resume")
	}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	return args
}

// Main runs a tool until it returns or is interrupted, and exits with status 1
// after an error.
func Main(
	name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error,
) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil &&
		!errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// Options are the flags that tools have in common.
type Options struct {
	Dir     string   // folder for the runs
	Program string   // path of tengen
	Set     []string // further settings of the runs
	JSON    bool     // print JSON
}

// Flags returns a tool's flags, the common ones included. help comes before them
// in the text for --help.
func (o *Options) Flags(name, help string, stderr io.Writer) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Dir, "dir", "", "folder for the runs (default: a temporary one)")
	flags.StringVar(&o.Program, "tengen", "", "program to run (default: it is built)")
	flags.Func("set",
		"further setting of the run, key=value; may be repeated", func(s string) error {
			o.Set = append(o.Set, s)
			return nil
		})
	flags.BoolVar(&o.JSON, "json", false, "print JSON")
	flags.Usage = func() {
		fmt.Fprint(stderr, help)
		flags.PrintDefaults()
	}
	return flags
}

// Prepare creates a temporary folder if Dir is empty, and builds tengen there if
// Program is empty. temporary is that folder, which the caller removes, or "".
func (o *Options) Prepare(ctx context.Context, name string) (temporary string, err error) {
	if o.Dir == "" {
		if temporary, err = os.MkdirTemp("", name+"-"); err != nil {
			return "", err
		}
		o.Dir = temporary
	}
	if o.Program == "" {
		o.Program, err = Build(ctx, o.Dir)
	}
	return temporary, err
}

// Write prints a report, as JSON or as text.
func (o *Options) Write(w io.Writer, r fmt.Stringer) error {
	if !o.JSON {
		_, err := io.WriteString(w, r.String())
		return err
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// LoadGames returns all games of a run that are on disk, and what is damaged.
func LoadGames(folder run.Folder) ([]*record.Game, []*replay.Damage, error) {
	return replay.Load(vfs.OS{}, folder.Replay())
}

// Newest loads all checkpoints of a run and returns the newest; any damage is an error.
func Newest(folder run.Folder) (*checkpoints.Checkpoint, error) {
	list, err := checkpoints.List(folder.Checkpoints())
	if err != nil {
		return nil, err
	}
	var newest *checkpoints.Checkpoint
	for _, e := range list {
		if newest, err = checkpoints.Load(e.Path); err != nil {
			return nil, err
		}
	}
	if newest == nil {
		return nil, fmt.Errorf("%w in %s", checkpoints.ErrNone, folder.Checkpoints())
	}
	return newest, nil
}

// Same returns an error if two checkpoints differ, to the bit, in their counters, network,
// averaged network or optimizer.
func Same(got, want *checkpoints.Checkpoint) error {
	for _, part := range []struct {
		name      string
		got, want any
	}{
		{"iteration", got.Iteration, want.Iteration},
		{"number of steps", got.Step, want.Step},
		{"network", got.Params.Tensors, want.Params.Tensors},
		{"averaged network", got.Average.Tensors, want.Average.Tensors},
		{"optimizer", got.Optimizer, want.Optimizer},
	} {
		if !reflect.DeepEqual(part.got, part.want) {
			return fmt.Errorf("the %s differs from the uninterrupted run's", part.name)
		}
	}
	return nil
}

// Asks are the paths that the page asks for when it is opened, and when an iteration has ended.
var Asks = []string{
	"/api/v1/run", "/api/v1/history", "/api/v1/games", "/api/v1/log", "/api/v1/machine",
	"/api/v1/cluster",
}

// Get writes the answer to a request for a path to w. It ends with ctx.
type Get func(ctx context.Context, path string, w io.Writer) error

// Watch keeps the page open, with its stream of events, and reads the metrics every five seconds,
// until the context ends. What is not answered is asked again: the run may not listen yet. The
// function that it returns waits for the end of all requests.
func Watch(ctx context.Context, get Get) (wait func()) {
	var group sync.WaitGroup
	every := func(d time.Duration, f func()) {
		group.Go(func() {
			tick := time.NewTicker(d)
			defer tick.Stop()
			for ctx.Err() == nil {
				f()
				select {
				case <-ctx.Done():
				case <-tick.C:
				}
			}
		})
	}
	ask := func() {
		for _, path := range Asks {
			_ = get(ctx, path, io.Discard)
		}
	}
	every(5*time.Second, func() { _ = get(ctx, "/metrics", io.Discard) })
	every(time.Second, func() {
		ask()
		events, in := io.Pipe()
		go func() { in.CloseWithError(get(ctx, "/api/v1/stream", in)) }()
		lines := bufio.NewScanner(events)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if lines.Text() == "event: games" {
				ask()
			}
		}
		events.CloseWithError(lines.Err())
	})
	return group.Wait
}
