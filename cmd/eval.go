package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/game"
	"tengen/player"
)

func newEval() *cobra.Command {
	var games, simulations, slate int
	var seed uint64
	var against, gameName string
	var asJSON bool
	c := &cobra.Command{
		Use:   "eval CHECKPOINT",
		Short: "Measure a network, or another player, against UCT in every seat",
		Long: `Eval plays the network in each seat in turn against UCT (180 simulations, c 0.8)
in all the others, as the multiplayer Go paper does, and prints the points with
95 % intervals and standard deviations beside those of UCT against itself.

Where a game's score is not its utility, UCT plays in both of its scales: on
points, as in the paper, and on utilities in [0, 1] (unit), where it is stronger.

CHECKPOINT is a run's folder, a folder of checkpoints, one checkpoint or a file
model.safetensors; the search is that of the run's configuration. Or it is a player,
as in ` + "`tengen play`" + `, of the game that --game names.`,
		Example: `  tengen eval runs/quick
  tengen eval runs/quick --games 100 --against points
  tengen eval runs/quick/checkpoints/000020 --json
  tengen eval uct:simulations=360 --game go:size=5,players=3`,
		Args: arguments("CHECKPOINT"),
		RunE: func(c *cobra.Command, args []string) error {
			for _, n := range []struct {
				flag  string
				value int
			}{{"games", games}, {"simulations", simulations}, {"slate", slate}} {
				if n.value < 1 || n.value > 10_000_000 {
					return usagef("--%s %d: a number from 1 to 10000000 is wanted", n.flag, n.value)
				}
			}
			g, learner, err := evaluated(args[0], gameName, simulations)
			if err != nil {
				return usage(err)
			}
			warnPassedOver(c, learner)
			scales, err := scalesOf(g, against)
			if err != nil {
				return err
			}
			var reports []*arena.Report
			for _, scale := range scales {
				progress := newProgress(c.ErrOrStderr(), fmt.Sprintf("against UCT (%s)", scale), "games")
				v := arena.Versus{
					Game: g, Player: learner,
					Baseline: player.UCT{Simulations: 180, C: 0.8, Utility: scale},
					Games:    games, Seed: seed, Workers: cores(), Slate: slate,
				}
				began := time.Now()
				report, err := v.Play(c.Context(), progress.set)
				progress.close()
				if err != nil {
					return err
				}
				reports = append(reports, report)
				if asJSON {
					continue
				}
				if err := report.WriteText(c.OutOrStdout()); err != nil {
					return err
				}
				fmt.Fprintf(c.OutOrStdout(), "seed %d, %v\n\n", seed, time.Since(began).Round(time.Second))
			}
			if asJSON {
				return writeJSON(c.OutOrStdout(), reports)
			}
			return nil
		},
	}
	c.Flags().IntVar(&games, "games", 500, "games in each seat, and of UCT against itself")
	c.Flags().IntVar(&simulations, "simulations", 180, "the network's simulations a move")
	c.Flags().IntVar(&slate, "slate", 32, "games side by side on a core")
	c.Flags().Uint64Var(&seed, "seed", 1, "seed of what is drawn")
	c.Flags().StringVar(&gameName, "game", defaultGame, "the game of a player that is no checkpoint")
	c.Flags().StringVar(&against, "against", "points,unit", "the scales of UCT to play against: points, unit or both")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// warnPassedOver tells of damaged checkpoints that a player's network is not from.
func warnPassedOver(c *cobra.Command, p player.Player) {
	if n, ok := p.(*player.Network); ok {
		for _, err := range n.PassedOver {
			fmt.Fprintf(c.ErrOrStderr(), "tengen: an older checkpoint is used: %s\n", oneLine(err))
		}
	}
}

// evaluated is the player that text names: a network by its path, or a player
// as Parse reads it, and the game that it plays.
func evaluated(text, gameName string, simulations int) (game.Game, player.Player, error) {
	if kind, _, _ := strings.Cut(text, ":"); isPlayer(kind) {
		g, err := game.New(gameName)
		if err != nil {
			return nil, nil, err
		}
		p, err := player.Parse(g, text)
		return g, p, err
	}
	model, err := checkpoints.LoadModel(text)
	if err != nil {
		return nil, nil, err
	}
	g, err := game.New(model.Game)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", text, err)
	}
	p, err := player.Parse(g, fmt.Sprintf("az:%s,simulations=%d", text, simulations))
	return g, p, err
}

// scalesOf reads --against. A game whose score is its utility has one scale.
func scalesOf(g game.Game, text string) ([]string, error) {
	var scales []string
	for _, s := range strings.Split(text, ",") {
		if s != player.Points && s != player.Unit {
			return nil, usagef("--against %s: points, unit or points,unit is wanted", text)
		}
		scales = append(scales, s)
	}
	if game.PointsPerUtility(g) == 1 && len(scales) > 1 {
		scales = scales[1:]
	}
	return scales, nil
}
