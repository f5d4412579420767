package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/game/backgammon"
	"tengen/player"
	"tengen/research/anchors"
)

func newGnubg() *cobra.Command {
	var gameName string
	var games, plies, simulations int
	var seed uint64
	var asJSON bool
	c := &cobra.Command{
		Use:   "gnubg PLAYER",
		Short: "Play a match of backgammon against GNU Backgammon, with the same dice for both",
		Long: `Gnubg plays a match for money, without a cube, against GNU Backgammon, which decides
through its external-player socket. The games are played in pairs: both have the same
dice, and the players change seats, so that luck counts less. The result is in points a
game, with a 95 % interval over pairs.

GNU Backgammon must be installed; on Debian: apt-get install gnubg. It plays Hypergammon
as well as its network for the full game does, unless it has a database of its own.`,
		Example: `  tengen-lab gnubg az:runs/backgammon,simulations=100
  tengen-lab gnubg az:runs/backgammon --games 2000 --plies 0 --json
  tengen-lab gnubg solver:table=hypergammon.equities --game backgammon:checkers=3`,
		Args: cli.Arguments("PLAYER"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, check := range []error{
				cli.CheckNumber("games", games, 2), cli.CheckNumber("plies", plies, 0),
				cli.CheckNumber("simulations", simulations, 1),
			} {
				if check != nil {
					return check
				}
			}
			if games%2 != 0 {
				return cli.Usagef(
					"--games %d: an even number is wanted, since games are played in pairs", games)
			}
			name, itsGame, err := cli.AsPlayer(args[0], simulations)
			if err != nil {
				return cli.Usage(err)
			}
			if itsGame != "" && !c.Flags().Changed("game") {
				gameName = itsGame
			}
			parsed, err := game.New(gameName)
			if err != nil {
				return cli.Usage(err)
			}
			g, ok := parsed.(*backgammon.Game)
			if !ok {
				return cli.Usagef("GNU Backgammon does not play %s", parsed.Name())
			}
			p, err := player.Parse(g, name)
			if err != nil {
				return cli.Usage(err)
			}
			path, err := anchors.FindGNU()
			if err != nil {
				return cli.Usage(err)
			}
			cli.WarnPassedOver(c, p)
			e, err := anchors.StartGNU(c.Context(), anchors.GNUOptions{Path: path, Plies: plies})
			if err != nil {
				return err
			}
			defer e.Close()
			progress := cli.NewProgress(c.ErrOrStderr(), "match", "games")
			r, err := anchors.PlayGNU(c.Context(), g, e, p, games/2, seed, progress.Set)
			progress.Close()
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), struct {
					Game    string `json:"game"`
					Version string `json:"version"` // of GNU Backgammon
					Seed    uint64 `json:"seed"`
					*anchors.GNUResult
				}{g.Name(), e.Version, seed, r})
			}
			between := "one pair has no interval"
			if r.Plain != nil {
				between = fmt.Sprintf("95 %%: %s; without pairs ± %.4f",
					r.Interval().Text("%+.4f"), *r.Plain)
			}
			fmt.Fprintf(c.OutOrStdout(), "%s, %d games in pairs with the same dice, seed %d\n%s against %s (%s)\n%+.4f points a game (%s)\n%d won, %d lost; gammons and backgammons: %d won, %d lost\n",
				g.Name(), r.Games, seed, r.Player, r.Against, e.Version, r.Mean, between, r.Wins,
				r.Games-r.Wins, r.Gammons[0], r.Gammons[1])
			return nil
		},
	}
	c.Flags().StringVar(&gameName, "game", "backgammon", "the game, if no network determines it")
	c.Flags().IntVar(&games, "games", 200, "number of games, in pairs")
	c.Flags().IntVar(&plies, "plies", 0, "turns that GNU Backgammon looks ahead")
	c.Flags().IntVar(&simulations, "simulations",
		180, "a checkpoint's simulations, or iterations of ubfm, per move")
	c.Flags().Uint64Var(&seed, "seed", 1, "random seed of dice and players")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
