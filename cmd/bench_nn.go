package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/evaluate"
	"tengen/game"
	"tengen/internal/stream"
	"tengen/nn"
)

func newBenchNN() *cobra.Command {
	var flags benchFlags
	var config configFlags
	var batch int
	c := &cobra.Command{
		Use:   "nn [CONFIG]",
		Short: "Measure positions a second that a network evaluates",
		Long: `Nn evaluates positions of random games with the network that CONFIG describes
(the preset quick unless named), with random weights, in batches.

GFLOP/s are nominal: two for each multiplication and addition of the
convolutions and dense layers as they are defined, borders included, whatever
the implementation saves of it.`,
		Example: `  tengen bench nn
  tengen bench nn paper-alphazero --batch 64
  tengen bench nn --set network.blocks=4 --set network.filters=64 --json`,
		Args: arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error {
			d, err := flags.duration()
			if err != nil {
				return err
			}
			if batch < 1 || batch > 65536 {
				return usagef("--batch %d: a number from 1 to 65536 is wanted", batch)
			}
			r, err := config.resolve(args)
			if err != nil {
				return err
			}
			g, err := parseGame(r.Config.Game)
			if err != nil {
				return err
			}
			n := r.Config.Network
			s, err := evaluate.Spec(g, evaluate.Size{Blocks: n.Blocks, Filters: n.Filters, Hidden: n.Hidden, Policy: n.Policy, Value: n.Value})
			if err != nil {
				return usage(err)
			}
			params, err := nn.NewParams(s)
			if err != nil {
				return usage(err)
			}
			params.Init(stream.New(flags.seed, stream.Weights))
			weights := nn.Fold(params)
			prepare := func(i int) func() int { return evaluations(g, weights, batch, flags.seed, uint64(i)) }
			one, err := measure(c.Context(), d, 1, prepare)
			if err != nil {
				return err
			}
			all, err := measure(c.Context(), d, cores(), prepare)
			if err != nil {
				return err
			}
			b := nnBench{
				Game: g.Name(), Network: network(s), Parameters: params.Count(), Batch: batch, Cores: cores(),
				Operations: operations(s), OneCore: one.rate(), AllCores: all.rate(),
				Allocations: float64(one.allocations) / float64(one.units),
			}
			b.OneGFLOPS, b.AllGFLOPS = b.OneCore*b.Operations/1e9, b.AllCores*b.Operations/1e9
			warnBusy(c, one, all)
			if flags.json {
				return writeJSON(c.OutOrStdout(), b)
			}
			return writeFigures(c.OutOrStdout(), fmt.Sprintf("%s for %s, batch %d", b.Network, b.Game, b.Batch), b.figures())
		},
	}
	flags.add(c.Flags())
	config.add(c.Flags())
	c.Flags().IntVar(&batch, "batch", 32, "positions a batch")
	return c
}

type nnBench struct {
	Game        string  `json:"game"`
	Network     string  `json:"network"`
	Parameters  int     `json:"parameters"`
	Batch       int     `json:"batch"`
	Cores       int     `json:"cores"`
	Operations  float64 `json:"flop_per_position"` // nominal
	OneCore     float64 `json:"positions_per_second_one_core"`
	AllCores    float64 `json:"positions_per_second_all_cores"`
	OneGFLOPS   float64 `json:"gflop_per_second_one_core"`
	AllGFLOPS   float64 `json:"gflop_per_second_all_cores"`
	Allocations float64 `json:"allocations_per_position"`
}

func (b *nnBench) figures() []figure {
	return []figure{
		{"parameters", grouped(float64(b.Parameters))},
		{"MFLOP a position, nominal", fmt.Sprintf("%.2f", b.Operations/1e6)},
		{"positions/s on one core", fmt.Sprintf("%s (%.1f GFLOP/s)", grouped(b.OneCore), b.OneGFLOPS)},
		{onAllCores("positions/s"), fmt.Sprintf("%s (%.1f GFLOP/s)", grouped(b.AllCores), b.AllGFLOPS)},
		{"allocations a position", fmt.Sprintf("%.4f", b.Allocations)},
	}
}

// network describes a network in a few words.
func network(s nn.Spec) string {
	return fmt.Sprintf("%d blocks × %d filters, %s policy, %s value", s.Blocks, s.Filters, s.Policy, s.Value)
}

// operations is the number of floating-point operations that one position
// takes: two for each weight of a dense layer, and for each weight of a
// convolution and each cell.
func operations(s nn.Spec) float64 {
	cells := s.Cells()
	n := 9 * s.Planes * s.Filters * cells
	n += s.Blocks * 2 * 9 * s.Filters * s.Filters * cells
	switch s.Policy {
	case nn.PolicyConv:
		n += s.Filters * cells
	case nn.PolicyConvPass:
		n += s.Filters*cells + s.Filters
	case nn.PolicyDense:
		n += 2*s.Filters*cells + 2*cells*s.Actions
	}
	n += s.Players * (s.Filters*cells*s.Hidden + s.Hidden*s.Outputs())
	return 2 * float64(n)
}

// evaluations evaluates one batch of positions from random games, again and again.
func evaluations(g game.Game, w *nn.Weights, batch int, seed, worker uint64) func() int {
	e := nn.NewEvaluator(w)
	b := e.NewBatch(batch)
	rng := stream.New(seed, stream.Playout, worker)
	s, size := g.NewState(), g.Planes().Size()
	var buf []game.Action
	for b.N < batch {
		if s.Mover() == game.Nobody {
			s.CopyFrom(g.NewState())
		}
		if s.Mover() >= 0 {
			s.Observe(b.Observations[b.N*size : (b.N+1)*size])
			b.N++
		}
		buf = step(s, rng, buf)
	}
	return func() int {
		e.Evaluate(b)
		return batch
	}
}
