package player

import (
	"strings"
	"testing"

	"tengen/game"
	_ "tengen/game/connectfour"
	_ "tengen/game/mnk"
	"tengen/internal/random"
)

func TestSolverNames(t *testing.T) {
	g := game.Must(game.New("connect-four:rows=4,columns=4"))
	for _, c := range []struct{ text, name, fails string }{
		{text: "solver", name: "solver"},
		{text: "solver:tt=64,ties=random", name: "solver"},
		{text: "solver:tt=8,ties=first", name: "solver:tt=8,ties=first"},
		{text: "solver:tt=0", fails: "tt=0"},
		{text: "solver:ties=last", fails: "ties=last"},
	} {
		p, err := Parse(g, c.text)
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: the error is %v; want %q", c.text, err, c.fails)
			}
		case err != nil:
			t.Errorf("%s: %v", c.text, err)
		case p.Name() != c.name:
			t.Errorf("%s has the name %s; want %s", c.text, p.Name(), c.name)
		}
	}
	for name, want := range map[string]string{
		"tictactoe":              "has no solver",
		"connect-four:players=3": "only the game for two players",
	} {
		if _, err := Parse(game.Must(game.New(name)), "solver"); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v; want %q", name, err, want)
		}
	}
}

// Against itself the solver follows the line that it announces, and ends with the value and the
// length of its first analysis; equal actions are all played.
func TestSolverPlaysPerfectly(t *testing.T) {
	g := game.Must(game.New("connect-four:rows=4,columns=5"))
	p, err := Parse(g, "solver:tt=1")
	if err != nil {
		t.Fatal(err)
	}
	agent := p.NewAgent(g)
	first := map[game.Action]int{}
	for i := range uint64(12) {
		agent.Begin(random.New(1, random.Test, 34, i))
		s := g.NewState()
		s.Apply(game.Action(i % 5))
		value, plies := [2]float32{}, 0
		for n := 0; s.CurrentPlayer() != game.Nobody; n++ {
			if len(s.LegalActions(nil)) == 1 {
				s.Apply(s.LegalActions(nil)[0])
				continue
			}
			a, err := Decide(agent, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			analysis := agent.(Analyzer).Analysis()
			if !analysis.Exact || analysis.PrincipalVariation[0] != a {
				t.Fatalf("%+v of %d", analysis, a)
			}
			if n == 0 {
				first[a]++
				copy(value[:], analysis.Value)
				plies = len(analysis.PrincipalVariation)
				if analysis.Turns != plies {
					t.Errorf("%d plies are announced, in a line of %d", analysis.Turns, plies)
				}
			}
			s.Apply(a)
		}
		var result [2]float32
		s.Returns(result[:])
		if turn := s.(game.Turned).Turn(); result != value || turn != 1+plies {
			t.Errorf("game %d ends after %d with %v; announced %v after %d",
				i, turn, result, value, 1+plies)
		}
	}
	if len(first) < 2 {
		t.Errorf("the first actions are %v", first)
	}
}

// The solver wins or draws what can be won or drawn, against random play.
func TestSolverBeatsRandom(t *testing.T) {
	g := game.Must(game.New("connect-four"))
	p, err := Parse(g, "solver:ties=first,tt=4")
	if err != nil {
		t.Fatal(err)
	}
	agent := p.NewAgent(g)
	for i := range uint64(4) {
		rng := random.New(1, random.Test, 35, i)
		agent.Begin(rng)
		s := g.NewState()
		seat := game.Nobody
		least := float32(0)
		for n := 0; s.CurrentPlayer() != game.Nobody; n++ {
			legal := s.LegalActions(nil)
			if n < 16 || s.CurrentPlayer() != seat {
				if n == 16 {
					seat = s.CurrentPlayer()
				} else {
					s.Apply(legal[rng.IntN(len(legal))])
					continue
				}
			}
			a, _ := Decide(agent, s, nil)
			var value [2]float32
			agent.(Searching).Result().Value(value[:])
			if value[seat] < least {
				t.Fatalf("game %d: the value falls from %v to %v", i, least, value[seat])
			}
			least = value[seat]
			s.Apply(a)
		}
		var result [2]float32
		if s.Returns(result[:]); seat >= 0 && result[seat] < least {
			t.Errorf("game %d: the solver gets %v of %v", i, result[seat], least)
		}
	}
}
