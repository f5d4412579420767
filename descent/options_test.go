package descent_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/descent"
	"tengen/game"
	"tengen/search"
)

// dice is a maze with chance, hidden a maze with hidden information; bare has neither a score
// nor a ply limit, and odd has a score of empty range.
type (
	dice   struct{ maze }
	hidden struct{ maze }
	bare   struct{ game.Game }
	odd    struct{ maze }
)

func (*dice) HasChance() bool            { return true }
func (*dice) Name() string               { return "dice" }
func (*hidden) Name() string             { return "hidden" }
func (g *hidden) NewState() game.State   { return &hiddenState{mazeState{g: &g.maze}} }
func (bare) Name() string                { return "bare" }
func (bare) NewState() game.State        { return struct{ game.State }{} }
func (*odd) Name() string                { return "odd" }
func (*odd) ScoreBounds() (l, h float64) { return 2, 2 }

type hiddenState struct{ mazeState }

func (*hiddenState) Determinize(*rand.Rand, game.Player)    {}
func (*hiddenState) InformationStateKey(game.Player) uint64 { return 0 }

func TestCheck(t *testing.T) {
	plain := maze{players: 2, actions: 3, levels: 4, skip: 1, steps: 1}
	budget := descent.Options{Iterations: 1}
	with := func(change func(*descent.Options)) descent.Options {
		o := budget
		change(&o)
		return o
	}
	for _, test := range []struct {
		g    game.Game
		o    descent.Options
		want string // in the error, all of these; none where there is to be none
	}{
		{&plain, budget, ""},
		{&plain, descent.Options{Time: time.Second}, ""},
		{
			&plain, with(func(o *descent.Options) {
				o.Terminal = descent.Terminal{Result: true, Score: true, Depth: true}
			}), "",
		},
		{bare{&plain}, budget, ""},
		{&dice{plain}, budget, "dice chance"},
		{&hidden{plain}, budget, "hidden information"},
		{bare{&plain}, with(func(o *descent.Options) { o.Terminal.Score = true }),
			"bare game.Scored score"},
		{bare{&plain}, with(func(o *descent.Options) { o.Terminal.Depth = true }),
			"bare game.Limited result+depth"},
		{&odd{plain}, with(func(o *descent.Options) { o.Terminal.Score = true }),
			"odd scores from 2 to 2"},
		{&plain, descent.Options{}, "budget"},
		{&plain, descent.Options{Iterations: -1}, "iterations is -1"},
		{&plain, descent.Options{Iterations: 1 << 24}, ""},
		{&plain, descent.Options{Iterations: 1<<24 + 1}, "iterations is 16777217"},
		{&plain, descent.Options{Time: -time.Second}, "time is -1s"},
		{&plain, with(func(o *descent.Options) { o.MaxNodes = -1 }), "max nodes is -1"},
		{&plain, with(func(o *descent.Options) { o.MaxNodes = 1 << 27 }), ""},
		{&plain, with(func(o *descent.Options) { o.MaxNodes = 1<<27 + 1 }),
			"max nodes is 134217729"},
	} {
		err := descent.Check(test.g, test.o)
		if (err == nil) != (test.want == "") {
			t.Errorf("%s, %+v: the error is %v", test.g.Name(), test.o, err)
			continue
		}
		if err == nil {
			descent.New(test.g, test.o, nil)
			continue
		}
		for _, part := range strings.Fields(test.want) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s, %+v: the error is %q, in which %q is missing",
					test.g.Name(), test.o, err, part)
			}
		}
		if !panics(func() { descent.New(test.g, test.o, nil) }) {
			t.Errorf("%s, %+v: New does not panic", test.g.Name(), test.o)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func TestParseTerminal(t *testing.T) {
	for text, want := range map[string]string{
		"result": "result", "score": "score", "depth": "result+depth",
		"result+score": "result+score",
		"score+result": "result+score", "depth+score": "score+depth",
		"result + depth":     "result+depth",
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

// played returns the state after actions.
func played(name string, actions ...game.Action) (game.Game, game.State) {
	g := game.Must(game.New(name))
	s := g.NewState()
	for _, a := range actions {
		s.Apply(a)
	}
	return g, s
}

// TestEvaluate compares with values computed by hand.
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
		{"tictactoe:players=3", []game.Action{0, 3, 6, 1, 4, 7, 2}, "depth",
			7, []float64{1.0/3 + 2.0/3*0.3, 1.0/3 - 0.1, 1.0/3 - 0.1}},
		// One row of three: Black has all. The passes are plies, of at most 18.
		{"go:rows=1,columns=3,players=3", []game.Action{1, 3, 3, 3}, "result",
			4, []float64{1, 0, 0}},
		{"go:rows=1,columns=3,players=3", []game.Action{1, 3, 3, 3}, "score+depth",
			4, []float64{1.0/3 + 2.0/3*15/19, 1.0/3 - 5.0/19, 1.0/3 - 5.0/19}},
		// Komi: scores 3, 1/2 of -1 to 3 + 1/2.
		{"go:rows=1,columns=3,players=2,komi=[-1,0.5],reward=win", []game.Action{1, 3, 3}, "result",
			3, []float64{1, 0}},
		{"go:rows=1,columns=3,players=2,komi=[-1,0.5],reward=win", []game.Action{1, 3, 3}, "score",
			3, []float64{3 / 4.5, 1.5 / 4.5}},
		{"go:rows=1,columns=3,players=2,komi=[-1,0.5],reward=win",
			[]game.Action{1, 3, 3}, "result+score", 3, []float64{(1 + 3/4.5) / 2, 0.5 / 3}},
	} {
		g, s := played(test.game, test.actions...)
		if s.CurrentPlayer() != game.Nobody {
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
				t.Errorf("%s after %v: %s is %v, not %v",
					test.game, test.actions, test.text, got, test.want)
				break
			}
		}
	}
}

