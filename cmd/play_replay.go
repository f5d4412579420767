package cmd

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/cli"
	"tengen/cmd/internal/interactive"
	"tengen/cmd/internal/position"
	"tengen/cmd/internal/terminal"
	"tengen/game"
)

// replayGame shows the game that text names, as FILE or FILE:N.
func replayGame(c *cobra.Command, text string) error {
	path, number, err := position.SplitNumber(text)
	if err != nil {
		return cli.Usagef("--replay %s: %w", text, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return cli.Usagef("--replay %s: %w", text, err)
	}
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, err := range damaged {
		fmt.Fprintf(c.ErrOrStderr(), "tengen: %s: %s\n", path, terminal.OneLine(err))
	}
	r, err := position.Choose(records, number)
	if err != nil {
		return cli.Usagef("--replay %s: %w", text, err)
	}
	g, err := game.New(r.Game)
	if err != nil {
		return fmt.Errorf("%s: game %d: %w", path, r.Number, err)
	}
	if err := r.Replay(g, nil); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	seats := make([]interactive.Seat, g.Players())
	for i := range seats {
		if i < len(r.Players) {
			seats[i].Name = r.Players[i]
		}
	}
	out := c.OutOrStdout()
	var lines <-chan string
	if in, ok := c.InOrStdin().(*os.File); ok && terminal.IsTerminal(in) && terminal.IsTerminal(out) {
		lines = terminal.ReadLines(in)
	}
	t := interactive.New(g, seats, 0, out, terminal.Colorful(out, os.Getenv))
	fmt.Fprintf(out, "game %d of %s, %d actions\n", r.Number, g.Name(), len(r.Actions))
	return t.ShowRecord(c.Context(), r.Actions, lines)
}
