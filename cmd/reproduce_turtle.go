package cmd

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/experiments"
)

// mostTurtleSimulations is what players take.
const mostTurtleSimulations = 10_000_000

// turtleFlags are what the experiments of the Great Turtle Race have in common.
type turtleFlags struct {
	games experiments.TurtleGames
	open  bool
	out   string
	json  bool
}

func (f *turtleFlags) add(c *cobra.Command, games int, what string) {
	c.Flags().IntVar(&f.games.Games, "games", games, "games a "+what+", seats swapped")
	c.Flags().IntVar(&f.games.Parallel, "parallel", 0, "games side by side, each on a core of its own (default: the number of cores)")
	c.Flags().Uint64Var(&f.games.Seed, "seed", 1, "seed of what is drawn")
	c.Flags().IntVar(&f.games.Simulations, "simulations", 1000, "simulations a move of the paper's MCTS")
	c.Flags().StringVar(&f.out, "out", "docs/results/turtle-race.md", "page to write; what was found lies in a folder of its name")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON, one value for each part of the page")
}

// run makes parts of the page, one after the other: find returns one of them.
func (f *turtleFlags) run(c *cobra.Command, parts []string, find func(part string, made experiments.Made) (any, error)) error {
	switch {
	case f.games.Games < 2:
		return usagef("--games %d: at least 2 are wanted", f.games.Games)
	case f.games.Parallel < 0 || f.games.Parallel > cores():
		return usagef("--parallel %d: 1 to %d is wanted, the number of cores", f.games.Parallel, cores())
	case f.games.Simulations < 1 || f.games.Simulations > mostTurtleSimulations:
		return usagef("--simulations %d: 1 to %d is wanted", f.games.Simulations, mostTurtleSimulations)
	}
	page, err := experiments.ReadTurtlePage(f.out)
	if err != nil {
		return err
	}
	for _, part := range parts {
		f.games.Progress = progressOfParts(c)
		err := makePart(c, page, part, f.games.Seed, f.json, func(made experiments.Made) (any, error) {
			return find(part, made)
		}, func(found any) { page.Put(part, found) })
		if err != nil {
			return err
		}
	}
	return nil
}

// turtleTables says what the paper's tables compare.
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
		Example: fmt.Sprintf("  tengen reproduce turtle-table%d\n  tengen reproduce turtle-table%d --games 100 --out /tmp/turtle.md", number, number),
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c, []string{experiments.TurtleTablePart(number, f.open)}, func(_ string, made experiments.Made) (any, error) {
				return f.games.Table(c.Context(), number, f.open, made)
			})
		},
	}
	f.add(c, 1000, "cell")
	if number == 2 || number == 3 {
		c.Flags().BoolVar(&f.open, "open", false, "open hands: all see everything; a table of its own")
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
		Example: "  tengen reproduce turtle-tables\n  tengen reproduce turtle-tables --games 10 --simulations 50 --out /tmp/turtle.md",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var parts []string
			for number := range turtleTables {
				parts = append(parts, experiments.TurtleTablePart(number+1, false))
			}
			return f.run(c, parts, func(part string, made experiments.Made) (any, error) {
				return f.games.Table(c.Context(), slices.Index(parts, part)+1, false, made)
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

One player sits in each seat in turn, another in all others. AlphaZero plays in games
of as many players as its network was trained for: name a run for each.`,
		Example: `  tengen reproduce turtle-beyond --alphazero runs/turtle
  tengen reproduce turtle-beyond --section time --alphazero runs/turtle --time 20ms
  tengen reproduce turtle-beyond --alphazero runs/turtle --alphazero runs/turtle3`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, section := range sections {
				if !slices.Contains(experiments.TurtleSections, section) {
					return usagef("--section %s: one of %s is wanted", section, strings.Join(experiments.TurtleSections, ", "))
				}
			}
			switch {
			case f.games.AZSimulations < 1 || f.games.AZSimulations > mostTurtleSimulations:
				return usagef("--az-simulations %d: 1 to %d is wanted", f.games.AZSimulations, mostTurtleSimulations)
			case f.games.Time <= 0 || f.games.Time > 24*time.Hour:
				return usagef("--time %v: a duration such as 10ms is wanted, up to 24h", f.games.Time)
			}
			chosen := sections
			if len(chosen) == 0 {
				chosen = experiments.TurtleSections
			}
			var parts []string
			for _, section := range chosen {
				parts = append(parts, experiments.TurtleBeyondPart(section))
			}
			return f.run(c, parts, func(part string, made experiments.Made) (any, error) {
				b, err := f.games.Beyond(c.Context(), chosen[slices.Index(parts, part)], made)
				return b, usage(err)
			})
		},
	}
	f.add(c, 500, "match")
	c.Flags().StringArrayVar(&f.games.AlphaZero, "alphazero", nil, "a run, a checkpoint or a model file of the game, to play too; may be repeated")
	c.Flags().IntVar(&f.games.AZSimulations, "az-simulations", 180, "simulations a move of AlphaZero")
	c.Flags().StringArrayVar(&f.games.ISMCTS, "ismcts", experiments.TurtleISMCTS, "a player of information-set search; may be repeated")
	c.Flags().DurationVar(&f.games.Time, "time", 10*time.Millisecond, "time a move where it is equal")
	c.Flags().StringArrayVar(&sections, "section", nil, "a section to play; may be repeated (default: all)")
	return c
}
