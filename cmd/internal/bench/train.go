package bench

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/figures"
	"tengen/internal/stream"
	"tengen/nn"
	"tengen/nn/backend"
	training "tengen/nn/train"
)

func newBenchTrain() *cobra.Command {
	var flags benchFlags
	var config cli.ConfigFlags
	var batch int
	var device string
	c := &cobra.Command{
		Use:   "train [CONFIG]",
		Short: "Measure positions a second that a network learns from",
		Long: `Train times steps of training with Adam: forward, backward and the update of the
weights, on positions of random games with random targets. The network is the one that
CONFIG describes; without CONFIG and --set, those of the presets paper-alphazero
and quick. It measures the processor's peak of FP32 multiplications and
additions first.

GFLOP/s are nominal, as in ` + "`tengen bench nn`" + `, and three times as many a position: one
for the way forward, two for the gradients of activations and weights. With --device
they are compared with the device's measured peak.`,
		Example: `  tengen bench train
  tengen bench train paper-alphazero --seconds 10
  tengen bench train paper-alphazero --device cuda --batch 4096
  tengen bench train --set network.filters=64 --batch 128 --json`,
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
				b, err := benchDeviceSteps(c.Context(), d, onDevice, subjects, batch, flags.seed)
				if err != nil {
					return err
				}
				return b.write(c.OutOrStdout(), flags.json)
			}
			m, err := measureMachine(c.Context(), batch)
			if err != nil {
				return err
			}
			b := trainBench{machine: m}
			var tallies []tally
			for _, s := range subjects {
				one, err := measureSteps(c.Context(), d, backend.NewCPU(), s, batch, 1, flags.seed)
				if err != nil {
					return err
				}
				all, err := measureSteps(c.Context(), d, backend.NewCPU(), s, batch, cli.Cores(), flags.seed)
				if err != nil {
					return err
				}
				tallies = append(tallies, one)
				n := trainSpeed{
					Game: s.game.Name(), Network: figures.Network(s.spec), Parameters: s.params.Count(), Operations: 3 * operations(s.spec),
					Step: float64(batch) / one.rate(),
				}
				n.speed = newSpeed(m, one.rate(), all.rate(), n.Operations)
				b.Networks = append(b.Networks, n)
			}
			if used := peakMemory(); used > 0 {
				m.Memory = &used
			}
			warnBusy(c, tallies...)
			if flags.json {
				return cli.WriteJSON(c.OutOrStdout(), b)
			}
			fmt.Fprintln(c.OutOrStdout(), m)
			for _, n := range b.Networks {
				title := fmt.Sprintf("training of %s for %s, batch %d, Adam", n.Network, n.Game, batch)
				if err := figures.Write(c.OutOrStdout(), title, n.figures()); err != nil {
					return err
				}
			}
			if m.Memory != nil {
				fmt.Fprintf(c.OutOrStdout(), "memory of this process at its peak: %d MiB\n", *m.Memory>>20)
			}
			return nil
		},
	}
	flags.add(c.Flags())
	config.Add(c.Flags())
	cli.AddDevice(c.Flags(), &device)
	c.Flags().IntVar(&batch, "batch", 256, "positions a step; on a device 4096 unless given")
	return c
}

type trainBench struct {
	*machine
	Networks []trainSpeed `json:"networks"`
}

type trainSpeed struct {
	Game       string  `json:"game"`
	Network    string  `json:"network"`
	Parameters int     `json:"parameters"`
	Operations float64 `json:"flop_per_position"` // nominal: forward and backward
	Step       float64 `json:"seconds_per_step_one_core"`
	speed
}

func (n *trainSpeed) figures() []figures.Figure {
	list := []figures.Figure{
		{"MFLOP a position, nominal", fmt.Sprintf("%.2f", n.Operations/1e6)},
		{"ms a step on one core", fmt.Sprintf("%.1f", 1000*n.Step)},
	}
	return append(list, n.speed.figures("positions/s")...)
}

// deviceTrain is what bench train prints of a device.
type deviceTrain struct {
	*device
	Networks []deviceSpeed `json:"networks"`
}

func (r *deviceTrain) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(w, r)
	}
	fmt.Fprintln(w, r.device)
	for _, n := range r.Networks {
		title := fmt.Sprintf("training of %s for %s, %s, batch %d, Adam", n.Network, n.Game, n.Precision, n.Batch)
		if err := figures.Write(w, title, n.figures("step")); err != nil {
			return err
		}
	}
	return nil
}

// benchDeviceSteps takes steps on a device.
func benchDeviceSteps(ctx context.Context, d time.Duration, b backend.Backend, subjects []subject, batch int, seed uint64) (*deviceTrain, error) {
	m, err := measureDevice(b, batch)
	if err != nil {
		return nil, err
	}
	r := &deviceTrain{device: m}
	for _, s := range subjects {
		t, err := measureSteps(ctx, d, b, s, batch, cli.Cores(), seed)
		if err != nil {
			return nil, err
		}
		n := deviceSpeed{
			Game: s.game.Name(), Network: figures.Network(s.spec), Parameters: s.params.Count(), Operations: 3 * operations(s.spec),
			Precision: m.Training, Batch: batch, Workers: 1, Seconds: float64(batch) / t.rate(), OneWorker: t.rate(),
		}
		n.reckon(m)
		r.Networks = append(r.Networks, n)
	}
	return r, nil
}

// measureSteps trains on a backend, with so many threads where that is the processor.
func measureSteps(ctx context.Context, d time.Duration, b backend.Backend, s subject, batch, threads int, seed uint64) (tally, error) {
	debug.FreeOSMemory() // what was measured before is no part of this
	config := training.DefaultConfig()
	config.Batch, config.Optimizer, config.Workers = batch, training.OptimizerAdam, threads
	t, err := b.NewTrainer(s.params, config)
	if err != nil {
		return tally{}, cli.Usage(err)
	}
	defer training.Close(t)
	rows := trainingBatch(s, batch, stream.New(seed, stream.Playout))
	var failed error
	measured, err := measure(ctx, d, 1, func(int) func() int {
		return func() int {
			if _, err := t.Step(rows); err != nil {
				failed = err
			}
			return batch
		}
	})
	if failed != nil {
		return measured, failed
	}
	return measured, err
}

// trainingBatch has positions of random games, policies and results at random.
func trainingBatch(s subject, n int, rng *rand.Rand) *training.Batch {
	b := training.NewBatch(s.spec, n)
	observe(s.game, b.Observations, rng)
	for i := range b.PolicyWeight {
		b.PolicyWeight[i] = 1
		policy := b.Policy[i*s.spec.Actions : (i+1)*s.spec.Actions]
		sum := float32(0)
		for a := range policy {
			policy[a] = rng.Float32()
			sum += policy[a]
		}
		for a := range policy {
			policy[a] /= sum
		}
	}
	if s.spec.Value == nn.ValueLinear {
		for i := range b.Value {
			b.Value[i] = rng.Float32()
		}
		return b
	}
	for i := 0; i < len(b.Value); i += s.spec.Outputs() {
		b.Value[i+rng.IntN(s.spec.Outputs())] = 1
	}
	return b
}
