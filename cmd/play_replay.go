package cmd

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/cmd/internal/position"
	"tengen/game"
)

// replayGame shows the game that text names, as FILE or FILE:N.
func replayGame(c *cobra.Command, text string) error {
	path, number, err := position.SplitNumber(text)
	if err != nil {
		return usagef("--replay %s: %w", text, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return usagef("--replay %s: %w", text, err)
	}
	records, damaged, err := arena.ReadRecords(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, err := range damaged {
		fmt.Fprintf(c.ErrOrStderr(), "tengen: %s: %s\n", path, oneLine(err))
	}
	r, err := position.Choose(records, number)
	if err != nil {
		return usagef("--replay %s: %w", text, err)
	}
	g, err := game.New(r.Game)
	if err != nil {
		return fmt.Errorf("%s: game %d: %w", path, r.Number, err)
	}
	if err := r.Replay(g, nil); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	seats := make([]seat, g.Players())
	for i := range seats {
		if i < len(r.Players) {
			seats[i].name = r.Players[i]
		}
	}
	out := c.OutOrStdout()
	var lines <-chan string
	if in, ok := c.InOrStdin().(*os.File); ok && terminal(in) && isTerminal(out) {
		lines = readLines(in)
	}
	t := newTerminalGame(g, seats, 0, out, colorful(out, os.Getenv))
	t.say("game %d of %s, %d actions", r.Number, g.Name(), len(r.Actions))
	return t.showRecord(c.Context(), r.Actions, lines)
}

// showRecord shows a game that was played before. lines are what a person types, who
// is waited for before each action; nil where nobody is.
func (t *terminalGame) showRecord(ctx context.Context, actions []game.Action, lines <-chan string) error {
	for i, s := range t.seats {
		if s.name != "" {
			t.say("%s: %s", game.SeatName(t.game, game.Player(i)), s.name)
		}
	}
	t.say("")
	t.draw()
	for len(t.record) < len(actions) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if lines != nil {
			fmt.Fprintf(t.out, "%d/%d> ", len(t.record), len(actions))
			var line string
			var ok bool
			select {
			case <-ctx.Done():
				t.say("")
				return ctx.Err()
			case line, ok = <-lines:
			}
			if !ok {
				t.say("")
				return nil
			}
			switch strings.ToLower(strings.TrimSpace(line)) {
			case "", "next":
			case "back":
				t.replay(slices.Clone(t.record[:max(0, len(t.record)-1)]))
				t.draw()
				continue
			case "end":
				lines = nil
			case "quit", "exit":
				return nil
			default:
				t.say("the Enter key shows the next action; or: back, end, quit")
				continue
			}
		}
		t.tellAction(actions[len(t.record)])
		// Of a deal that nobody watches card by card the end is enough.
		if lines != nil || t.state.CurrentPlayer() != game.Chance || len(t.record) == len(actions) {
			t.draw()
		}
	}
	if t.state.CurrentPlayer() != game.Nobody {
		t.say("the record ends here; the game was not over")
		return nil
	}
	t.finish()
	return nil
}

// tellAction plays an action of the record, and says which it is.
func (t *terminalGame) tellAction(a game.Action) {
	who := "chance"
	if mover := t.state.CurrentPlayer(); mover != game.Chance {
		who = game.SeatName(t.game, mover)
		if name := t.seats[mover].name; name != "" {
			who += " (" + name + ")"
		}
	}
	t.say("%d  %s: %s", len(t.record)+1, who, game.ActionName(t.game, t.state, a))
	t.apply(move{action: a})
}
