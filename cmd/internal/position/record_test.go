package position

import (
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/cmd/internal/cli"
	"tengen/game"
	"tengen/player"
)

// TestShow: a person goes through a game forwards and backwards.
func TestShow(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	show := func(typed ...string) string {
		var out strings.Builder
		x := NewGame(g, make([]Seat, 2), 0, &out, false)
		if err := x.ShowRecord(t.Context(), []game.Action{
			0, 3, 1, 4, 2,
		}, cli.ReadLines(strings.NewReader(strings.Join(typed, "\n")+"\n"))); err != nil {
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
	if err := NewGame(g, make([]Seat, 2), 0, io.Discard, false).ShowRecord(ctx, []game.Action{
		0,
	}, nil); err == nil {
		t.Error("a cancelled show goes on")
	}
}

// TestShowOutcomes: outcomes of chance are shown too.
func TestShowOutcomes(t *testing.T) {
	var out strings.Builder
	x := NewGame(coin{}, []Seat{{Name: "a"}, {}}, 0, &out, false)
	if err := x.ShowRecord(t.Context(), []game.Action{1, 0, 0}, nil); err != nil {
		t.Fatal(err)
	}
	want := "player 1: a\n\n1  player 1 (a): 1\n2  chance: 0\n3  player 2: 0\nthe game is over: player 1 0, player 2 1; player 2 wins\n"
	if out.String() != want {
		t.Errorf("shown is\n%s, want\n%s", out.String(), want)
	}
}

// A player resigns in place of its third hopeless move in a row; without Resign none does.
func TestPlayerResigns(t *testing.T) {
	g := game.Must(game.New("connect-four"))
	for _, resign := range []float64{0, 0.999999} { // always hopeless
		uct := player.UCT{Simulations: 30, C: 0.8, Utility: player.Unit}
		var out strings.Builder
		seats := []Seat{{Name: "uct", Agent: uct.NewAgent(g)}, {Name: "human"}}
		x := NewGame(g, seats, 1, &out, false)
		x.Resign = resign
		if err := x.Run(t.Context(), typed("a", "b")); err != nil {
			t.Fatal(err)
		}
		want := game.SeatName(g, 0) + " (uct) resigns; " + game.SeatName(g, 1) + " wins\n"
		if got := out.String(); strings.HasSuffix(got, want) != (resign > 0) ||
			len(x.record) != map[bool]int{true: 4, false: 5}[resign > 0] {
			t.Errorf("below %v, %d moves:\n%s", resign, len(x.record), got)
		}
	}
}

// coin is a game without names, drawing or playout: the first player guesses 0
// or 1, chance throws a coin, then the second player guesses. Whoever guessed
// right gets 1. Its states are one string of what happened.
type coin struct{}

func (coin) Name() string         { return "coin" }
func (coin) Players() int         { return 2 }
func (coin) Actions() int         { return 2 }
func (coin) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (coin) Support() []float32   { return nil }
func (coin) HasChance() bool      { return true }
func (coin) NewState() game.State { return &coinState{} }

type coinState struct {
	done [3]game.Action
	n    int
}

func (s *coinState) CurrentPlayer() game.Player {
	return []game.Player{0, game.Chance, 1, game.Nobody}[s.n]
}
func (s *coinState) LegalActions(dst []game.Action) []game.Action { return append(dst, 0, 1) }
func (s *coinState) Apply(a game.Action) {
	s.done[s.n] = a
	s.n++
}
func (s *coinState) CopyFrom(src game.State) { *s = *src.(*coinState) }
func (s *coinState) Returns(dst []float32) {
	dst[0], dst[1] = 0, 0
	if s.done[0] == s.done[1] {
		dst[0] = 1
	}
	if s.done[2] == s.done[1] {
		dst[1] = 1
	}
}
func (s *coinState) Observation(dst []float32) { dst[0] = float32(s.n) }
func (s *coinState) Hash() uint64              { return uint64(s.n) }

func (s *coinState) Outcomes(dst []game.Outcome) []game.Outcome {
	return append(dst, game.Outcome{Action: 0, Probability: 0.5}, game.Outcome{
		Action: 1, Probability: 0.5,
	})
}
func (s *coinState) Sample(rng *rand.Rand) game.Action { return game.Action(rng.IntN(2)) }