// TestEvaluateOrder: with depth, quicker wins and slower losses are better, and all wins are
// better than all losses, for any game.
func TestEvaluateOrder(t *testing.T) {
	for _, name := range []string{"tictactoe", "tictactoe:players=3"} {
		g, s := played(name,
			map[string][]game.Action{
				"tictactoe": {0, 3, 1, 4, 2}, "tictactoe:players=3": {0, 3, 6, 1, 4, 7, 2},
			}[name]...)
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

// TestDepthPrefersQuickWins searches a position with an immediate win and later ones, and one
// that is lost, immediately or later.
func TestDepthPrefersQuickWins(t *testing.T) {
	for i := range uint64(40) {
		o := descent.Options{
			BestFirst: i%2 == 1, Iterations: 10_000, Terminal: descent.Terminal{Depth: true},
		}
		resolve := func(actions ...game.Action) (*descent.Tree, []float32) {
			g, s := played("tictactoe", actions...)
			tree := descent.New(g, o, newRand(i))
			tree.StartAfter(s, len(actions))
			search.Run(tree, newHashed(g, i, 0))
			v := make([]float32, 2)
			if tree.Value(v); !tree.Resolved() {
				t.Fatalf("after %v: %+v", actions, tree.Stats())
			}
			return tree, v
		}
		// X completes a row at 2, at ply 5 of 9; a double threat wins too, later.
		tree, v := resolve(0, 3, 1, 4)
		if a := tree.Best(); a != 2 || !slices.Equal(v, []float32{0.75, 0.25}) {
			t.Errorf("action %d is best, with the value %v", a, v)
		}
		// X threatens 8. If O blocks there, X makes two threats at once and wins
		// at ply 7 or, played badly, 9; else at ply 5.
		tree, v = resolve(0, 1, 4)
		if a := tree.Best(); a != 8 || v[1] < 0.5-0.5*(1-7.0/10)-1e-6 || v[1] > 0.5 {
			t.Errorf("action %d is best, with the value %v", a, v)
		}
	}
}
