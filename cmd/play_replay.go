package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"tengen/arena"
	"tengen/game"
)

// replayGame shows the game that text names, as FILE or FILE:N.
func replayGame(c *cobra.Command, text string) error {
	path, number, err := splitNumber(text)
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
	r, err := choose(records, number)
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

// splitNumber takes FILE:N apart; number is -1 where there is none. A folder
// stands for the match in it.
func splitNumber(text string) (path string, number int, err error) {
	path, number = text, -1
	if _, err := os.Stat(path); err != nil {
		i := strings.LastIndexByte(text, ':')
		if i < 0 {
			return "", 0, err
		}
		n, bad := strconv.ParseUint(text[i+1:], 10, 31)
		if bad != nil {
			return "", 0, errors.New("after the last colon the number of a game is wanted, from 0")
		}
		path, number = text[:i], int(n)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, arena.MatchFile)
	}
	return path, number, nil
}

// choose is the record with a number, or, for -1, that with the least.
func choose(records []arena.Record, number int) (*arena.Record, error) {
	if len(records) == 0 {
		return nil, fmt.Errorf("no game is in it yet")
	}
	var numbers []int
	for _, r := range records {
		numbers = append(numbers, r.Number)
	}
	if number < 0 {
		number = slices.Min(numbers)
	}
	if i := slices.Index(numbers, number); i >= 0 {
		return &records[i], nil
	}
	return nil, fmt.Errorf("no game has number %d; there are %d, from %d to %d", number, len(records), slices.Min(numbers), slices.Max(numbers))
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
