package cmd

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tengen/trainer"
)

func newBenchSelfPlay() *cobra.Command {
	var flags benchFlags
	var config configFlags
	c := &cobra.Command{
		Use:   "selfplay [CONFIG]",
		Short: "Measure self-play as a configuration makes it",
		Long: `Selfplay plays games as CONFIG says (the preset quick unless named) on all cores,
with random weights, and with a network that takes no time, which shows what all
else costs: search, game, encoding and bookkeeping.`,
		Example: `  tengen bench selfplay
  tengen bench selfplay paper-alphazero --seconds 20 --json`,
		Args: arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := flags.duration()
			if err != nil {
				return err
			}
			r, err := config.resolve(args)
			if err != nil {
				return err
			}
			r.Config.Seed = flags.seed
			p, err := trainer.NewPlan(&r.Config)
			if err != nil {
				return usage(err)
			}
			used := cpuTime()
			began := time.Now()
			rates, err := trainer.MeasureSelfPlay(c.Context(), p, d)
			if err != nil {
				return err
			}
			share := 1.0
			if used > 0 {
				share = min(1, (cpuTime()-used).Seconds()/(time.Since(began).Seconds()*float64(min(p.Workers, cores()))))
			}
			warnBusy(c, tally{share: share})
			if flags.json {
				return writeJSON(c.OutOrStdout(), rates)
			}
			return writeFigures(c.OutOrStdout(), fmt.Sprintf("self-play of %s, %s, %d workers", p.Game.Name(), network(p.Spec), p.Workers), []figure{
				{"evaluations", fmt.Sprintf("%.0f a second", rates.EvaluationsPerSecond)},
				{"simulations", fmt.Sprintf("%.0f a second", rates.SimulationsPerSecond)},
				{"batch fill", fmt.Sprintf("%.0f %%", 100*rates.BatchFill)},
				{"games, about", fmt.Sprintf("%.0f an hour", rates.GamesPerHour)},
				{"outside the network", fmt.Sprintf("%.2f µs an evaluation and core", rates.OverheadMicroseconds)},
			})
		},
	}
	flags.add(c.Flags())
	config.add(c.Flags())
	return c
}
