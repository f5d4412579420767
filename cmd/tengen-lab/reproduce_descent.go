package main

import (
	"bytes"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/terminal"
	"tengen/research"
	"tengen/research/descent"
	"tengen/vfs"
)

func newDescentAblation() *cobra.Command {
	a := &descent.Ablation{Opening: 4}
	var out, device string
	var asJSON bool
	c := &cobra.Command{
		Use:   "descent-ablation",
		Short: "Compare what Descent learns from, and its search",
		Long: `Descent-ablation trains four variants of Descent, each from several seeds and
for the same time, on a small game, and has their networks play one another: tree,
root and terminal learning, and unbounded best-first minimax in place of Descent as
the search of self-play. The runs are made one after the other, for the sake of
equal conditions: let nothing else run beside them.

Runs that are finished in --dir are not made again. The page is printed, and
written to --out where one is named.`,
		Example: `  tengen-lab reproduce descent-ablation --out docs/results/descent-ablation.md
  tengen-lab reproduce descent-ablation --minutes 0.2 --seeds 2 --games 10 --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, f := range []struct {
				name  string
				value float64
				ok    bool
				want  string
			}{
				{"minutes", a.Minutes, a.Minutes > 0, "more than 0"},
				{"seeds", float64(a.Seeds), a.Seeds >= 1 && a.Seeds <= 100, "1 to 100"},
				{"games", float64(a.Games), a.Games >= 2, "at least 2"},
				{"iterations", float64(a.Search), a.Search >= 1, "at least 1"},
			} {
				if !f.ok {
					return cli.Usagef("--%s %g: %s is wanted", f.name, f.value, f.want)
				}
			}
			stderr := c.ErrOrStderr()
			log := cli.NewLog(stderr, terminal.IsTerminal(stderr))
			b, err := cli.OpenDevice(c, device, log)
			if err != nil {
				return err
			}
			defer b.Close()
			a.Device = research.Device{Backend: b}
			runs := 4 * a.Seeds
			log.Info("the variants are trained", "runs", runs, "about",
				time.Duration(float64(runs)*a.Minutes*float64(time.Minute)).Round(time.Second))
			defer cli.NoticeStop(c)()
			var p *terminal.Progress
			pool := ""
			result, err := a.Run(c.Context(), log, func(question string, done, all int) {
				if question != pool {
					pool, p = question, terminal.NewProgress(stderr, "the networks play", "games")
				}
				p.Set(done, all)
			})
			if p != nil {
				p.Close()
			}
			if result == nil {
				return cli.Advise(err)
			}
			interrupted := err
			if interrupted != nil && c.Context().Err() != nil {
				interrupted = cli.Stopped("stopped; the trained networks are in "+a.Dir+
					", and the same command plays all games", err)
			}
			if result.Played == 0 && !asJSON {
				return cli.Advise(interrupted)
			}
			if asJSON {
				if err := cli.WriteJSON(c.OutOrStdout(), result); err != nil {
					return err
				}
				return cli.Advise(interrupted)
			}
			var page bytes.Buffer
			if err := result.WriteMarkdown(&page, cli.CommandLine(c), madeOn(b)); err != nil {
				return err
			}
			if out != "" && interrupted == nil {
				err := vfs.WriteBytes(vfs.OS{}, out, page.Bytes())
				if err != nil {
					return err
				}
			}
			if _, err := c.OutOrStdout().Write(page.Bytes()); err != nil {
				return err
			}
			return cli.Advise(interrupted)
		},
	}
	f := c.Flags()
	f.StringVar(&a.Dir, "dir", "runs"+string(os.PathSeparator)+"descent-ablation",
		"folder of the runs")
	f.StringVar(&a.Game, "game", "", "a game for two (default: the preset's)")
	f.Float64Var(&a.Minutes, "minutes", 2, "minutes of training of each run")
	f.IntVar(&a.Seeds, "seeds", 3, "runs of each variant, from seeds 1, 2, …")
	f.IntVar(&a.Games, "games", 40, "number of games between each two networks")
	f.IntVar(&a.Search, "iterations", 30, "iterations of unbounded best-first minimax per move")
	f.Uint64Var(&a.Seed, "seed", 1, "seed of the games")
	f.StringArrayVar(&a.Set, "set", nil, "key=value set in every variant; repeatable")
	f.StringVar(&out, "out", "", "file for the page")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	cli.AddDevice(f, &device)
	return c
}
