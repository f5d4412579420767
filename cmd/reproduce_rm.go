package cmd

import (
	"time"

	"github.com/spf13/cobra"

	"tengen/experiments"
)

// rmFlags are what the experiments of the representative-moves paper have in common.
type rmFlags struct {
	games experiments.RMGames
	out   string
	json  bool
}

func (f *rmFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.out, "out", "docs/results/representative-moves.md", "page to write; what was found lies in a folder of its name")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
}

// addMatches adds the flags of matches.
func (f *rmFlags) addMatches(c *cobra.Command) {
	f.add(c)
	c.Flags().StringVar(&f.games.Game, "game", "tcg", "the game, for two, with representative moves of its own")
	c.Flags().Uint64Var(&f.games.Seed, "seed", 1, "seed of what is drawn")
}

// addDepths adds those of matches by depth.
func (f *rmFlags) addDepths(c *cobra.Command) {
	c.Flags().IntVar(&f.games.Pairs, "pairs", 50, "pairs of games at equal depth, at most: a sequential test ends them")
	c.Flags().BoolVar(&f.games.Whole, "whole", false, "play all pairs, whatever the test says")
}

// addTimed adds those of matches at equal time.
func (f *rmFlags) addTimed(c *cobra.Command, allowed string) {
	c.Flags().IntVar(&f.games.Games, "games", 500, "games at equal time"+allowed)
	c.Flags().DurationVar(&f.games.Time, "time", 10*time.Millisecond, "time a move, one of several in a turn")
	c.Flags().IntVar(&f.games.Parallel, "parallel", 1, "games at equal time side by side: each wants a core of its own")
}

// check says what is wrong with the flags of matches.
func (f *rmFlags) check(c *cobra.Command, least int) error {
	switch {
	case c.Flags().Lookup("pairs") != nil && f.games.Pairs < 1:
		return usagef("--pairs %d: at least 1 is wanted", f.games.Pairs)
	case c.Flags().Lookup("games") == nil:
		return nil
	case f.games.Games < least || f.games.Games == 1:
		return usagef("--games %d: at least 2 are wanted", f.games.Games)
	case f.games.Time <= 0 || f.games.Time > 24*time.Hour:
		return usagef("--time %v: a duration such as 10ms is wanted, up to 24h", f.games.Time)
	case f.games.Parallel < 1 || f.games.Parallel > cores():
		return usagef("--parallel %d: 1 to %d is wanted, the number of cores", f.games.Parallel, cores())
	}
	return nil
}

// run makes one part of the page: find returns it.
func (f *rmFlags) run(c *cobra.Command, part string, find func(made experiments.Made) (any, error), put func(*experiments.RMPage, any)) error {
	page, err := experiments.ReadRMPage(f.out)
	if err != nil {
		return err
	}
	f.games.Progress = progressOfParts(c)
	return makePart(c, page, part, f.games.Seed, f.json, find, func(found any) { put(page, found) })
}

func newRMTable2() *cobra.Command {
	var f rmFlags
	c := &cobra.Command{
		Use:     "rm-table2",
		Short:   "Leaves and time of search with representative moves",
		Long:    "Rm-table2 searches the trading-card game from the paper's starting hand by\nrepresentative moves, as the paper's Table 2 does: leaves and milliseconds by depth.",
		Example: "  tengen reproduce rm-table2",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c, "table2", func(made experiments.Made) (any, error) {
				return f.games.Table2(c.Context(), made)
			}, func(p *experiments.RMPage, found any) { p.Table2 = found.(*experiments.RMTable2) })
		},
	}
	f.add(c)
	return c
}

func newRMTable3() *cobra.Command {
	var f rmFlags
	c := &cobra.Command{
		Use:   "rm-table3",
		Short: "The same with all cards",
		Long: `Rm-table3 searches from the same hand with all cards, as the paper's Table 3 does, by
both readings of the rule of drawing: all leaves to depth 3, and the same values with
pruning. With --time it tries depth 4, which the paper could not finish in half an
hour, for so long for each rule.`,
		Example: "  tengen reproduce rm-table3\n  tengen reproduce rm-table3 --time 1h",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.games.Time < 0 || f.games.Time > 24*time.Hour {
				return usagef("--time %v: a duration such as 1h is wanted, up to 24h, or 0", f.games.Time)
			}
			return f.run(c, "table3", func(made experiments.Made) (any, error) {
				return f.games.Table3(c.Context(), made)
			}, func(p *experiments.RMPage, found any) { p.Table3 = found.(*experiments.RMTable3) })
		},
	}
	f.add(c)
	c.Flags().DurationVar(&f.games.Time, "time", 0, "time to try depth 4 for, for each rule; 0: not at all")
	return c
}

