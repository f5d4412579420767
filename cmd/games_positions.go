package cmd

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tengen/cmd/internal/cli"
	"tengen/game"
)

func newPositions() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "positions GAME",
		Short: "Count the positions of a small game",
		Long: `Positions counts the positions of a game by enumeration: for Go, the arrangements of
stones in which every group has a liberty; for the turtle race, the squares and stacks of
the turtles, and the result of the paper's formula. It refuses games that can't count
their positions, and boards that are too large. Ctrl-C stops it.`,
		Example: `  tengen games positions go:rows=2,columns=3,players=3
  tengen games positions go:size=3,players=2 --json
  tengen games positions turtle`,
		Args: cli.Arguments("GAME"),
		RunE: func(c *cobra.Command, args []string) error {
			g, err := cli.ParseGame(args[0])
			if err != nil {
				return err
			}
			countable, ok := g.(game.Countable)
			if !ok {
				return cli.Usagef("%s does not count its positions", g.Name())
			}
			counts, err := countable.CountPositions(c.Context())
			if err != nil {
				return fmt.Errorf("count the positions of %s: %w", g.Name(), err)
			}
			if asJSON {
				return cli.WriteJSON(c.OutOrStdout(), positionsJSON(g, counts))
			}
			fmt.Fprintln(c.OutOrStdout(), g.Name())
			t := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, n := range counts {
				fmt.Fprintf(t, "%s\t%d\n", n.Name, n.N)
			}
			return t.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func positionsJSON(g game.Game, counts []game.Count) any {
	type count struct {
		Name string `json:"name"`
		N    uint64 `json:"n"`
	}
	list := make([]count, len(counts))
	for i, c := range counts {
		list[i] = count(c)
	}
	return struct {
		Game      string  `json:"game"`
		Positions []count `json:"positions"`
	}{g.Name(), list}
}
