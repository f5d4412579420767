package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/run/history"
	"tengen/run/watch"
)

func newWatch() *cobra.Command {
	var once, asJSON bool
	c := &cobra.Command{
		Use:   "watch RUN|URL",
		Short: "Watch a run in the terminal",
		Long: `Watch shows the state of a run and updates it each second: iteration and stage, rates,
losses and strength with their curves, the rating, the time left, the last warnings.
q or Ctrl-C ends it.

RUN is the folder of a run, which is only read; the current activity of the process is
inferred from its files. URL is the address of a training process, as printed at its
start (http://127.0.0.1:9464): its metrics say more about the present, but of the past
only what happened since watch started.

If the output is no terminal, or with --once, the state is printed once.`,
		Example: `  tengen watch runs/quick
  tengen watch http://127.0.0.1:9464
  tengen watch runs/quick --once --json`,
		Args: cli.Arguments("RUN|URL"),
		RunE: func(c *cobra.Command, args []string) error {
			source, err := watch.Open(args[0])
			if err != nil {
				return cli.Usage(err)
			}
			out := c.OutOrStdout()
			color := cli.Colorful(out, os.Getenv)
			if once || asJSON || !cli.IsTerminal(out) || os.Getenv("TERM") == "dumb" {
				return watchOnce(c.Context(), source, out, asJSON, color,
					strings.Contains(args[0], "://"))
			}
			v := &cli.Viewer{Source: source, Out: out, In: c.InOrStdin(), Color: color}
			return unwatched(v.Run(c.Context()))
		},
	}
	c.Flags().BoolVar(&once, "once", false, "print the state once")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, once")
	return c
}

// between is the interval between these two looks.
const between = 2 * time.Second

// watchOnce prints the state of the run once. Rates of metrics need two looks.
func watchOnce(
	ctx context.Context, source watch.Source, out io.Writer, asJSON, color, twice bool,
) error {
	x, err := source.Look(ctx, time.Now())
	if err == nil && twice {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(between):
		}
		x, err = source.Look(ctx, time.Now())
	}
	if err != nil {
		return unwatched(err)
	}
	if asJSON {
		return cli.WriteJSON(out, x)
	}
	for _, line := range watch.Lines(x, 80, color) {
		if _, err := fmt.Fprintln(cli.Colored(out), line); err != nil {
			return err
		}
	}
	return nil
}

// unwatched marks the error for a folder without a run as a usage error.
func unwatched(err error) error {
	if errors.Is(err, history.ErrNone) {
		return cli.Usage(err)
	}
	return err
}
