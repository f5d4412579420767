package interactive

import (
	"context"
	"io"
	"strings"
	"testing"

	"tengen/cmd/internal/terminal"
	"tengen/game"
)

// TestShow: a person goes through a game forwards and backwards.
func TestShow(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	show := func(typed ...string) string {
		var out strings.Builder
		x := New(g, make([]Seat, 2), 0, &out, false)
		if err := x.ShowRecord(t.Context(), []game.Action{
			0, 3, 1, 4, 2,
		}, terminal.ReadLines(strings.NewReader(strings.Join(typed, "\n")+"\n"))); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, c := range []struct {
		typed []string
		holds []string
		ends  string
	}{
		{[]string{"", "", "back", "", "end"},
			[]string{
				"0/5> 1  X: a3\n", "1/5> 2  O: a2\n", "2/5> ", "1/5> 2  O: a2\n", "2/5> 3  X: b3\n",
				"4  O: b2\n",
			}, "the game is over: X 1, O 0; X wins\n"},
		{[]string{"back", "help", "quit"},
			[]string{
				"0/5> ", "0/5> the Enter key shows the next action; or: back, end, quit\n",
			}, "0/5> "},
		{[]string{""}, []string{"1  X: a3"}, "1/5> \n"},
	} {
		got := show(c.typed...)
		rest := got
		for _, text := range c.holds {
			_, after, found := strings.Cut(rest, text)
			if !found {
				t.Errorf("%q: no %q in what follows\n%s", c.typed, text, got)
			}
			rest = after
		}
		if !strings.HasSuffix(got, c.ends) {
			t.Errorf("%q: it ends with %q", c.typed, got[max(0, len(got)-60):])
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New(g, make([]Seat, 2), 0, io.Discard, false).ShowRecord(ctx, []game.Action{
		0,
	}, nil); err == nil {
		t.Error("a cancelled show goes on")
	}
}

// TestShowOutcomes: outcomes of chance are shown too.
func TestShowOutcomes(t *testing.T) {
	var out strings.Builder
	x := New(coin{}, []Seat{{Name: "a"}, {}}, 0, &out, false)
	if err := x.ShowRecord(t.Context(), []game.Action{1, 0, 0}, nil); err != nil {
		t.Fatal(err)
	}
	want := "player 1: a\n\n1  player 1 (a): 1\n2  chance: 0\n3  player 2: 0\nthe game is over: player 1 0, player 2 1; player 2 wins\n"
	if out.String() != want {
		t.Errorf("shown is\n%s, want\n%s", out.String(), want)
	}
}
