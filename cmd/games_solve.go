package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game/backgammon"
	"tengen/vfs"
)

func newSolve() *cobra.Command {
	var out string
	var minutes float64
	var asJSON bool
	c := &cobra.Command{
		Use:   "solve GAME",
		Short: "Compute the exact values of all positions of Hypergammon",
		Long: `Solve computes what every position of backgammon with 1 to 3 checkers is worth if both
players play to win as many points as they can, by value iteration, and writes the values
to a file (docs/formats/equities.md). With 3 checkers, Hypergammon, there are 8 million
positions; it takes some minutes of one core, 500 MB of memory, and 43 MB on disk.

Ctrl-C, or the end of --minutes, writes what has been computed; the same command goes on
from it. Solver:table=FILE plays by a complete file.`,
		Example: `  tengen games solve backgammon:checkers=3 --out hypergammon.equities
  tengen games solve backgammon:checkers=3 --out hypergammon.equities --minutes 10`,
		Args: cli.Arguments("GAME"),
		RunE: func(c *cobra.Command, args []string) error {
			g, err := cli.ParseGame(args[0])
			if err != nil {
				return err
			}
			b, ok := g.(*backgammon.Game)
			switch {
			case !ok || b.Checkers() > backgammon.MostSolved:
				return cli.Usagef("%s can't be solved; backgammon with 1 to %d checkers can",
					g.Name(), backgammon.MostSolved)
			case out == "":
				return cli.Usagef("--out is wanted: the file to write")
			case !(minutes >= 0):
				return cli.Usagef("--minutes %v: a number from 0 is wanted", minutes)
			}
			var start *backgammon.Equities
			data, err := vfs.ReadFile(vfs.OS{}, out)
			if err == nil {
				start, err = backgammon.ParseEquities(data)
				if err == nil && start.Checkers() != b.Checkers() {
					err = fmt.Errorf("the equities of %d checkers", start.Checkers())
				}
				if err != nil {
					return cli.Usagef("%s is not replaced: %v", out, err)
				}
			} else if !errors.Is(err, fs.ErrNotExist) {
				return cli.Usage(err)
			}
			ctx, stop := c.Context(), context.CancelFunc(func() {})
			if minutes > 0 {
				ctx, stop = context.WithTimeout(ctx, time.Duration(minutes*float64(time.Minute)))
			}
			defer stop()
			e, solving := backgammon.Solve(ctx, b.Checkers(), backgammon.SolvedTo, start,
				solveProgress(c.ErrOrStderr()))
			if solving != nil && ctx.Err() == nil {
				return solving
			}
			if err := vfs.WriteFile(vfs.OS{}, out, func(w io.Writer) error {
				return e.Write(w)
			}); err != nil {
				return err
			}
			if solving != nil {
				return cli.Stopped(
					fmt.Sprintf(
						"stopped; %s holds %d sweeps, and the same command goes on from there",
						out, e.Sweeps), solving)
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), struct {
					Game      string `json:"game"`
					Positions int    `json:"positions"`
					Sweeps    int    `json:"sweeps"`
					// the greatest change of a value in the last sweep, in points
					Change float64 `json:"change"`
					// the first player's equity before the first roll, in points
					Start float64 `json:"start"`
				}{g.Name(), e.Positions(), e.Sweeps, e.Change, e.Start()})
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: %d positions after %d sweeps, the last of which changed no value by more than %.1g points\nWhite wins %+.5f points in the mean\n%s\n",
				g.Name(), e.Positions(), e.Sweeps, e.Change, e.Start(), out)
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "", "the file to write, and to go on from")
	c.Flags().Float64Var(&minutes, "minutes",
		0, "stop after this time and write what there is (0: no limit)")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// solveProgress shows sweeps done, of those that are expected at the rate at which changes have
// fallen since the second one.
func solveProgress(w io.Writer) func(backgammon.Sweep) {
	var p *cli.Progress
	var first, last, expected int
	var from float64
	return func(s backgammon.Sweep) {
		if p == nil {
			p, first, expected = cli.NewProgress(w, "solve", "sweeps"), s.Number, s.Number+30
		}
		done := s.Number - first
		if s.Share == 1 {
			done++
		}
		complete := s.All && s.Share == 1 && s.Change <= backgammon.SolvedTo
		switch {
		case complete:
			expected = s.Number
		case s.All && s.Share == 1:
			if from > 0 && s.Change < from {
				rate := math.Log(from/s.Change) / float64(s.Number-last)
				expected = s.Number + int(math.Ceil(math.Log(s.Change/backgammon.SolvedTo)/rate))
			}
			from, last = s.Change, s.Number
		}
		if !complete {
			expected = max(expected, s.Number+1)
		}
		p.Set(done, expected-first+1)
		if complete {
			p.Close()
		}
	}
}
