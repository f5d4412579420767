package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
)

func newPerft() *cobra.Command {
	var depth int
	var asJSON bool
	c := &cobra.Command{
		Use:   "perft GAME",
		Short: "Count sequences of actions by length",
		Long: `Perft counts the sequences of 1, 2, … actions from the first position. Sequences that end
the game earlier are not counted. Compare the counts with those of another implementation
of the rules.

Ctrl-C prints the lengths counted so far.`,
		Example: `  tengen games perft go:size=3,players=3 --depth 4
  tengen games perft tictactoe --depth 9 --json`,
		Args: cli.Arguments("GAME"),
		RunE: func(c *cobra.Command, args []string) error {
			if depth < 0 {
				return cli.Usagef("--depth %d: a number from 0 is wanted", depth)
			}
			g, err := cli.ParseGame(args[0])
			if err != nil {
				return err
			}
			counts, err := game.Perft(c.Context(), g, g.NewState(), depth)
			if asJSON {
				if e := cli.WriteJSON(c.OutOrStdout(), struct {
					Game      string   `json:"game"`
					Sequences []uint64 `json:"sequences"` // by length, from 0
				}{g.Name(), counts}); e != nil {
					return e
				}
			} else {
				fmt.Fprintln(c.OutOrStdout(), g.Name())
				for d, n := range counts {
					fmt.Fprintf(c.OutOrStdout(), "%3d  %d\n", d, n)
				}
			}
			if err != nil {
				return fmt.Errorf("stopped while counting length %d: %w", len(counts), err)
			}
			return nil
		},
	}
	c.Flags().IntVar(&depth, "depth", 4, "maximum length to count")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
