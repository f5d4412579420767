package bench

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/player"
	"tengen/search"
)

func newBenchSearch() *cobra.Command {
	var flags benchFlags
	var simulations int
	c := &cobra.Command{
		Use:   "search [GAME]",
		Short: "Measure simulations per second, and the time of a game among UCT players",
		Long: `Search measures tree search without a network: simulations per second of PUCT with a
constant evaluator (c_puct 0.8), each search from the first position; and the time of a
game among UCT players (180 simulations, c 0.8, on points) with one random playout per
simulation. GAME is three-player 5×5 Go by default.`,
		Example: `  tengen bench search
  tengen bench search go:size=9,players=2 --simulations 1600 --json`,
		Args: cli.Arguments("[GAME]"),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := flags.duration()
			if err != nil {
				return err
			}
			if simulations < 1 || simulations > 1_000_000 {
				return cli.Usagef("--simulations %d: a number from 1 to 1000000 is wanted",
					simulations)
			}
			g, err := cli.ParseGame(append(args, cli.DefaultGame)[0])
			if err != nil {
				return err
			}
			if g.NewState().CurrentPlayer() < 0 {
				return cli.Usagef(
					"%s begins with chance: there is no decision to search from its first position",
					g.Name())
			}
			puct := func(i int) func() int {
				return constantSearches(g, simulations,
					random.New(seed, random.Playout, uint64(i)))
			}
			uct := func(i int) func() int {
				return uctGame(g, random.New(seed, random.Arena, uint64(i)))
			}
			r := searchBench{Game: g.Name(), Cores: cli.Cores(), Simulations: simulations}
			one, all, err := measureCores(c.Context(), d, puct)
			if err != nil {
				return err
			}
			r.OneCore, r.AllCores, r.Allocations = one.rate(), all.rate(),
				float64(one.allocations)/float64(one.units)
			games, err := measure(c.Context(), d, 1, uct)
			if err != nil {
				return err
			}
			r.UCT = 1 / games.rate()
			warnBusy(c, one, all, games)
			if flags.json {
				return cli.WriteJSON(c.OutOrStdout(), r)
			}
			return cli.WriteFigures(c.OutOrStdout(), "searches of "+r.Game, r.figures())
		},
	}
	flags.add(c.Flags())
	c.Flags().IntVar(&simulations, "simulations", 1000, "simulations per search of PUCT")
	return c
}

type searchBench struct {
	Game        string  `json:"game"`
	Cores       int     `json:"cores"`
	Simulations int     `json:"simulations_per_search"`
	OneCore     float64 `json:"simulations_per_second_one_core"`
	AllCores    float64 `json:"simulations_per_second_all_cores"`
	Allocations float64 `json:"allocations_per_simulation"`
	UCT         float64 `json:"uct_game_seconds"` // on one core
}

func (r *searchBench) figures() []cli.Figure {
	name := fmt.Sprintf("PUCT(%d) simulations/s", r.Simulations)
	return []cli.Figure{
		{name + " on one core", cli.Grouped(r.OneCore)},
		{onAllCores(name), cli.Grouped(r.AllCores)},
		{"allocations a simulation", fmt.Sprintf("%.4f", r.Allocations)},
		{"ms a game of UCT(180) on one core", fmt.Sprintf("%.1f", 1000*r.UCT)},
	}
}

// constantSearches returns a function that searches the first position with a constant evaluator.
func constantSearches(g game.Game, simulations int, rng *rand.Rand) func() int {
	tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: simulations, C: 0.8}, rng)
	evaluator := search.NewConstant(g, 1/float32(g.Players()))
	start := g.NewState()
	return func() int {
		tree.Start(start)
		_ = search.Run(tree, evaluator)
		return simulations
	}
}

// uctGame returns a function that plays a game with UCT in every seat.
func uctGame(g game.Game, rng *rand.Rand) func() int {
	agent := player.UCT{Simulations: 180, C: 0.8, Utility: player.Points}.NewAgent(g)
	setup := player.Setup{
		Purpose: random.Arena, Chance: rng,
		Seats: slices.Repeat([]player.Seat{{Agent: agent, Rand: rng}}, g.Players()),
	}
	x := player.NewGame(g)
	return func() int {
		x.Start(setup)
		x.Advance(nil)
		return 1
	}
}
