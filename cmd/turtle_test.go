package cmd

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/turtle"
	"tengen/internal/random"
)

// everyCard is each card of the turtle race, typed once for each turtle that it may
// move: whatever a hand holds, one of them can be played.
func everyCard() string {
	var b strings.Builder
	for _, color := range []string{"r", "g", "b", "y", "p"} {
		fmt.Fprintf(&b, "%s++\n%s+\nany+ %s\narrow2:%s\narrow %s\n",
			color, color, color, color, color)
	}
	for _, color := range []string{"red", "green", "blue", "yellow", "purple"} {
		fmt.Fprintf(&b, "%s-\nany-:%s\ndiscard:%s-\n", color, color, color)
	}
	b.WriteString("discard any-\n")
	return b.String()
}

// A person plays whole races in the terminal, in any seat, against every kind of
// player, and sees nothing of what the others hold before the end.
func TestTurtleRaces(t *testing.T) {
	t.Chdir(t.TempDir())
	newRun(t, "net", "turtle:players=2", "alphazero")
	hidden := regexp.MustCompile(`(?m)^. player (\d)  (\?|[a-z]+) +(.*)$`)
	for _, c := range []struct {
		args string
		seat string // the person's
	}{
		{"turtle human uct:simulations=10,rollout=hybrid", "1"},
		{"turtle alphabeta:depth=2,strategy=efficient,determinizations=3 human", "2"},
		{"--game turtle human az:net,simulations=5", "1"},
		{"turtle:players=3,unowned=none random human minimax:depth=1,determinizations=2", "2"},
		{"turtle:players=5 human random uct:simulations=5 alphabeta:depth=1,determinizations=2 random", "1"},
	} {
		status, stdout, stderr := tengen(t, strings.Repeat(everyCard(), 60),
			"play --seed 7 "+c.args)
		if status != 0 || stderr != "" {
			t.Fatalf("%s: %d: %s", c.args, status, stderr)
		}
		boards := strings.Split(stdout, "start ")
		last := len(boards) - 1
		if !strings.Contains(boards[last], "the game is over: ") ||
			!strings.Contains(stdout, `can't be played here; "moves" lists what can`) {
			t.Fatalf("%s ends in\n%s", c.args, boards[last])
		}
		if last < 10 {
			t.Errorf("%s: %d boards were shown", c.args, last)
		}
		for i, text := range boards[1:] {
			for _, row := range hidden.FindAllStringSubmatch(text, -1) {
				backs := strings.Trim(row[3], "[ ]") == ""
				own, over := row[1] == c.seat, i+1 == last
				if (row[2] == "?") != (!own && !over) || backs != (!own && !over) {
					t.Fatalf("%s: in board %d of %d stands %q", c.args, i+1, last, row[0])
				}
			}
		}
	}
}

// Whoever looks at a position of hidden hands says the same of all those that the seat
// in turn can't tell apart, and something of every legal move; but who may see them all
// looks at them.
func TestAnalyzeHiddenHands(t *testing.T) {
	t.Chdir(t.TempDir())
	const name = "turtle:players=3"
	newRun(t, "net", name, "alphazero")
	g := game.Must(game.New(name))
	rng := random.New(1, random.Test)
	truth, other := g.NewState().(*turtle.State), g.NewState().(*turtle.State)
	for turns := 0; turns < 7 || truth.CurrentPlayer() == game.Chance; {
		if truth.CurrentPlayer() == game.Chance {
			truth.Apply(truth.Sample(rng))
			continue
		}
		legal := truth.LegalActions(nil)
		truth.Apply(legal[rng.IntN(len(legal))])
		turns++
	}
	other.CopyFrom(truth)
	other.Determinize(rng, truth.CurrentPlayer())
	if truth.Position() == other.Position() || len(truth.LegalActions(nil)) < 2 {
		t.Fatalf("%s and %s", truth.Position(), other.Position())
	}
	for _, player := range []string{
		"uct:simulations=30", "net", "az:net,simulations=20", "alphabeta:depth=1",
		"minimax:depth=1,opponents=maxn", "expectiminimax:depth=1,samples=1",
	} {
		var said [2]string
		for i, s := range []*turtle.State{truth, other} {
			status, stdout, stderr := tengen(t, s.Position(),
				"analyze - "+player+" --game "+name+" --simulations 15 --json")
			if status != 0 {
				t.Fatalf("%s: %s", player, stderr)
			}
			said[i] = stdout
		}
		if said[0] != said[1] {
			t.Errorf("%s says\n%s\nand\n%s", player, said[0], said[1])
		}
		if !strings.Contains(said[0], `"seen_by": "player 2"`) {
			t.Errorf("%s: who looks is not said in\n%s", player, said[0])
		}
		for _, a := range truth.LegalActions(nil) {
			if want := fmt.Sprintf(`"move": %q`,
				game.ActionName(g, truth, a)); !strings.Contains(said[0], want) {
				t.Errorf("%s: %s is missing in\n%s", player, want, said[0])
			}
		}
	}
}