func newRMTable4() *cobra.Command {
	var f rmFlags
	c := &cobra.Command{
		Use:   "rm-table4",
		Short: "Representative moves against all cards, at equal depth and at equal time",
		Long: `Rm-table4 plays the paper's Table 4: expectiminimax by representative moves against
expectiminimax with all cards, both to depth 3, until a sequential test of 100 Elo
against 0 has decided; and the same at equal time a move, to whatever depth that allows.`,
		Example: "  tengen reproduce rm-table4 --games 500 --time 10ms\n  tengen reproduce rm-table4 --pairs 250 --whole --games 0",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c, 0); err != nil {
				return err
			}
			if f.games.Decisions < 0 {
				return usagef("--decisions %d: 0 or more is wanted", f.games.Decisions)
			}
			return f.run(c, "table4", func(made experiments.Made) (any, error) {
				t, err := f.games.Table4(c.Context(), made)
				return t, usage(err)
			}, func(p *experiments.RMPage, found any) { p.Table4 = found.(*experiments.RMTable4) })
		},
	}
	f.addMatches(c)
	f.addDepths(c)
	f.addTimed(c, "; 0: none")
	c.Flags().IntVar(&f.games.Decisions, "decisions", 400, "decisions of which to say what representative moves lose; 0: none")
	return c
}

func newRMTable5() *cobra.Command {
	var f rmFlags
	c := &cobra.Command{
		Use:     "rm-table5",
		Short:   "Representative moves to depth 5 against all cards to depth 3",
		Long:    "Rm-table5 plays the paper's Table 5, in which representative moves look further: to\ndepth 5 against 3, until a sequential test of 100 Elo against 0 has decided.",
		Example: "  tengen reproduce rm-table5\n  tengen reproduce rm-table5 --pairs 250 --whole",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c, 0); err != nil {
				return err
			}
			return f.run(c, "table5", func(made experiments.Made) (any, error) {
				t, err := f.games.Table5(c.Context(), made)
				return t, usage(err)
			}, func(p *experiments.RMPage, found any) { p.Table5 = found.(*experiments.RMTable5) })
		},
	}
	f.addMatches(c)
	f.addDepths(c)
	return c
}

func newRMBeyond() *cobra.Command {
	var f rmFlags
	var network string
	c := &cobra.Command{
		Use:   "rm-beyond",
		Short: "Representative moves in UCT, moves classed without supervision, AlphaZero",
		Long: `Rm-beyond plays what the paper leaves to future work, all at equal time a move:
representative moves in UCT; representatives of classes found by clustering, in UCT and
in expectiminimax, against all moves and against as many random classes; and with
--alphazero a trained network against them.`,
		Example: "  tengen reproduce rm-beyond --games 200 --time 5ms\n  tengen reproduce rm-beyond --games 100 --alphazero runs/tcg --alphazero-games 500",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c, 2); err != nil {
				return err
			}
			if f.games.AlphaZeroGames < 0 {
				return usagef("--alphazero-games %d: 0 or more is wanted", f.games.AlphaZeroGames)
			}
			return f.run(c, "beyond", func(made experiments.Made) (any, error) {
				b, err := f.games.Beyond(c.Context(), network, made)
				return b, usage(err)
			}, func(p *experiments.RMPage, found any) { p.Beyond = found.(*experiments.RMBeyond) })
		},
	}
	f.addMatches(c)
	f.addTimed(c, ", of each match")
	c.Flags().StringVar(&network, "alphazero", "", "a run, a checkpoint or a model file of the game, to play too")
	c.Flags().IntVar(&f.games.AlphaZeroGames, "alphazero-games", 0, "games of its match against representative moves; 0: --games")
	return c
}
