package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/internal/random"
	"tengen/nn"
	"tengen/nn/backend"
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

With --device, the peaks are those of large products and copies on the device, with which
batches from 1,024 positions on are compared. Positions per second are measured with one
batch at a time, with two in flight on one worker, and with two in flight on each of as
many workers as there are cores.

With --kernels, further batches, one at a time, show where their time on a device goes, as
in ` + "`tengen bench train`" + `.`,
		Example: `  tengen bench nn
  tengen bench nn paper-alphazero --batch 64
  tengen bench nn paper-alphazero --device cuda:0 --batch 1,64,1024 --json
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
						return evaluations(s.game, weights, s.train.Batch, seed, uint64(i))
					})
					if err != nil {
						return nil, nil, err
					}
					n := &nnSpeed{
						Game: s.game.Name(), Network: cli.Network(s.spec),
						Parameters: s.params.Count(), Operations: operations(s.spec),
						Allocations: float64(one.allocations) / float64(one.units),
					}
					n.speed = newSpeed(m, s.train.Batch, one.rate(), all.rate(), n.Operations)
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

// networkFlags are the flags of bench nn and bench train.
type networkFlags struct {
	benchFlags
	config  cli.ConfigFlags
	batches []int
	device  string
	calls   bool
}

func (f *networkFlags) add(c *cobra.Command, batch int, unit string) {
	f.benchFlags.add(c.Flags())
	f.config.Add(c.Flags())
	cli.AddDevice(c.Flags(), &f.device)
	c.Flags().IntSliceVar(&f.batches, "batch", []int{batch},
		"positions per "+unit+"; several numbers are measured in turn (default on a device: 4096)")
	c.Flags().BoolVar(&f.calls, "kernels", false,
		"also time the device's kernels and copies one by one")
}

// networksBench is what bench nn or bench train prints of the processor.
type networksBench[S any] struct {
	*processor
	Networks []S `json:"networks"`
}

// benchNetworks measures the networks that args and flags name: all with onDevice where
// there is a device, and otherwise one after another with onProcessor, which also returns
// what it counted.
func benchNetworks[S interface {
	figures() []cli.Figure
}](c *cobra.Command, args []string, f *networkFlags, trains bool,
	onDevice func(ctx context.Context, d time.Duration, b backend.Backend, subjects []subject,
		seed uint64, calls bool) (*deviceBench, error),
	onProcessor func(d time.Duration, m *processor, s subject) (S, []tally, error),
) error {
	d, err := f.duration()
	if err != nil {
		return err
	}
	for _, n := range f.batches {
		if n < 1 || n > 65536 {
			return cli.Usagef("--batch %d: a number from 1 to 65536 is wanted", n)
		}
	}
	subjects, err := newSubjects(&f.config, args, f.batches, seed)
	if err != nil {
		return err
	}
	var specs []nn.Spec
	for _, s := range subjects {
		specs = append(specs, s.spec)
	}
	b, err := cli.OpenDevice(c, f.device, nil, specs...)
	if err != nil {
		return err
	}
	defer b.Close()
	w := c.OutOrStdout()
	if b.Rows() > 0 {
		if !c.Flags().Changed("batch") {
			for i := range subjects {
				subjects[i].train.Batch = deviceBatch
			}
		}
		r, err := onDevice(c.Context(), d, b, subjects, seed, f.calls)
		if err != nil {
			return err
		}
		return r.write(w, f.json)
	}
	if f.calls {
		return cli.Usagef("--kernels: a device is wanted, and %s was chosen: --device cuda:0",
			b.Name())
	}
	m, err := measureMachine(c.Context(), d)
	if err != nil {
		return err
	}
	r := networksBench[S]{processor: m}
	var tallies []tally
	for _, s := range subjects {
		n, counted, err := onProcessor(d, m, s)
		if err != nil {
			return err
		}
		tallies = append(tallies, counted...)
		r.Networks = append(r.Networks, n)
	}
	warnBusy(c, tallies...)
	if f.json {
		return cli.WriteJSON(w, r)
	}
	fmt.Fprintln(w, m)
	for i, n := range r.Networks {
		if err := cli.WriteFigures(w,
			networkTitle(cli.Network(subjects[i].spec), subjects[i].game.Name(), "",
				subjects[i].train.Batch, trains), n.figures()); err != nil {
			return err
		}
	}
	if m.Memory != nil {
		fmt.Fprintf(w, "memory of this process at its peak: %d MiB\n", *m.Memory>>20)
	}
	return nil
}

// networkTitle is the title of a network's figures. precision is "", or ends in a comma.
func networkTitle(network, game, precision string, batch int, trains bool) string {
	title := fmt.Sprintf("%s for %s, %sbatch %d", network, game, precision, batch)
	if trains {
		return "training of " + title + ", Adam"
	}
	return title
}
