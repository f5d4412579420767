package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/nn"
	"tengen/nn/backend"
)

// networkFlags are the flags of bench nn and bench train.
type networkFlags struct {
	benchFlags
	config cli.ConfigFlags
	batch  int
	device string
	calls  bool
}

func (f *networkFlags) add(c *cobra.Command, batch int, unit string) {
	f.benchFlags.add(c.Flags())
	f.config.Add(c.Flags())
	cli.AddDevice(c.Flags(), &f.device)
	c.Flags().IntVar(&f.batch, "batch", batch, "positions per "+unit+" (default on a device: 4096)")
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
		batch int, seed uint64, calls bool) (*deviceBench, error),
	onProcessor func(d time.Duration, m *processor, s subject) (S, []tally, error),
) error {
	d, err := f.duration()
	if err != nil {
		return err
	}
	if f.batch < 1 || f.batch > 65536 {
		return cli.Usagef("--batch %d: a number from 1 to 65536 is wanted", f.batch)
	}
	subjects, err := newSubjects(&f.config, args, seed)
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
			f.batch = deviceBatch
		}
		r, err := onDevice(c.Context(), d, b, subjects, f.batch, seed, f.calls)
		if err != nil {
			return err
		}
		return r.write(w, f.json)
	}
	if f.calls {
		return cli.Usagef("--kernels: a device is wanted, and %s was chosen: --device cuda:0",
			b.Name())
	}
	m, err := measureMachine(c.Context(), f.batch)
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
				f.batch, trains), n.figures()); err != nil {
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
