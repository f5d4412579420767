package main

import (
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/research"
	"tengen/research/cards"
)

// rmFlags are the common flags of the experiments of the representative-moves paper.
type rmFlags struct {
	resultFlags
	experiments cards.Experiments
}

// Sections of Tables 4 and 5: representatives mapped to cards, and the real hand at the root.
const (
	rmMapped = "mapped"
	rmReal   = "real"
)

func (f *rmFlags) add(c *cobra.Command) {
	f.resultFlags.add(c, cards.Layout, "representative-moves")
}

// addMatches adds the flags of matches.
func (f *rmFlags) addMatches(c *cobra.Command) {
	f.add(c)
	c.Flags().StringVar(&f.experiments.Game, "game", "tcg",
		"the game, for two, with representative moves of its own")
	c.Flags().Uint64Var(&f.experiments.Seed, "seed", 1, "random seed")
}

// addDepths adds the flags of matches by depth.
func (f *rmFlags) addDepths(c *cobra.Command) {
	c.Flags().IntVar(&f.experiments.Pairs, "pairs",
		50, "maximum pairs of games at equal depth; a sequential test can end them")
	c.Flags().IntVar(&f.experiments.RealGames, "real-games",
		500, "games of each match with the real hand at the root")
	f.addSave(c, " with the real hand at the root")
}

// addTimed adds the flags of matches at equal time.
func (f *rmFlags) addTimed(c *cobra.Command, allowed string) {
	c.Flags().IntVar(&f.experiments.Games, "games", 500, "games at equal time"+allowed)
	c.Flags().DurationVar(&f.experiments.Time, "time",
		10*time.Millisecond, "time per move; a turn has several moves")
}

// check checks the flags of matches.
func (f *rmFlags) check(c *cobra.Command, least int) error {
	switch {
	case c.Flags().Lookup("pairs") != nil && f.experiments.Pairs < 1:
		return cli.Usagef("--pairs %d: at least 1 is wanted", f.experiments.Pairs)
	case c.Flags().Lookup("real-games") != nil && f.experiments.RealGames < 2:
		return cli.Usagef("--real-games %d: at least 2 are wanted", f.experiments.RealGames)
	case c.Flags().Lookup("games") == nil:
		return nil
	case f.experiments.Games < least || f.experiments.Games == 1:
		return cli.Usagef("--games %d: at least 2 are wanted", f.experiments.Games)
	case f.experiments.Time <= 0 || f.experiments.Time > 24*time.Hour:
		return cli.Usagef("--time %v: a duration such as 10ms is wanted, up to 24h",
			f.experiments.Time)
	}
	return nil
}

// run makes one part of the page with find.
func (f *rmFlags) run(
	c *cobra.Command, part string, find func(made research.Made) (research.Part, error),
) error {
	f.experiments.Progress = cli.Parts(c.ErrOrStderr())
	return f.resultFlags.run(c, f.experiments.Seed,
		func(_ string, made research.Made) (research.Part, error) { return find(made) }, part)
}

// runSections makes the sections of Table 4 or 5, the mapped one with find.
func (f *rmFlags) runSections(
	c *cobra.Command, sections []string, table string, depth int,
	find func(made research.Made) (research.Part, error),
) error {
	f.experiments.Progress, f.experiments.Save = cli.Parts(c.ErrOrStderr()), f.save
	if len(sections) == 0 {
		sections = []string{rmMapped, rmReal}
	}
	var names []string
	for _, section := range sections {
		switch section {
		case rmMapped:
			names = append(names, table)
		case rmReal:
			names = append(names, table+"-real")
		default:
			return cli.Usagef("no section is called %q; there are %s and %s",
				section, rmMapped, rmReal)
		}
	}
	return f.resultFlags.run(c,
		f.experiments.Seed, func(name string, made research.Made) (research.Part, error) {
			if name == table {
				return find(made)
			}
			t, err := f.experiments.Real(c.Context(), depth, made)
			return partOf(t, usage(c, err))
		}, names...)
}

