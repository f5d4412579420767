package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/terminal"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/research"
	"tengen/research/anchors"
)

func newRuler() *cobra.Command {
	var f resultFlags
	var dir string
	var seed uint64
	games := make([]int, len(anchors.Simulations))
	c := &cobra.Command{
		Use:   "ruler [GAME…]",
		Short: "Measure the UCT players that strengths are measured against",
		Long: `Ruler rates UCT players with 180, 1,000, 10,000 and 100,000 simulations a move, each
against the next in all seatings. Their ratings are a scale of strength that does not
move: ` + "`tengen eval NETWORK --ruler`" + ` and the evaluations of runs place networks on it.

GAME is one or several of go-5x5x3, go-5x5x2, tcg and turtle; all by default. --games
gives the number of games of each match, from the weakest player up; 0 ends the ruler
below that player, and so does a match whose games set no bound on the difference.

The games are kept in --dir: the same command plays only the missing ones, after an
interruption or with more --games.`,
		Example: `  tengen-lab reproduce ruler
  tengen-lab reproduce ruler turtle --games 2000,2000,1000,0`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(games) != len(anchors.Simulations) {
				return cli.Usagef("--games: %d numbers; one for each of the %d players is wanted",
					len(games), len(anchors.Simulations))
			}
			for _, n := range games {
				if n < 0 {
					return cli.Usagef("--games %d: 0 or more is wanted", n)
				}
			}
			if games[0] == 0 {
				return cli.Usagef("--games %d: at least one game of the weakest player is wanted",
					games[0])
			}
			m := anchors.Measurement{
				Games: map[int]int{}, Seed: seed, Dir: dir, Damaged: cli.WarnDamaged(c),
			}
			for i, n := range anchors.Simulations {
				m.Games[n] = games[i]
			}
			for _, name := range args {
				if !slices.Contains(anchors.Layout.Parts, name) {
					return cli.Usagef("%q: no such ruler; there are %s%s", name,
						strings.Join(anchors.Layout.Parts, ", "),
						notation.DidYouMean(name, anchors.Layout.Parts))
				}
			}
			if len(args) == 0 {
				args = anchors.Layout.Parts
			}
			show := terminal.Parts(c.ErrOrStderr())
			return f.run(c, seed, func(part string, made research.Made) (research.Part, error) {
				for _, g := range anchors.Games {
					if g.Name == part {
						m.Game = game.Must(game.New(g.Game))
					}
				}
				m.Progress = func(what string, finished, all int) {
					show(part+", "+what, "games", finished, all)
				}
				return partOf(m.Run(c.Context(), made))
			}, args...)
		},
	}
	f.add(c, anchors.Layout, "ruler")
	c.Flags().IntSliceVar(&games, "games",
		[]int{2000, 2000, 600, 120}, "number of games of each match")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed")
	c.Flags().StringVar(&dir, "dir", filepath.Join("runs", "ruler"), "folder that keeps the games")
	return c
}
