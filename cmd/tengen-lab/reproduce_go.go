package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/research"
	"tengen/research/ablation"
	"tengen/research/multigo"
	"tengen/run"
	"tengen/vfs"
)

// goFlags are the common flags of the experiments of the Go paper.
type goFlags struct {
	resultFlags
	matches multigo.Matches
}

// add adds the flags: --device for networks.
func (f *goFlags) add(c *cobra.Command, networks bool) {
	c.Flags().IntVar(&f.matches.Games, "games", 500, "number of games per cell")
	c.Flags().Uint64Var(&f.matches.Seed, "seed", 1, "random seed")
	if networks {
		f.addDevice(c)
	}
	f.resultFlags.add(c, multigo.Layout, "go")
}

// run makes one part of the page with find.
func (f *goFlags) run(
	c *cobra.Command, part string, find func(made research.Made) (research.Part, error),
) error {
	if f.matches.Games < 2 {
		return cli.Usagef("--games %d: at least 2 are wanted", f.matches.Games)
	}
	if f.device != "" {
		var err error
		if f.matches.Device, err = f.openDevice(c); err != nil {
			return err
		}
		defer f.closeDevice()
	}
	if f.save != "" {
		f.matches.Save = filepath.Join(f.save, part)
	}
	f.matches.Damaged = cli.WarnDamaged(c)
	show := cli.Parts(c.ErrOrStderr())
	f.matches.Progress = func(what string, done, all int) { show(what, "games", done, all) }
	return f.resultFlags.run(c,
		f.matches.Seed, func(_ string, made research.Made) (research.Part, error) {
			found, err := find(made)
			if errors.Is(err, arena.ErrOtherMatch) {
				err = cli.Usagef("--save: %w", err)
			}
			return found, err
		}, part)
}

func newGoTable3() *cobra.Command {
	var f goFlags
	c := &cobra.Command{
		Use:     "go-table3",
		Short:   "UCT in all seats of three-player 5×5 Go",
		Long:    "Go-table3 plays the paper's Table 3: UCT with 180 simulations in all seats, in the\npaper's scale (points) and in the stronger one (unit).",
		Example: "  tengen-lab reproduce go-table3",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c, "table3", func(made research.Made) (research.Part, error) {
				return partOf(f.matches.Table3(c.Context(), made))
			})
		},
	}
	f.add(c, false)
	f.addSave(c, "")
	return c
}

func newGoTable4() *cobra.Command {
	var f goFlags
	var alphaZero, descent string
	c := &cobra.Command{
		Use:   "go-table4",
		Short: "AlphaZero and Descent against UCT, each other and themselves",
		Long: `Go-table4 plays the paper's Table 4, in which Black is AlphaZero or Descent and the
others are UCT, AlphaZero or Descent, and the same with the odd one in the other
seats. The players are those that come with the program unless others are named.`,
		Example: `  tengen-lab reproduce go-table4
  tengen-lab reproduce go-table4 --alphazero az:runs/quick --descent ubfm:runs/d,time=1s
  tengen-lab reproduce go-table4 --games 5000 --device cuda`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c, "table4", func(made research.Made) (research.Part, error) {
				t, err := f.matches.Table4(c.Context(), alphaZero, descent, made)
				return partOf(t, usage(c, err))
			})
		},
	}
	f.add(c, true)
	f.addSave(c, "")
	c.Flags().StringVar(&alphaZero, "alphazero", "az:go-5x5x3,simulations=180",
		"the player of AlphaZero")
	c.Flags().StringVar(&descent, "descent", "ubfm:go-5x5x3-descent,iterations=100",
		"the player of Descent")
	return c
}