func newRMTable2() *cobra.Command {
	var f rmFlags
	c := &cobra.Command{
		Use:     "rm-table2",
		Short:   "Leaves and time of search with representative moves",
		Long:    "Rm-table2 searches the trading-card game from the paper's starting hand by\nrepresentative moves, as the paper's Table 2 does: leaves and milliseconds by depth.",
		Example: "  tengen-lab reproduce rm-table2",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return f.run(c, "table2", func(made research.Made) (research.Part, error) {
				return partOf(f.experiments.Table2(c.Context(), made))
			})
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
		Example: "  tengen-lab reproduce rm-table3\n  tengen-lab reproduce rm-table3 --time 1h",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.experiments.Time < 0 || f.experiments.Time > 24*time.Hour {
				return cli.Usagef("--time %v: a duration such as 1h is wanted, up to 24h, or 0",
					f.experiments.Time)
			}
			return f.run(c, "table3", func(made research.Made) (research.Part, error) {
				return partOf(f.experiments.Table3(c.Context(), made))
			})
		},
	}
	f.add(c)
	c.Flags().DurationVar(&f.experiments.Time, "time",
		0, "time limit of depth 4 for each rule; 0: skip it")
	return c
}

func newRMTable4() *cobra.Command {
	var f rmFlags
	c := &cobra.Command{
		Use:   "rm-table4 [SECTION…]",
		Short: "Representative moves against all cards, at equal depth and at equal time",
		Long: `Rm-table4 plays the paper's Table 4: expectiminimax by representative moves against
expectiminimax with all cards, both to depth 3, until a sequential test of 100 Elo
against 0 has decided; the same at equal time a move, to whatever depth that allows
(section mapped: representatives are mapped to the greatest card); and with the real hand
at the root (section real), --real-games against all cards and as many against a player
that samples one draw.`,
		Example: "  tengen-lab reproduce rm-table4 --games 500 --time 10ms\n  tengen-lab reproduce rm-table4 mapped --pairs 250 --games 0\n  tengen-lab reproduce rm-table4 real",
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, 0); err != nil {
				return err
			}
			if f.experiments.Decisions < 0 {
				return cli.Usagef("--decisions %d: 0 or more is wanted", f.experiments.Decisions)
			}
			find := func(made research.Made) (research.Part, error) {
				t, err := f.experiments.Table4(c.Context(), made)
				return partOf(t, usage(c, err))
			}
			return f.runSections(c, args, "table4", 3, find)
		},
	}
	f.addMatches(c)
	f.addDepths(c)
	f.addTimed(c, "; 0: none")
	c.Flags().IntVar(&f.experiments.Decisions, "decisions",
		400, "decisions at which to measure the loss of representative moves; 0: none")
	return c
}

func newRMTable5() *cobra.Command {
	var f rmFlags
	c := &cobra.Command{
		Use:     "rm-table5 [SECTION…]",
		Short:   "Representative moves to depth 5 against all cards to depth 3",
		Long:    "Rm-table5 plays the paper's Table 5, in which representative moves look further: to\ndepth 5 against 3, until a sequential test of 100 Elo against 0 has decided (section\nmapped); and with the real hand at the root, against all cards and against a player that\nsamples one draw (section real).",
		Example: "  tengen-lab reproduce rm-table5\n  tengen-lab reproduce rm-table5 mapped --pairs 250",
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, 0); err != nil {
				return err
			}
			find := func(made research.Made) (research.Part, error) {
				t, err := f.experiments.Table5(c.Context(), made)
				return partOf(t, usage(c, err))
			}
			return f.runSections(c, args, "table5", 5, find)
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
		Example: "  tengen-lab reproduce rm-beyond --games 200 --time 5ms\n  tengen-lab reproduce rm-beyond --games 100 --alphazero runs/tcg --alphazero-games 500",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c, 2); err != nil {
				return err
			}
			if f.experiments.AlphaZeroGames < 0 {
				return cli.Usagef("--alphazero-games %d: 0 or more is wanted",
					f.experiments.AlphaZeroGames)
			}
			if network != "" || c.Flags().Changed("device") {
				var err error
				if f.experiments.Device, err = f.openDevice(c); err != nil {
					return err
				}
				defer f.closeDevice()
			}
			return f.run(c, "beyond", func(made research.Made) (research.Part, error) {
				b, err := f.experiments.Beyond(c.Context(), network, made)
				return partOf(b, usage(c, err))
			})
		},
	}
	f.addMatches(c)
	f.addTimed(c, ", of each match")
	f.addDevice(c)
	c.Flags().StringVar(&network, "alphazero", "",
		"an additional network: a run, a checkpoint or a model file")
	c.Flags().IntVar(&f.experiments.AlphaZeroGames, "alphazero-games",
		0, "games of its match against representative moves; 0: --games")
	return c
}
