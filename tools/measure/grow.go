package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"tengen/configs"
	"tengen/run"
	"tengen/run/runtest"
	"tengen/tools/internal/tengen"
)

// growOptions are the flags of grow.
type growOptions struct {
	tengen.Options
	from, to string
	size     size
}

// size is the size of a grown run.
type size struct {
	Iterations int `json:"iterations"`
	Games      int `json:"games"` // of the window
}

func grow(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var o growOptions
	flags := o.Flags("grow", "Grow makes a long run of a short one.\n\n  go run ./tools/measure grow --run runs/long --iterations 200000 --games 150000\n\n", stderr)
	flags.StringVar(&o.from, "from", "", "folder of the run to grow (default: one is trained)")
	flags.StringVar(&o.to, "run", "", "folder of the grown run")
	flags.IntVar(&o.size.Iterations, "iterations", 20_000, "finished iterations of the grown run")
	flags.IntVar(&o.size.Games, "games", 50_000, "games of its window")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.to == "" || flags.NArg() > 0 {
		return errors.New("--run with a new folder is wanted, and no argument")
	}
	temporary := ""
	if o.from == "" {
		temporary, err = o.Prepare(ctx, "grow")
		// nothing if temporary is empty
		defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
		if err == nil {
			o.from, err = trainSmall(ctx, &o.Options)
		}
		if err != nil {
			return err
		}
	}
	began := time.Now()
	if err := growRun(ctx, o.from, o.to, o.size, o.Set); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: %d iterations, a window of %d games, made in %v\n", o.to,
		o.size.Iterations, o.size.Games, time.Since(began).Round(time.Second/10))
	return nil
}

// growRun grows a run, with further settings.
func growRun(ctx context.Context, from, to string, s size, set []string) error {
	var failed error
	err := runtest.GrowFolder(ctx, run.Folder(from), run.Folder(to), runtest.Growth{
		Iterations: s.Iterations, Games: s.Games,
		Change: func(c *configs.Config) {
			text, err := c.YAML()
			if err == nil {
				var r *configs.Resolved
				r, err = configs.Resolve(configs.Options{Name: from, Text: text, Set: set})
				if err == nil {
					*c = r.Config
				}
			}
			failed = err
		},
	})
	return errors.Join(failed, err)
}

// trainSmall trains a run for about a minute, of which larger ones can be made, and returns its
// folder.
func trainSmall(ctx context.Context, o *tengen.Options) (folder string, err error) {
	folder = filepath.Join(o.Dir, "small")
	args := []string{"train", "quick", "--run", folder, "--device", "cpu"}
	for _, s := range []string{
		"network.blocks=1", "network.filters=16", // what is beside the network is measured
		"training.iterations=20", "training.games=60", "warm_start.initial_games=60",
		"training.max_steps=20", "evaluation.every=5", "evaluation.games=5",
		"evaluation.ruler_games=0", "metrics.address=",
	} {
		args = append(args, "--set", s)
	}
	p, err := tengen.Start(ctx, "the short run", folder+".log", o.Program, args...)
	if err != nil {
		return "", err
	}
	select {
	case <-p.Ended:
	case <-ctx.Done():
	}
	return folder, p.Wait(10 * time.Second)
}