func newGoFigure3() *cobra.Command {
	var f goFlags
	var simulations int
	var paper bool
	c := &cobra.Command{
		Use:   "go-figure3 RUN",
		Short: "Points in each seat over a run's training",
		Long: `Go-figure3 measures each checkpoint that a run of three-player 5×5 Go has kept in
each seat against two UCT, as the paper's Figure 3 does, and draws the curve. Runs of
AlphaZero and of Descent have a figure each; with --paper, for runs of the presets
paper-alphazero and paper-descent, another. To have all checkpoints, train with --set checkpoints.keep_last=1000000.

With --save, games that were played are not played again: not after an interruption, and
not when the run has trained on.`,
		Example: "  tengen-lab reproduce go-figure3 runs/quick\n  tengen-lab reproduce go-figure3 runs/paper-alphazero --paper --save runs/figure3",
		Args:    cli.Arguments("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			config, err := run.Folder(args[0]).ReadConfig()
			if err != nil {
				return err
			}
			part := multigo.FigurePart(string(config.Algorithm), paper)
			return f.run(c, part, func(made research.Made) (research.Part, error) {
				return partOf(f.matches.Figure3(c.Context(), run.Folder(args[0]),
					simulations, made))
			})
		},
	}
	f.add(c, true)
	f.addSave(c, "")
	c.Flags().BoolVar(&paper, "paper",
		false, "the run has the paper's settings: make the figure of such runs")
	c.Flags().IntVar(&simulations, "simulations",
		180, "simulations per move (Descent: iterations of unbounded best-first minimax)")
	return c
}

func newGoReward() *cobra.Command {
	var f goFlags
	var r multigo.Rewards
	c := &cobra.Command{
		Use:   "go-reward",
		Short: "Learning the score against learning the win",
		Long: `Go-reward trains networks on both rewards of which the paper speaks, alike and from
several seeds, one run after the other, and has them play UCT and each other. Runs
that are finished in --dir are not made again.

Runs have equal --iterations, or with --minutes equal time; --iterations, which schedules
follow, should then be more than fit.`,
		Example: "  tengen-lab reproduce go-reward --iterations 6\n  tengen-lab reproduce go-reward --minutes 5 --iterations 15",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case r.Iterations < 1:
				return cli.Usagef("--iterations %d: at least 1 is wanted", r.Iterations)
			case !(r.Minutes >= 0):
				return cli.Usagef("--minutes %g: more than 0 is wanted, or 0 for no limit",
					r.Minutes)
			case r.Seeds < 1 || r.Seeds > 100:
				return cli.Usagef("--seeds %d: 1 to 100 is wanted", r.Seeds)
			case r.Simulations < 1:
				return cli.Usagef("--simulations %d: at least 1 is wanted", r.Simulations)
			}
			stderr := c.ErrOrStderr()
			log := cli.NewLog(stderr, cli.IsTerminal(stderr))
			return f.run(c, r.Part(), func(made research.Made) (research.Part, error) {
				r.Matches = f.matches
				return partOf(r.Reward(c.Context(), made, log))
			})
		},
	}
	f.add(c, true)
	c.Flags().StringVar(&r.Dir, "dir", filepath.Join("runs", "go-reward"), "folder of the runs")
	c.Flags().IntVar(&r.Iterations, "iterations", 6, "training iterations of each run")
	c.Flags().Float64Var(&r.Minutes, "minutes",
		0, "minutes of training of each run, for runs of equal time; 0: equal iterations")
	c.Flags().IntVar(&r.Seeds, "seeds", 3, "runs of each reward, from seeds 1, 2, …")
	c.Flags().IntVar(&r.Simulations, "simulations", 100, "simulations per move")
	c.Flags().StringArrayVar(&r.Set, "set", nil, "key=value set in every run; repeatable")
	return c
}

func newDescentAblation() *cobra.Command {
	a := &ablation.Ablation{Opening: 4}
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
			log := cli.NewLog(stderr, cli.IsTerminal(stderr))
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
			var p *cli.Progress
			pool := ""
			result, err := a.Run(c.Context(), log, func(question string, done, all int) {
				if question != pool {
					pool, p = question, cli.NewProgress(stderr, "the networks play", "games")
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
