package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/terminal"
	"tengen/configs"
	"tengen/research"
	"tengen/research/turtlerace"
)

// turtleFlags are the common flags of the experiments of the Great Turtle Race.
type turtleFlags struct {
	resultFlags
	experiments turtlerace.Experiments
	open        bool
}

func (f *turtleFlags) add(c *cobra.Command, games int, what string) {
	c.Flags().IntVar(&f.experiments.Games, "games", games, "games of a "+what+", seats swapped")
	c.Flags().IntVar(&f.experiments.Parallel, "parallel",
		0, "concurrent games, each on a core of its own (default: the number of cores)")
	c.Flags().Uint64Var(&f.experiments.Seed, "seed", 1, "random seed")
	c.Flags().IntVar(&f.experiments.Simulations, "simulations",
		1000, "simulations per move of the paper's MCTS")
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
	case e.Parallel < 0 || e.Parallel > cli.Cores():
		return cli.Usagef("--parallel %d: 1 to %d is wanted, the number of cores",
			e.Parallel, cli.Cores())
	case e.Simulations < 1 || e.Simulations > configs.MaxSimulations:
		return cli.Usagef("--simulations %d: 1 to %d is wanted",
			e.Simulations, configs.MaxSimulations)
	}
	return f.resultFlags.run(c,
		f.experiments.Seed, func(part string, made research.Made) (research.Part, error) {
			f.experiments.Progress = terminal.Parts(c.ErrOrStderr())
			return find(part, made)
		}, parts...)
}

// turtleTables are the comparisons of the paper's tables.
var turtleTables = [6]string{
	"MCTS against MCTS", "minimax against minimax", "alpha-beta against alpha-beta",
	"MCTS against alpha-beta", "MCTS against minimax", "alpha-beta against minimax",
}

func newTurtleTable(number int) *cobra.Command {
	var f turtleFlags
	compares := turtleTables[number-1] + ", with every strategy"
	c := &cobra.Command{
		Use:   fmt.Sprintf("turtle-table%d", number),
		Short: "The turtle race: " + compares,
		Long: fmt.Sprintf(`Turtle-table%d plays the paper's Table %d, two players:
%s
(Fast, Efficient-smart, Hybrid, Dummy). It draws the table as heat maps. Of a search
against itself each two strategies meet once. Minimax and alpha-beta look 4 turns ahead
in 20 determinizations; MCTS searches information sets.`, number, number, compares),
		Example: fmt.Sprintf("  tengen-lab reproduce turtle-table%d\n  tengen-lab reproduce turtle-table%d --games 100 --out /tmp/turtle.md", number, number),
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c, []string{
				turtlerace.TablePart(number, f.open),
			}, func(_ string, made research.Made) (research.Part, error) {
				return partOf(f.experiments.Table(c.Context(), number, f.open, made))
			})
		},
	}
	f.add(c, 1000, "cell")
	if number == 2 || number == 3 {
		c.Flags().BoolVar(&f.open, "open",
			false, "open hands: all players see everything; a separate table")
	}
	return c
}

func newTurtleTables() *cobra.Command {
	var f turtleFlags
	c := &cobra.Command{
		Use:   "turtle-tables",
		Short: "All six tables of the turtle race, one after the other",
		Long: `Turtle-tables plays the paper's Tables 1 to 6 as turtle-table1 to turtle-table6 do, 66
cells in all. Each table is kept as soon as it is finished.`,
		Example: "  tengen-lab reproduce turtle-tables\n  tengen-lab reproduce turtle-tables --games 10 --simulations 50 --out /tmp/turtle.md",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var parts []string
			for number := range turtleTables {
				parts = append(parts, turtlerace.TablePart(number+1, false))
			}
			return f.run(c, parts, func(part string, made research.Made) (research.Part, error) {
				return partOf(f.experiments.Table(c.Context(), slices.Index(parts, part)+1,
					false, made))
			})
		},
	}
	f.add(c, 1000, "cell")
	return c
}

func newTurtleBeyond() *cobra.Command {
	var f turtleFlags
	var sections []string
	c := &cobra.Command{
		Use:   "turtle-beyond",
		Short: "ISMCTS and AlphaZero against the paper's players, 2 to 5 players, the ceiling of open hands",
		Long: `Turtle-beyond plays what the paper does not, in sections, each kept as soon as it is
finished:

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
  tengen-lab reproduce turtle-beyond --section time --alphazero runs/turtle --time 20ms
  tengen-lab reproduce turtle-beyond --alphazero runs/turtle --alphazero runs/turtle3`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, section := range sections {
				if !slices.Contains(turtlerace.Sections, section) {
					return cli.Usagef("--section %s: one of %s is wanted",
						section, strings.Join(turtlerace.Sections, ", "))
				}
			}
			switch {
			case f.experiments.AZSimulations < 1 ||
				f.experiments.AZSimulations > configs.MaxSimulations:
				return cli.Usagef("--az-simulations %d: 1 to %d is wanted",
					f.experiments.AZSimulations, configs.MaxSimulations)
			case f.experiments.Time <= 0 || f.experiments.Time > 24*time.Hour:
				return cli.Usagef("--time %v: a duration such as 10ms is wanted, up to 24h",
					f.experiments.Time)
			}
			if len(f.experiments.AlphaZero) > 0 || c.Flags().Changed("device") {
				var err error
				if f.experiments.Device, err = f.openDevice(c); err != nil {
					return err
				}
				defer f.closeDevice()
			}
			chosen := sections
			if len(chosen) == 0 {
				chosen = turtlerace.Sections
			}
			var parts []string
			for _, section := range chosen {
				parts = append(parts, turtlerace.BeyondPart(section))
			}
			return f.run(c, parts, func(part string, made research.Made) (research.Part, error) {
				b, err := f.experiments.Beyond(c.Context(), chosen[slices.Index(parts, part)], made)
				return partOf(b, usage(c, err))
			})
		},
	}
	f.add(c, 500, "match")
	f.addDevice(c)
	c.Flags().StringArrayVar(&f.experiments.AlphaZero, "alphazero",
		nil, "an additional network: a run, a checkpoint or a model file; repeatable")
	c.Flags().IntVar(&f.experiments.AZSimulations, "az-simulations",
		180, "simulations per move of AlphaZero")
	c.Flags().StringArrayVar(&f.experiments.ISMCTS, "ismcts",
		turtlerace.ISMCTS, "a player of information-set search; repeatable")
	c.Flags().DurationVar(&f.experiments.Time, "time",
		10*time.Millisecond, "time per move in matches at equal time")
	c.Flags().StringArrayVar(&sections, "section",
		nil, "a section to play; repeatable (default: all)")
	return c
}
