package bench

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/internal/machine"
	"tengen/trainer"
)

func newBenchSelfPlay() *cobra.Command {
	var flags benchFlags
	var config cli.ConfigFlags
	var device string
	c := &cobra.Command{
		Use:   "selfplay [CONFIG]",
		Short: "Measure self-play with a configuration",
		Long: `Selfplay plays games with CONFIG (default: the preset quick) on all cores, with random
weights and the network in every seat. First, the network alone evaluates full batches,
for comparison with the evaluations of self-play (answers of the cache are not counted as
evaluations). Last, a network that takes no time plays, which measures everything else:
search, game, encoding and bookkeeping, in processor time.

Games per hour are computed from the measured decisions and a number of plies per game,
because games with random weights differ in length from those of trained networks: for
three-player 5×5 Go, the 65 plies of games among UCT players, each of them a decision.
The time of the paper's 50,000 games follows from that, with the network in every seat. A
short measurement sees beginnings of games only. Many of them are alike, so that the
cache answers more than it will in a run: the time without a cache is printed too.

On a device (--device), the share of time in which the device was busy is printed too, if
the device reports it.`,
		Example: `  tengen bench selfplay
  tengen bench selfplay paper-alphazero --seconds 240 --json`,
		Args: cli.Arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := flags.duration()
			if err != nil {
				return err
			}
			r, err := config.Resolve(args)
			if err != nil {
				return err
			}
			r.Config.Seed = seed
			p, err := trainer.NewPlan(&r.Config)
			if err != nil {
				return cli.Usage(err)
			}
			on, err := cli.OpenDevice(c, device, nil, p.Spec)
			if err != nil {
				return err
			}
			defer on.Close()
			p.Backend = on
			weights, err := p.Load(p.NewParams())
			if err != nil {
				return err
			}
			inFlight := 1
			if p.Backend.Rows() > 0 {
				inFlight = 2 // as self-play has them
			}
			alone, err := measureFlights(c.Context(), d/4, p.Game, weights, p.BatchRows(), inFlight,
				min(p.Workers, cli.Cores()), seed)
			if err != nil {
				return err
			}
			used := machine.CPUTime()
			began := time.Now()
			rates, err := trainer.MeasureSelfPlay(c.Context(), p, d*3/4)
			if err != nil {
				return err
			}
			share := 1.0
			if used > 0 {
				share = min(1,
					(machine.CPUTime()-
						used).Seconds()/
						(time.Since(began).Seconds()*float64(min(p.Workers, cli.Cores()))))
			}
			if p.Backend.Rows() == 0 { // else workers wait for the device
				warnBusy(c, alone, tally{share: share})
			}
			b := newSelfPlayBench(p, rates, alone.rate())
			if p.Backend.Rows() > 0 {
				d := describe(p.Backend)
				b.Device = &d
			}
			if flags.json {
				return cli.WriteJSON(c.OutOrStdout(), b)
			}
			return cli.WriteFigures(c.OutOrStdout(),
				fmt.Sprintf("self-play of %s, %s, %d workers",
					p.Game.Name(), cli.Network(p.Spec), p.Workers), b.figures())
		},
	}
	flags.add(c.Flags())
	config.Add(c.Flags())
	cli.AddDevice(c.Flags(), &device)
	return c
}

type selfPlayBench struct {
	Game    string `json:"game"`
	Network string `json:"network"`
	*trainer.Rates
	Device *described `json:"on_device,omitempty"`
	// full batches on the cores that the workers have
	NetworkAlone float64 `json:"network_alone_evaluations_per_second"`
	// evaluations ÷ those of the network alone
	OfAlone float64 `json:"evaluations_of_network_alone"`
	HitRate float64 `json:"cache_hit_rate"` // 0 to 1
	// that the paper's games would take; null for other games
	PaperHours *float64 `json:"paper_games_hours"`
	// the same if the cache answered nothing
	Uncached *float64 `json:"paper_games_hours_without_cache"`
}

func newSelfPlayBench(p *trainer.Plan, r *trainer.Rates, alone float64) *selfPlayBench {
	b := &selfPlayBench{
		Game: p.Game.Name(), Network: cli.Network(p.Spec), Rates: r,
		NetworkAlone: alone, OfAlone: r.EvaluationsPerSecond / alone,
	}
	if asked := r.EvaluationsPerSecond + r.CacheHitsPerSecond; asked > 0 {
		b.HitRate = r.CacheHitsPerSecond / asked
	}
	if p.Game.Name() == trainer.PaperGame && r.EvaluationsPerSecond > 0 && r.GamesPerHour > 0 {
		hours := trainer.PaperGames / r.GamesPerHour
		uncached := hours / (1 - b.HitRate)
		b.PaperHours, b.Uncached = &hours, &uncached
	}
	return b
}

func (b *selfPlayBench) figures() []cli.Figure {
	list := []cli.Figure{
		{
			"evaluations", fmt.Sprintf("%s a second (%.0f %% of the network's alone, %s)",
				cli.Grouped(b.EvaluationsPerSecond), 100*b.OfAlone, cli.Grouped(b.NetworkAlone)),
		},
		{"from the cache",
			fmt.Sprintf("%s a second (%.1f %% of positions)",
				cli.Grouped(b.CacheHitsPerSecond), 100*b.HitRate)},
		{"simulations", cli.Grouped(b.SimulationsPerSecond) + " a second"},
		{"batch fill", fmt.Sprintf("%.0f %%", 100*b.BatchFill)},
		{"games, about",
			fmt.Sprintf("%s an hour, at %.0f plies a game (%s)",
				cli.Grouped(b.GamesPerHour), b.PliesPerGame, b.PliesFrom)},
	}
	if b.Busy != nil {
		list = append(list,
			cli.Figure{"device busy", fmt.Sprintf("%.0f %% of the time", 100**b.Busy)})
	}
	if b.Device != nil {
		list = append(list,
			cli.Figure{"workers wait for it", fmt.Sprintf("%.0f %% of their time", 100*b.Waiting)})
	}
	if b.PaperHours != nil {
		list = append(list,
			cli.Figure{
				fmt.Sprintf("the paper's %s games", cli.Grouped(trainer.PaperGames)),
				fmt.Sprintf("%.1f hours of self-play, %.1f if the cache answered nothing",
					*b.PaperHours, *b.Uncached),
			})
	}
	return append(list,
		cli.Figure{
			"outside the network",
			fmt.Sprintf("%.2f µs a position asked for", b.OverheadMicroseconds),
		})
}
