package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/player"
	"tengen/research/truth"
)

func newLoss() *cobra.Command {
	var gameName, table string
	var turns, simulations int
	var seed uint64
	var asJSON bool
	c := &cobra.Command{
		Use:   "loss PLAYER [PLAYER]...",
		Short: "Measure what players lose in a turn against perfect play, where exact values are known",
		Long: `Loss compares the turns of players with the best ones, in a game whose exact values are
known: Hypergammon, by the file that tengen games solve writes, smaller backgammon, and
Connect Four. The same positions are played by all players; each is from a game of its own
in which three turns of four were perfect, and the fourth random. A turn is all that is
done with one roll; turns without a choice do not count.

The mean loss of a turn is in points (in Connect Four in utility), with its 95 % interval;
beside it stand the share of turns that lose nothing, the greatest loss, and the error of
the value that the player gives the position before its turn (root mean square).`,
		Example: `  tengen-lab loss az:runs/hypergammon,simulations=100 --table hypergammon.equities
  tengen-lab loss random uct:simulations=100,utility=unit --game backgammon:checkers=2
  tengen-lab loss policy:runs/hypergammon --table hypergammon.equities --turns 5000 --json`,
		Args: cli.Arguments("PLAYER", "[PLAYER…]"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, check := range []error{
				cli.CheckNumber("turns", turns, 2),
				cli.CheckNumber("simulations", simulations, 1),
			} {
				if check != nil {
					return check
				}
			}
			if !c.Flags().Changed("game") {
				gameName = ""
			}
			names := make([]string, len(args))
			for i, text := range args {
				name, itsGame, err := cli.AsPlayer(text, simulations)
				if err != nil {
					return cli.Usage(err)
				}
				names[i] = name
				if gameName == "" {
					gameName = itsGame
				}
			}
			if gameName == "" {
				gameName = hypergammon
			}
			g, err := cli.ParseGame(gameName)
			if err != nil {
				return err
			}
			solvable, err := solvableOf(g, table)
			if err != nil {
				return cli.Usage(err)
			}
			var players []player.Player
			for _, name := range names {
				p, err := player.Parse(g, name)
				if err != nil {
					return cli.Usage(err)
				}
				cli.WarnPassedOver(c, p)
				players = append(players, p)
			}
			progress := cli.NewProgress(c.ErrOrStderr(), "positions", "turns")
			set, err := truth.NewTurns(c.Context(), g, solvable, turns, seed, progress.Set)
			progress.Close()
			if err != nil {
				return err
			}
			var results []*truth.TurnLoss
			for _, p := range players {
				progress := cli.NewProgress(c.ErrOrStderr(), p.Name(), "turns")
				r, err := set.Measure(c.Context(), p, cli.Cores(), progress.Set)
				progress.Close()
				if err != nil {
					return err
				}
				results = append(results, r)
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), struct {
					Game    string            `json:"game"`
					Seed    uint64            `json:"seed"`
					Players []*truth.TurnLoss `json:"players"`
				}{g.Name(), seed, results})
			}
			fmt.Fprintf(c.OutOrStdout(), "%s, %d turns, seed %d: points lost in a turn\n",
				g.Name(), turns, seed)
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "player\tmean\t95 %\tbest\tworst\tvalue error")
			for _, r := range results {
				valueError := "–"
				if r.ValueError != nil {
					valueError = fmt.Sprintf("%.3f", *r.ValueError)
				}
				fmt.Fprintf(t, "%s\t%.4f\t%s\t%.1f %%\t%.3f\t%s\n",
					r.Player, r.Mean, r.Interval().Text("%.4f"), 100*r.Best, r.Worst, valueError)
			}
			return t.Flush()
		},
	}
	c.Flags().StringVar(&gameName, "game", hypergammon, "the game, if no network determines it")
	c.Flags().StringVar(&table, "table", "",
		"file of exact values, as games solve writes it")
	c.Flags().IntVar(&turns, "turns", 1000, "number of positions in which a turn is played")
	c.Flags().IntVar(&simulations, "simulations",
		180, "a checkpoint's simulations, or iterations of ubfm, per move")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed of positions and players")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

const hypergammon = "backgammon:checkers=3"

// solvableOf returns the exact values of g, by a file if one is named.
func solvableOf(g game.Game, table string) (game.Solvable, error) {
	if table != "" {
		tabled, ok := g.(game.Tabled)
		if !ok {
			return nil, fmt.Errorf("%s has no file of exact values", g.Name())
		}
		return tabled.OpenTable(table)
	}
	solvable, ok := g.(game.Solvable)
	if !ok {
		return nil, fmt.Errorf("the exact values of %s are not known", g.Name())
	}
	if _, err := solvable.NewSolver(1); err != nil {
		return nil, fmt.Errorf("%w or --table FILE", err)
	}
	return solvable, nil
}
