package bench

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/figures"
	"tengen/game"
	"tengen/internal/stream"
	"tengen/nn"
)

func newBenchNN() *cobra.Command {
	var flags benchFlags
	var config cli.ConfigFlags
	var batch int
	var device string
	c := &cobra.Command{
		Use:   "nn [CONFIG]",
		Short: "Measure positions a second that a network evaluates",
		Long: `Nn evaluates positions of random games with the network that CONFIG describes,
with random weights, in batches; without CONFIG and --set, with those of the
presets paper-alphazero and quick. It measures the processor's peak of FP32
multiplications and additions first.

GFLOP/s are nominal: two for each multiplication and addition of the
convolutions and dense layers as they are defined, borders included, whatever
the implementation saves of it. So they compare with other programs', and may
exceed the peak.

On a device (--device) the peaks are those of large products and copies there, and
positions a second those of one batch after the other, with two in flight on one
worker, and on as many workers as there are cores.`,
		Example: `  tengen bench nn
  tengen bench nn paper-alphazero --batch 64
  tengen bench nn paper-alphazero --device cuda --batch 1024 --json
  tengen bench nn --set network.blocks=4 --set network.filters=64 --json`,
		Args: cli.Arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := flags.duration()
			if err != nil {
				return err
			}
			if batch < 1 || batch > 65536 {
				return cli.Usagef("--batch %d: a number from 1 to 65536 is wanted", batch)
			}
			subjects, err := newSubjects(&config, args, flags.seed)
			if err != nil {
				return err
			}
			onDevice, err := cli.OpenDevice(c, device, nil)
			if err != nil {
				return err
			}
			defer onDevice.Close()
			if onDevice.Rows() > 0 {
				if !c.Flags().Changed("batch") {
					batch = deviceBatch
				}
				b, err := benchDevice(c.Context(), d, onDevice, subjects, batch, flags.seed)
				if err != nil {
					return err
				}
				return b.write(c.OutOrStdout(), flags.json)
			}
			m, err := measureMachine(c.Context(), batch)
			if err != nil {
				return err
			}
			b := nnBench{machine: m}
			var tallies []tally
			for _, s := range subjects {
				weights := nn.Fold(s.params)
				prepare := func(i int) func() int { return evaluations(s.game, weights, batch, flags.seed, uint64(i)) }
				one, err := measure(c.Context(), d, 1, prepare)
				if err != nil {
					return err
				}
				all, err := measure(c.Context(), d, cli.Cores(), prepare)
				if err != nil {
					return err
				}
				tallies = append(tallies, one, all)
				n := nnSpeed{
					Game: s.game.Name(), Network: figures.Network(s.spec), Parameters: s.params.Count(), Operations: operations(s.spec),
					Allocations: float64(one.allocations) / float64(one.units),
				}
				n.speed = newSpeed(m, one.rate(), all.rate(), n.Operations)
				b.Networks = append(b.Networks, n)
			}
			warnBusy(c, tallies...)
			if flags.json {
				return cli.WriteJSON(c.OutOrStdout(), b)
			}
			fmt.Fprintln(c.OutOrStdout(), m)
			for _, n := range b.Networks {
				if err := figures.Write(c.OutOrStdout(), fmt.Sprintf("%s for %s, batch %d", n.Network, n.Game, batch), n.figures()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	flags.add(c.Flags())
	config.Add(c.Flags())
	cli.AddDevice(c.Flags(), &device)
	c.Flags().IntVar(&batch, "batch", 32, "positions a batch; on a device 4096 unless given")
	return c
}

type nnBench struct {
	*machine
	Networks []nnSpeed `json:"networks"`
}

type nnSpeed struct {
	Game       string  `json:"game"`
	Network    string  `json:"network"`
	Parameters int     `json:"parameters"`
	Operations float64 `json:"flop_per_position"` // nominal
	speed
	Allocations float64 `json:"allocations_per_position"`
}

func (n *nnSpeed) figures() []figures.Figure {
	list := []figures.Figure{
		{"parameters", figures.Grouped(float64(n.Parameters))},
		{"MFLOP a position, nominal", fmt.Sprintf("%.2f", n.Operations/1e6)},
	}
	list = append(list, n.speed.figures("positions/s")...)
	return append(list, figures.Figure{"allocations a position", fmt.Sprintf("%.4f", n.Allocations)})
}

// evaluations evaluates one batch of positions from random games, again and again.
func evaluations(g game.Game, w *nn.Weights, batch int, seed, worker uint64) func() int {
	e := nn.NewEvaluator(w)
	b := e.NewBatch(batch)
	b.N = batch
	observe(g, b.Observations, stream.New(seed, stream.Playout, worker))
	return func() int {
		_ = e.Evaluate(b) // the processor never fails
		return batch
	}
}
