package descent_test

import (
	"math"
	"slices"
	"testing"

	"tengen/descent"
	"tengen/game"
	"tengen/search"
)

func TestParseTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"result": "result", "score": "score", "depth": "result+depth", "result+score": "result+score",
		"score+result": "result+score", "depth+score": "score+depth", "result + depth": "result+depth",
		"score+depth+result": "result+score+depth",
	} {
		got, err := descent.ParseTerminal(text)
		if err != nil || got.String() != want {
			t.Errorf("%q is read as %q, %v, not %q", text, got, err, want)
		}
		if again, err := descent.ParseTerminal(got.String()); err != nil || again != got {
			t.Errorf("%q is read as %+v, %v, not %+v", got, again, err, got)
		}
	}
	for _, text := range []string{"", "win", "result+", "score,depth", "score+score", "Result"} {
		if got, err := descent.ParseTerminal(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
	if s := (descent.Terminal{}).String(); s != "result" {
		t.Errorf("the zero value is %q", s)
	}
}

// played is the state after actions.
func played(name string, actions ...game.Action) (game.Game, game.State) {
	g := game.Must(game.New(name))
	s := g.NewState()
	for _, a := range actions {
		s.Apply(a)
	}
	return g, s
}

// TestEvaluate compares with values worked out by hand.
func TestEvaluate(t *testing.T) {
	for _, test := range []struct {
		game    string
		actions []game.Action
		text    string
		plies   int
		want    []float64
	}{
		// X wins with the fifth stone of nine.
		{"tictactoe", []game.Action{0, 3, 1, 4, 2}, "result", 5, []float64{1, 0}},
		{"tictactoe", []game.Action{0, 3, 1, 4, 2}, "depth", 5, []float64{0.75, 0.25}},
		{"tictactoe", []game.Action{0, 3, 1, 4, 2}, "depth", 0, []float64{1, 0}},
		{"tictactoe", []game.Action{0, 1, 2, 4, 3, 6, 5, 8, 7}, "depth", 9, []float64{0.5, 0.5}},
		// A third of the difference to 1/3 is left after 6 of 10 plies: X at 0, 1, 2 of three.
		{"tictactoe:players=3", []game.Action{0, 3, 6, 1, 4, 7, 2}, "depth", 7, []float64{1.0/3 + 2.0/3*0.3, 1.0/3 - 0.1, 1.0/3 - 0.1}},
		// One row of three: Black has all. The passes are plies, of at most 18.
		{"go:rows=1,columns=3,players=3", []game.Action{1, 3, 3, 3}, "result", 4, []float64{1, 0, 0}},
		{"go:rows=1,columns=3,players=3", []game.Action{1, 3, 3, 3}, "score+depth", 4, []float64{1.0/3 + 2.0/3*15/19, 1.0/3 - 5.0/19, 1.0/3 - 5.0/19}},
		// Komi: scores 3, 1/2 of -1 to 3 + 1/2.
		{"go:rows=1,columns=3,players=2,komi=[-1,0.5],reward=win", []game.Action{1, 3, 3}, "result", 3, []float64{1, 0}},
		{"go:rows=1,columns=3,players=2,komi=[-1,0.5],reward=win", []game.Action{1, 3, 3}, "score", 3, []float64{3 / 4.5, 1.5 / 4.5}},
		{"go:rows=1,columns=3,players=2,komi=[-1,0.5],reward=win", []game.Action{1, 3, 3}, "result+score", 3, []float64{(1 + 3/4.5) / 2, 0.5 / 3}},
	} {
		g, s := played(test.game, test.actions...)
		if s.Mover() != game.Nobody {
			t.Fatalf("%s after %v is not over", test.game, test.actions)
		}
		terminal, err := descent.ParseTerminal(test.text)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, g.Players())
		terminal.Evaluate(g, s, test.plies, got)
		for p, v := range got {
			if math.Abs(float64(v)-test.want[p]) > 1e-6 {
				t.Errorf("%s after %v: %s is %v, not %v", test.game, test.actions, test.text, got, test.want)
				break
			}
		}
	}
}

// TestEvaluateOrder: with depth, wins are better the quicker, losses the
// slower, and all wins are better than all losses, for any game.
func TestEvaluateOrder(t *testing.T) {
	for _, name := range []string{"tictactoe", "tictactoe:players=3"} {
		g, s := played(name, map[string][]game.Action{"tictactoe": {0, 3, 1, 4, 2}, "tictactoe:players=3": {0, 3, 6, 1, 4, 7, 2}}[name]...)
		last := []float32{2, -1}
		for plies := range 10 {
			v := make([]float32, g.Players())
			descent.Terminal{Depth: true}.Evaluate(g, s, plies, v)
			if v[0] >= last[0] || v[1] <= last[1] || v[0] <= v[1] {
				t.Errorf("%s: after %d plies %v, before %v", name, plies, v, last)
			}
			last = v
		}
	}
}

// TestDepthPrefersQuickWins has positions with wins at once and later, and with
// losses that come at once and later.
func TestDepthPrefersQuickWins(t *testing.T) {
	for _, bestFirst := range []bool{false, true} {
		for seed := range uint64(20) {
			o := descent.Options{BestFirst: bestFirst, Iterations: 10_000, Terminal: descent.Terminal{Depth: true}}
			// X completes a row at once, at 2; to make a double threat wins too.
			g, s := played("tictactoe", 0, 3, 1, 4)
			tree := descent.New(g, o, newRand(seed))
			tree.StartAfter(s, 4)
			search.Run(tree, newHashed(g, seed, 0))
			if a := tree.Best(); a != 2 {
				t.Errorf("action %d wins most quickly", a)
			}
			v := make([]float32, 2)
			if tree.Value(v); !slices.Equal(v, []float32{0.75, 0.25}) {
				t.Errorf("a win at ply 5 of 9 has the value %v", v)
			}
			// O is lost, X has threats at 2 and 6 (O has 4 and 8): to block
			// either loses at ply 7, anything else might as well; none can last
			// longer, so all must have the same value.
			g, s = played("tictactoe", 0, 4, 1, 8, 3)
			tree = descent.New(g, o, newRand(seed))
			tree.StartAfter(s, 5)
			search.Run(tree, newHashed(g, seed, 0))
			if tree.Value(v); !tree.Resolved() || math.Abs(float64(v[1])-(0.5-0.5*0.3)) > 1e-6 {
				t.Errorf("a loss at ply 7 of 9 has the value %v", v)
			}
		}
	}
	// Three in a row of one row of seven, X at 2 and 4 (never adjacent), O at 0:
	// O must block at 3 or lose at once; nothing saves it on both sides once X
	// stands at 2, 3.
	g, s := played("mnk:rows=1,columns=7,in_row=3", 2, 0, 3)
	for seed := range uint64(20) {
		tree := descent.New(g, descent.Options{Iterations: 10_000, Terminal: descent.Terminal{Depth: true}}, newRand(seed))
		tree.StartAfter(s, 3)
		search.Run(tree, newHashed(g, seed, 0))
		if !tree.Resolved() {
			t.Fatal("not resolved")
		}
		for _, c := range tree.Children(nil) {
			if c.Resolved && c.Completion == -1 && c.Value[1] < 0.5-0.5*(1-5.0/8)-1e-6 {
				t.Errorf("action %d loses at ply 5 and has the value %v", c.Action, c.Value)
			}
		}
	}
}
