package bench

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
)

func newBenchNN() *cobra.Command {
	var f networkFlags
	c := &cobra.Command{
		Use:   "nn [CONFIG]",
		Short: "Measure positions per second that a network evaluates",
		Long: `Nn evaluates positions of random games in batches, with the network that CONFIG describes
and random weights; without CONFIG and --set, with those of the presets paper-alphazero
and quick. It first measures the processor's peak of FP32 multiplications and additions.

GFLOP/s are nominal: two operations for each multiplication and addition of the
convolutions and dense layers by definition, borders included, even if the implementation
needs fewer. They are comparable with those of other programs and may exceed the peak.

With --device, the peaks are those of large products and copies on the device. Positions
per second are measured with one batch at a time, with two in flight on one worker, and
with two in flight on each of as many workers as there are cores.

With --kernels, further batches, one at a time, show where their time on a device goes, as
in ` + "`tengen bench train`" + `.`,
		Example: `  tengen bench nn
  tengen bench nn paper-alphazero --batch 64
  tengen bench nn paper-alphazero --device cuda:0 --batch 1024 --json
  tengen bench nn paper-alphazero --device cuda:0 --kernels
  tengen bench nn --set network.blocks=4 --set network.filters=64 --json`,
		Args: cli.Arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error {
			return benchNetworks(c,
				args, &f, false, benchDevice, func(
					d time.Duration, m *processor, s subject,
				) (*nnSpeed, []tally, error) {
					weights := nn.Fold(s.params)
					one, all, err := measureCores(c.Context(), d, func(i int) func() int {
						return evaluations(s.game, weights, f.batch, seed, uint64(i))
					})
					if err != nil {
						return nil, nil, err
					}
					n := &nnSpeed{
						Game: s.game.Name(), Network: cli.Network(s.spec),
						Parameters: s.params.Count(), Operations: operations(s.spec),
						Allocations: float64(one.allocations) / float64(one.units),
					}
					n.speed = newSpeed(m, one.rate(), all.rate(), n.Operations)
					return n, []tally{one, all}, nil
				})
		},
	}
	f.add(c, 32, "batch")
	return c
}

type nnSpeed struct {
	Game       string  `json:"game"`
	Network    string  `json:"network"`
	Parameters int     `json:"parameters"`
	Operations float64 `json:"flop_per_position"` // nominal
	speed
	Allocations float64 `json:"allocations_per_position"`
}

func (n *nnSpeed) figures() []cli.Figure {
	list := []cli.Figure{
		{"parameters", cli.Grouped(float64(n.Parameters))},
		{"MFLOP a position, nominal", fmt.Sprintf("%.2f", n.Operations/1e6)},
	}
	list = append(list, n.speed.figures("positions/s")...)
	return append(list, cli.Figure{"allocations a position", fmt.Sprintf("%.4f", n.Allocations)})
}

// evaluations returns a function that evaluates one batch of positions from random games.
func evaluations(g game.Game, w *nn.Weights, batch int, seed, worker uint64) func() int {
	e := nn.NewEvaluator(w)
	b := e.NewBatch(batch)
	b.N = batch
	observe(g, b.Observations, random.New(seed, random.Playout, worker))
	return func() int {
		_ = e.Evaluate(b) // the processor never fails
		return batch
	}
}
