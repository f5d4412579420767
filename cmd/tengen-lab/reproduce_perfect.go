package main

import (
	"slices"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/configs"
	"tengen/game"
	"tengen/research"
	"tengen/research/truth"
	"tengen/run"
)

func newConnectFour() *cobra.Command {
	var f resultFlags
	m := truth.Measurement{}
	var positions int
	c := &cobra.Command{
		Use:   "connect-four [RUN…]",
		Short: "How often networks and searches play perfect moves in Connect Four",
		Long: `Connect-four compares moves with perfect play, which a solver finds: on random positions
early, in the middle and late in the game, how many moves keep the result, and how many
also win as soon or lose as late as possible.

RUN is a run of connect-four. Of up to 8 of its checkpoints, evenly spread, the networks alone and with the fewest
simulations are measured, and the last one with all of --simulations. Without a run UCT
with random playouts is measured.

The positions follow from --seed and --positions, and are solved at the beginning.`,
		Example: `  tengen-lab reproduce connect-four
  tengen-lab reproduce connect-four runs/connect-four
  tengen-lab reproduce connect-four runs/connect-four --positions 100 --out perfect.md`,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case positions < 1 || positions > 1_000_000:
				return cli.Usagef("--positions %d: 1 to 1000000 is wanted", positions)
			case len(m.Simulations) == 0:
				return cli.Usagef("--simulations: at least one number is wanted")
			}
			slices.Sort(m.Simulations)
			for _, n := range m.Simulations {
				if n < 1 || n > configs.MaxSimulations {
					return cli.Usagef("--simulations %d: 1 to %d is wanted",
						n, configs.MaxSimulations)
				}
			}
			parts := []string{"uct"}
			folders := map[string]run.Folder{}
			if len(args) > 0 {
				parts = nil
			}
			for _, arg := range args {
				config, err := run.Folder(arg).ReadConfig()
				if err != nil {
					return cli.Usage(err)
				}
				part := string(config.Algorithm)
				if other, taken := folders[part]; taken {
					return cli.Usagef("%s and %s are both runs of %s: one is wanted",
						other, arg, part)
				}
				folders[part] = run.Folder(arg)
				parts = append(parts, part)
			}
			var err error
			if len(args) > 0 || c.Flags().Changed("device") {
				if m.Device, err = f.openDevice(c); err != nil {
					return err
				}
				defer f.closeDevice()
			}
			show := cli.Parts(c.ErrOrStderr())
			m.Game = game.Must(game.New(truth.Game))
			sets := func(what string, done, all int) { show(what, "positions", done, all) }
			if m.Sets, err = truth.NewSets(c.Context(), m.Game, positions, m.Seed,
				sets); err != nil {
				if c.Context().Err() != nil {
					return cli.Stopped("stopped while the positions were solved", err)
				}
				return cli.Usage(err)
			}
			m.Progress = func(what string, done, all int) { show(what, "decisions", done, all) }
			return f.run(c, m.Seed, func(part string, made research.Made) (research.Part, error) {
				if part == "uct" {
					return partOf(m.UCT(c.Context(), made))
				}
				t, err := m.Run(c.Context(), folders[part], made)
				return partOf(t, usage(c, err))
			}, parts...)
		},
	}
	f.add(c, truth.Layout, "connect-four")
	f.addDevice(c)
	c.Flags().IntVar(&positions, "positions", 1000, "number of positions of each set")
	c.Flags().IntSliceVar(&m.Simulations, "simulations", []int{100, 400, 800}, "simulations a move, several separated by commas (Descent: iterations of unbounded best-first minimax)")
	c.Flags().Uint64Var(&m.Seed, "seed", 1, "random seed of the positions and of UCT")
	return c
}
