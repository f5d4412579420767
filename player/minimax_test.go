package player

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/internal/random"
)

func TestMinimaxNames(t *testing.T) {
	go3, two := game.Must(game.New(small)), game.Must(game.New("tictactoe"))
	for _, c := range []struct {
		g          game.Game
		text, want string
	}{
		{two, "minimax", "minimax:depth=3,strategy=result"},
		{two, "minimax:tt=4,depth=2,ties=first", "minimax:depth=2,strategy=result,ties=first,tt=4"},
		{two, "alphabeta:time=250ms", "alphabeta:time=250ms,strategy=result"},
		{two, "alphabeta:nodes=1000", "alphabeta:nodes=1000,strategy=result"},
		{two, "alphabeta:nodes=1000,depth=3,tt=0",
			"alphabeta:depth=3,nodes=1000,strategy=result,tt=0"},
		{two, "expectiminimax:star=1,time=1s,depth=4",
			"expectiminimax:depth=4,time=1s,strategy=result,star=1"},
		{two, "expectiminimax:prune=false", "expectiminimax:depth=3,strategy=result,prune=false"},
		{go3, "alphabeta", "alphabeta:depth=3,strategy=score,opponents=paranoid"},
		{go3, "minimax:opponents=maxn,strategy=result",
			"minimax:depth=3,strategy=result,opponents=maxn"},
		{go3, "alphabeta:opponents=brs", "alphabeta:depth=3,strategy=score,opponents=brs"},
	} {
		p, err := Parse(c.g, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if p.Name() != c.want {
			t.Errorf("%s: is called %s, want %s", c.text, p.Name(), c.want)
		}
		if again, err := Parse(c.g, p.Name()); err != nil || again.Name() != p.Name() {
			t.Errorf("%s does not read back: %v", p.Name(), err)
		}
		if IsTimed(p) != strings.Contains(c.want, "time=") {
			t.Errorf("%s: timed %v", c.text, IsTimed(p))
		}
	}
}

func TestMinimaxRefuses(t *testing.T) {
	g := game.Must(game.New(small))
	for text, say := range map[string]string{
		"minimax:depth=0":          "a whole number from 1",
		"minimax:depth=20000":      "from 1 to 10000",
		"minimax:nodes=0":          "a whole number from 1",
		"minimax:strategy=fast":    `has no heuristic called "fast"; it has score, result`,
		"minimax:opponents=kind":   "paranoid, maxn, brs",
		"alphabeta:opponents=maxn": "minimax:opponents=maxn",
		"minimax:star=1":           `minimax has no key "star"`,
		"expectiminimax:star=3":    "a whole number from 0 to 2",
		"minimax:ties=last":        "random, first",
		"minimax:ties=attack":      "random, first",
		"minimax:tt=-1":            "a whole number from 0",
		"alphabta":                 `did you mean "alphabeta"`,
	} {
		if _, err := Parse(g, text); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want an error with %s", text, err, say)
		}
	}
}

func TestMinimaxPlaysWholeGames(t *testing.T) {
	playWholeGames(t, game.Must(game.New(small)), []string{
		"minimax:depth=1", "alphabeta:depth=3,opponents=brs,tt=1", "expectiminimax:nodes=300,tt=1",
	})
	playWholeGames(t, game.Must(game.New("tictactoe:players=3")), []string{
		"minimax:depth=2,opponents=maxn", "alphabeta:depth=3,tt=1,ties=first", "random",
	})
	playWholeGames(t, game.Must(game.New("tictactoe")),
		[]string{"alphabeta:depth=9,tt=1", "alphabeta:nodes=500,tt=1"})
}

// TestMinimaxAnalysis: a lost position is recognised as lost.
func TestMinimaxAnalysis(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	p, err := Parse(g, "alphabeta:depth=9,tt=1")
	if err != nil {
		t.Fatal(err)
	}
	s := g.NewState()
	for _, a := range []game.Action{0, 1, 4} { // X threatens 8 and, with 3 or 6, more
		s.Apply(a)
	}
	agent := p.NewAgent(g)
	agent.Begin(random.New(1, random.Test))
	Decide(agent, s, nil)
	v := agent.(Analyzer).Analysis()
	if v.Value[0] != 1 || v.Value[1] != 0 || !v.Exact {
		t.Errorf("the analysis is %+v", v)
	}
	if s := agent.(Searching).Result().Stats(); !s.Exact || s.Evaluations == 0 ||
		s.Nodes < s.Evaluations || s.Turns == 0 || s.Turns != v.Turns {
		t.Errorf("the search: %+v, its analysis: %+v", s, v)
	}
}
