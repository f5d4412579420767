package bench

import (
	"fmt"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/random"
)

func newBenchGame() *cobra.Command {
	var flags benchFlags
	c := &cobra.Command{
		Use:   "game [GAME]",
		Short: "Measure random games per second",
		Long: `Game plays random games, as searches with random playouts do: with the game's own playout
if it has one (in Go, it fills no eyes), else with uniformly random legal actions. GAME
is three-player 5×5 Go by default.

The time per ply is printed if the number of plies is known. They are counted in a
separate pass, which is possible in games with a playout of their own only if they count
turns.`,
		Example: `  tengen bench game
  tengen bench game tictactoe --seconds 1 --json`,
		Args: cli.Arguments("[GAME]"),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := flags.duration()
			if err != nil {
				return err
			}
			g, err := cli.ParseGame(append(args, cli.DefaultGame)[0])
			if err != nil {
				return err
			}
			prepare := func(i int) func() int {
				return randomGames(g, random.New(seed, random.Playout, uint64(i)))
			}
			one, all, err := measureCores(c.Context(), d, prepare)
			if err != nil {
				return err
			}
			r := gameBench{
				Game: g.Name(), Cores: cli.Cores(), OneCore: one.rate(), AllCores: all.rate(),
				Allocations: float64(one.allocations) / float64(one.units),
			}
			if plies, ok := pliesOf(g, random.New(seed, random.Playout), 2000); ok {
				nanoseconds := 1e9 / one.rate() / plies
				r.Plies, r.Nanoseconds = &plies, &nanoseconds
			}
			warnBusy(c, one, all)
			if flags.json {
				return cli.WriteJSON(c.OutOrStdout(), r)
			}
			return cli.WriteFigures(c.OutOrStdout(), "random games of "+r.Game, r.figures())
		},
	}
	flags.add(c.Flags())
	return c
}

type gameBench struct {
	Game        string   `json:"game"`
	Cores       int      `json:"cores"`
	OneCore     float64  `json:"games_per_second_one_core"`
	AllCores    float64  `json:"games_per_second_all_cores"`
	Plies       *float64 `json:"plies_per_game"`      // null where not known
	Nanoseconds *float64 `json:"nanoseconds_per_ply"` // on one core; null where not known
	Allocations float64  `json:"allocations_per_game"`
}

func (r *gameBench) figures() []cli.Figure {
	list := []cli.Figure{
		{"games/s on one core", cli.Grouped(r.OneCore)},
		{onAllCores("games/s"), cli.Grouped(r.AllCores)},
	}
	if r.Plies != nil {
		list = append(list,
			cli.Figure{"plies a game", fmt.Sprintf("%.1f", *r.Plies)},
			cli.Figure{"ns a ply on one core", fmt.Sprintf("%.1f", *r.Nanoseconds)})
	}
	return append(list, cli.Figure{"allocations a game", fmt.Sprintf("%.2f", r.Allocations)})
}

// gamesAtOnce is the number of games between checks of the clock.
const gamesAtOnce = 16

// randomGames returns a function that plays gamesAtOnce random games.
func randomGames(g game.Game, rng *rand.Rand) func() int {
	start, s := g.NewState(), g.NewState()
	buf := make([]game.Action, 0, g.Actions()+1)
	return func() int {
		for range gamesAtOnce {
			s.CopyFrom(start)
			buf = game.Playout(s, rng, buf)
		}
		return gamesAtOnce
	}
}

// pliesOf returns the mean number of actions in random games. It is unknown for games with a
// playout of their own that do not count turns.
func pliesOf(g game.Game, rng *rand.Rand, games int) (mean float64, known bool) {
	start, s := g.NewState(), g.NewState()
	_, playsItself := s.(game.Playouter)
	turned, countsTurns := s.(game.Turned)
	if playsItself && !countsTurns {
		return 0, false
	}
	var buf []game.Action
	n := 0
	for range games {
		s.CopyFrom(start)
		if playsItself {
			buf = game.Playout(s, rng, buf)
			n += turned.Turn()
			continue
		}
		for ; s.CurrentPlayer() != game.Nobody; n++ {
			buf = step(s, rng, buf)
		}
	}
	return float64(n) / float64(games), true
}

// step plays a random action or samples an outcome of chance.
func step(s game.State, rng *rand.Rand, buf []game.Action) []game.Action {
	if s.CurrentPlayer() == game.Chance {
		s.Apply(s.(game.Chancer).Sample(rng))
		return buf
	}
	buf = s.LegalActions(buf[:0])
	s.Apply(buf[rng.IntN(len(buf))])
	return buf
}
