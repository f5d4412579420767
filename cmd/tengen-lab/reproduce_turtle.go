package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/configs"
	"tengen/research"
	"tengen/research/turtlerace"
)

// turtleFlags are the common flags of the experiments of the Great Turtle Race.
type turtleFlags struct {
	resultFlags
	experiments turtlerace.Experiments
}

func (f *turtleFlags) add(c *cobra.Command, games int, what string) {
	c.Flags().IntVar(&f.experiments.Games, "games", games, "games of a "+what+", seats swapped")
	c.Flags().Uint64Var(&f.experiments.Seed, "seed", 1, "random seed")
	c.Flags().IntVar(&f.experiments.Simulations, "simulations",
		1000, "simulations per move of MCTS")
	f.resultFlags.add(c, turtlerace.Layout, "turtle-race")
}

// run makes parts of the page with find, one after another.
func (f *turtleFlags) run(
	c *cobra.Command, parts []string,
	find func(part string, made research.Made) (research.Part, error),
) error {
	switch e := &f.experiments; {
	case e.Games < 2:
		return cli.Usagef("--games %d: at least 2 are wanted", e.Games)
	case e.Simulations < 1 || e.Simulations > configs.MaxSimulations:
		return cli.Usagef("--simulations %d: 1 to %d is wanted",
			e.Simulations, configs.MaxSimulations)
	}
	return f.resultFlags.run(c,
		f.experiments.Seed, func(part string, made research.Made) (research.Part, error) {
			f.experiments.Progress = cli.Parts(c.ErrOrStderr())
			return find(part, made)
		}, parts...)
}

func newTurtleTables() *cobra.Command {
	var f turtleFlags
	c := &cobra.Command{
		Use:   "turtle-tables [TABLE…]",
		Short: "The paper's searches against each other, with every strategy",
		Long: `Turtle-tables plays the paper's tables, two players with every strategy (Fast,
Efficient-smart, Hybrid, Dummy), and draws them as heat maps:

  1  MCTS against MCTS                4  MCTS against alpha-beta
  2  minimax against minimax          5  MCTS against minimax
  3  alpha-beta against alpha-beta    6  alpha-beta against minimax

TABLE is one of 1 to 6, all by default, 66 cells; or 2-open or 3-open, the same with open
hands: all players see everything. Each table is kept as soon as it is finished. Of a
search against itself each two strategies meet once. Minimax and alpha-beta look 4 turns
ahead in 20 determinizations; MCTS searches information sets.`,
		Example: `  tengen-lab reproduce turtle-tables
  tengen-lab reproduce turtle-tables 2-open 3-open
  tengen-lab reproduce turtle-tables 1 --games 100 --out /tmp/turtle.md`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"1", "2", "3", "4", "5", "6"}
			}
			var parts []string
			for _, table := range args {
				part := "table" + table
				if _, _, ok := turtlerace.TableOf(part); !ok {
					return cli.Usagef("no table is called %q; there are 1 to 6, 2-open and 3-open",
						table)
				}
				parts = append(parts, part)
			}
			return f.run(c, parts, func(part string, made research.Made) (research.Part, error) {
				number, open, _ := turtlerace.TableOf(part)
				return partOf(f.experiments.Table(c.Context(), number, open, made))
			})
		},
	}
	f.add(c, 1000, "cell")
	return c
}

func newTurtleBeyond() *cobra.Command {
	var f turtleFlags
	c := &cobra.Command{
		Use:   "turtle-beyond [SECTION…]",
		Short: "ISMCTS and AlphaZero against the paper's players, 2 to 5 players, the ceiling of open hands",
		Long: `Turtle-beyond plays what the paper does not, in sections (all by default), each kept as
soon as it is finished:

  theirs     ISMCTS and AlphaZero against all of the paper's players, two players
  players    the same against Dummy and hybrid alpha-beta, three, four and five players
  ceiling    players who see all hands and colours, against players who don't
  time       AlphaZero and ISMCTS at equal time a move
  opponents  max^n, paranoid and best-reply search against each other, three and
             five players
  weak       MCTS with few simulations and random rollouts: how weak the paper's was

One player sits in each seat in turn, another in all others. AlphaZero plays in games
of as many players as its network was trained for: name a run for each.`,
		Example: `  tengen-lab reproduce turtle-beyond --alphazero runs/turtle
  tengen-lab reproduce turtle-beyond time --alphazero runs/turtle --time 20ms
  tengen-lab reproduce turtle-beyond --alphazero runs/turtle --alphazero runs/turtle3`,
		RunE: func(c *cobra.Command, args []string) error {
			if f.experiments.Time <= 0 || f.experiments.Time > 24*time.Hour {
				return cli.Usagef("--time %v: a duration such as 10ms is wanted, up to 24h",
					f.experiments.Time)
			}
			if len(args) == 0 {
				args = turtlerace.Sections
			}
			var parts []string
			for _, section := range args {
				if !slices.Contains(turtlerace.Sections, section) {
					return cli.Usagef("no section is called %q; there are %s",
						section, strings.Join(turtlerace.Sections, ", "))
				}
				parts = append(parts, turtlerace.BeyondPart(section))
			}
			if len(f.experiments.AlphaZero) > 0 || c.Flags().Changed("device") {
				var err error
				if f.experiments.Device, err = f.openDevice(c); err != nil {
					return err
				}
				defer f.closeDevice()
			}
			return f.run(c, parts, func(part string, made research.Made) (research.Part, error) {
				b, err := f.experiments.Beyond(c.Context(), args[slices.Index(parts, part)], made)
				return partOf(b, usage(c, err))
			})
		},
	}
	f.add(c, 500, "match")
	f.addDevice(c)
	c.Flags().StringArrayVar(&f.experiments.AlphaZero, "alphazero",
		nil, "an additional network: a run, a checkpoint or a model file; repeatable")
	c.Flags().DurationVar(&f.experiments.Time, "time",
		10*time.Millisecond, "time per move in matches at equal time")
	return c
}
