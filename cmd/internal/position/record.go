package position

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tengen/arena"
	"tengen/game"
)

// Believe makes ShowRecord print, before the action of each player, the lines that believed returns
// for the true position.
func (t *Game) Believe(believed func(s game.State) []string) { t.believed = believed }

// ShowRecord shows a recorded game. lines are the typed lines, one of which is awaited before each
// action; if nil, it waits for none.
func (t *Game) ShowRecord(ctx context.Context, actions []game.Action, lines <-chan string) error {
	for i, s := range t.seats {
		if s.Name != "" {
			t.say("%s: %s", game.SeatName(t.game, game.Player(i)), s.Name)
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
		if t.believed != nil && t.state.CurrentPlayer() >= 0 {
			for _, line := range t.believed(t.state) {
				t.say("%s", line)
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

// tellAction prints an action of the record and plays it.
func (t *Game) tellAction(a game.Action) {
	who := "chance"
	if mover := t.state.CurrentPlayer(); mover != game.Chance {
		who = game.SeatName(t.game, mover)
		if name := t.seats[mover].Name; name != "" {
			who += " (" + name + ")"
		}
	}
	t.say("%d  %s: %s", len(t.record)+1, who, game.ActionName(t.game, t.state, a))
	t.apply(move{action: a})
}

// SplitNumber splits FILE:N; number is -1 without N. A folder stands for the match in it.
func SplitNumber(text string) (path string, number int, err error) {
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

// Choose returns the record with a number or, for -1, the one with the least number.
func Choose(records []arena.Record, number int) (*arena.Record, error) {
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
	return nil, fmt.Errorf("no game has number %d; there are %d, from %d to %d",
		number, len(records), slices.Min(numbers), slices.Max(numbers))
}
