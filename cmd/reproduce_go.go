package cmd

import (
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"

	"tengen/experiments"
	"tengen/trainer"
)

func newGoTable3() *cobra.Command {
	var f goFlags
	c := &cobra.Command{
		Use:     "go-table3",
		Short:   "UCT in all seats of three-player 5×5 Go",
		Long:    "Go-table3 plays the paper's Table 3: UCT with 180 simulations in all seats, in the\npaper's scale (points) and in the stronger one (unit).",
		Example: "  tengen reproduce go-table3",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c, "table3", func(made experiments.Made) (any, error) {
				return f.matches.Table3(c.Context(), made)
			}, func(p *experiments.GoPage, found any) { p.Table3 = found.(*experiments.GoTable3) })
		},
	}
	f.add(c, false)
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
		Example: `  tengen reproduce go-table4
  tengen reproduce go-table4 --alphazero az:runs/quick --descent ubfm:runs/d,time=1s`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c, "table4", func(made experiments.Made) (any, error) {
				t, err := f.matches.Table4(c.Context(), alphaZero, descent, made)
				return t, usage(err)
			}, func(p *experiments.GoPage, found any) { p.Table4 = found.(*experiments.GoTable4) })
		},
	}
	f.add(c, true)
	c.Flags().StringVar(&alphaZero, "alphazero", "az:go-5x5x3,simulations=180", "the player of AlphaZero")
	c.Flags().StringVar(&descent, "descent", "ubfm:go-5x5x3-descent,iterations=100", "the player of Descent")
	return c
}

func newGoFigure3() *cobra.Command {
	var f goFlags
	var simulations int
	c := &cobra.Command{
		Use:   "go-figure3 RUN",
		Short: "Points in each seat over a run's training",
		Long: `Go-figure3 measures each checkpoint that a run of three-player 5×5 Go has kept in
each seat against two UCT, as the paper's Figure 3 does, and draws the curve. To
have more checkpoints, train with --set checkpoints.keep_every=2.`,
		Example: "  tengen reproduce go-figure3 runs/quick",
		Args:    arguments("RUN"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, "figure3", func(made experiments.Made) (any, error) {
				figure, err := f.matches.Figure3(c.Context(), trainer.Folder(args[0]), simulations, made)
				if err != nil {
					return nil, err
				}
				return figure, figure.Draw(filepath.Join(strings.TrimSuffix(f.out, filepath.Ext(f.out)), "figure3"))
			}, func(p *experiments.GoPage, found any) { p.Figure3 = found.(*experiments.GoFigure3) })
		},
	}
	f.add(c, false)
	c.Flags().IntVar(&simulations, "simulations", 180, "simulations a move (Descent: iterations of unbounded best-first minimax)")
	return c
}

func newGoReward() *cobra.Command {
	var f goFlags
	var r experiments.RewardGames
	c := &cobra.Command{
		Use:   "go-reward",
		Short: "Learning the score against learning the win",
		Long: `Go-reward trains networks on both rewards of which the paper speaks, alike and from
several seeds, one run after the other, and has them play UCT and each other. Runs
that are finished in --dir are not made again.`,
		Example: "  tengen reproduce go-reward --iterations 6",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case r.Iterations < 1:
				return usagef("--iterations %d: at least 1 is wanted", r.Iterations)
			case r.Seeds < 1 || r.Seeds > 100:
				return usagef("--seeds %d: 1 to 100 is wanted", r.Seeds)
			case r.Simulations < 1:
				return usagef("--simulations %d: at least 1 is wanted", r.Simulations)
			}
			stderr := c.ErrOrStderr()
			log := slog.New(tint.NewTextHandler(stderr, &tint.Options{TimeFormat: time.TimeOnly, NoColor: !isTerminal(stderr)}))
			return f.run(c, "reward", func(made experiments.Made) (any, error) {
				r.GoMatches = f.matches
				return r.Reward(c.Context(), made, log)
			}, func(p *experiments.GoPage, found any) { p.Reward = found.(*experiments.GoReward) })
		},
	}
	f.add(c, true)
	c.Flags().StringVar(&r.Dir, "dir", filepath.Join("runs", "go-reward"), "folder of the runs")
	c.Flags().IntVar(&r.Iterations, "iterations", 6, "of each run's training")
	c.Flags().IntVar(&r.Seeds, "seeds", 3, "runs of each reward, from seeds 1, 2, …")
	c.Flags().IntVar(&r.Simulations, "simulations", 100, "simulations a move")
	c.Flags().StringArrayVar(&r.Set, "set", nil, "key=value changed in every run; may be repeated")
	return c
}
