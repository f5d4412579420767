package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/internal/machine"
	"tengen/internal/random"
	"tengen/nn/backend"
	training "tengen/nn/train"
)

func newBenchTrain() *cobra.Command {
	var f networkFlags
	c := &cobra.Command{
		Use:   "train [CONFIG]",
		Short: "Measure positions per second in training",
		Long: `Train measures training steps with Adam: forward pass, backward pass and the update of
the weights, on positions of random games with random targets. The network and its losses are
those of CONFIG; without CONFIG and --set, of the presets paper-alphazero and quick. It
first measures the processor's peak of FP32 multiplications and additions.

GFLOP/s are nominal, as in ` + "`tengen bench nn`" + `, with three times as many operations per
position: one part for the forward pass, two for the gradients of activations and
weights. With --device they are compared with the device's measured peak.

With --kernels, further steps show where their time on a device goes: the kernels and
copies one by one, an event before and after each, the longest first. Operations and bytes
are nominal: padded channels are counted, and each array once.`,
		Example: `  tengen bench train
  tengen bench train paper-alphazero --seconds 10
  tengen bench train paper-alphazero --device cuda:0 --batch 4096
  tengen bench train paper-alphazero --device cuda:0,training=bf16 --kernels
  tengen bench train --set network.filters=64 --batch 128 --json`,
		Args: cli.Arguments("[CONFIG]"),
		RunE: func(c *cobra.Command, args []string) error {
			return benchNetworks(c,
				args, &f, true, benchDeviceSteps, func(
					d time.Duration, m *processor, s subject,
				) (*trainSpeed, []tally, error) {
					one, err := measureSteps(c.Context(), d, backend.NewCPU(), s, 1, seed)
					if err != nil {
						return nil, nil, err
					}
					all, err := measureSteps(c.Context(), d, backend.NewCPU(), s, cli.Cores(), seed)
					if err != nil {
						return nil, nil, err
					}
					n := &trainSpeed{
						Game: s.game.Name(), Network: cli.Network(s.spec),
						Parameters: s.params.Count(), Operations: 3 * operations(s.spec),
						Step: float64(s.train.Batch) / one.rate(),
					}
					n.speed = newSpeed(m, s.train.Batch, one.rate(), all.rate(), n.Operations)
					if used := machine.PeakMemory(); used > 0 {
						m.Memory = &used
					}
					return n, []tally{one}, nil
				})
		},
	}
	f.add(c, 256, "step")
	return c
}

type trainSpeed struct {
	Game       string  `json:"game"`
	Network    string  `json:"network"`
	Parameters int     `json:"parameters"`
	Operations float64 `json:"flop_per_position"` // nominal: forward and backward
	Step       float64 `json:"seconds_per_step_one_core"`
	speed
}

func (n *trainSpeed) figures() []cli.Figure {
	list := []cli.Figure{
		{"MFLOP a position, nominal", fmt.Sprintf("%.2f", n.Operations/1e6)},
		{"ms a step on one core", fmt.Sprintf("%.1f", 1000*n.Step)},
	}
	return append(list, n.speed.figures("positions/s")...)
}

// benchDeviceSteps takes steps on a device.
func benchDeviceSteps(
	ctx context.Context, dur time.Duration, b backend.Backend, subjects []subject, seed uint64,
	calls bool,
) (*deviceBench, error) {
	return newDeviceBench(b, subjects, true, calls,
		func(d *device, trace tracing, s subject, n *deviceSpeed) error {
			t, timed, err := traceSteps(ctx, dur, b, s, cli.Cores(), seed, trace)
			if err != nil {
				return err
			}
			n.Operations, n.Calls = 3*n.Operations, timed
			n.Precision, n.Workers, n.Devices = d.Training, 1, d.train
			n.Seconds, n.OneWorker = float64(s.train.Batch)/t.rate(), t.rate()
			return nil
		})
}

// measureSteps measures training steps on a backend, with the given number of threads on the
// processor.
func measureSteps(
	ctx context.Context, d time.Duration, b backend.Backend, s subject, threads int, seed uint64,
) (tally, error) {
	t, _, err := traceSteps(ctx, d, b, s, threads, seed, nil)
	return t, err
}

// traceSteps is measureSteps that then times the calls of further steps, unless trace is nil.
func traceSteps(
	ctx context.Context, d time.Duration, b backend.Backend, s subject, threads int, seed uint64,
	trace tracing,
) (tally, *breakdown, error) {
	debug.FreeOSMemory() // what was measured before is no part of this
	config, batch := s.train, s.train.Batch
	config.Workers = threads
	t, err := b.NewTrainer(s.params, config)
	if err != nil {
		return tally{}, nil, cli.Usage(err)
	}
	defer training.Close(t)
	rows := trainingBatch(s, batch, random.New(seed, random.Playout))
	step := func() error { _, err := t.Step(rows); return err }
	if a, ok := t.(training.Async); ok {
		start := func() error {
			b := a.NewBatch()
			b.Set(rows)
			return a.Start(b)
		}
		if err := start(); err != nil {
			return tally{}, nil, err
		}
		step = func() error { // as in a run, the next step is under way when one ends
			if err := start(); err != nil {
				return err
			}
			_, err := a.Wait()
			return err
		}
	}
	var failed error
	measured, err := measure(ctx, d, 1, func(int) func() int {
		return func() int {
			if err := step(); err != nil {
				failed = err
			}
			return batch
		}
	})
	if failed != nil {
		err = failed
	}
	if a, ok := t.(training.Async); ok && err == nil {
		_, err = a.Wait()
	}
	if err != nil || trace == nil {
		return measured, nil, err
	}
	timed, err := trace.breakDown(d, float64(batch)/measured.rate(), func() error {
		_, err := t.Step(rows)
		return err
	})
	return measured, timed, err
}

// trainingBatch returns positions of random games with random targets of all heads.
func trainingBatch(s subject, n int, rng *rand.Rand) *training.Batch {
	b := training.RandomBatch(s.spec, n, rng)
	observe(s.game, b.Observations, rng)
	return b
}
