package player

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/turtle"
	"tengen/internal/stream"
	"tengen/search"
)

// spy is a player whose seats note the positions that they are given, and pass by lot.
type spy struct {
	Random
	seen *[]string
}

func (s spy) NewAgent(g game.Game) Agent { return spySeat{s.Random.NewAgent(g), s.seen} }

type spySeat struct {
	Agent
	seen *[]string
}

func (s spySeat) Think(state game.State, requests search.Requests) (game.Action, bool) {
	_, hidden := state.(game.ImperfectInformation)
	if hidden {
		*s.seen = append(*s.seen, "hidden")
	} else {
		*s.seen = append(*s.seen, state.(interface{ Position() string }).Position())
	}
	return s.Agent.Think(state, requests)
}

// An open player is given the true position, with nothing hidden; others in the same
// game are not.
func TestOpenSeesTheTruth(t *testing.T) {
	g := game.Must(game.New("turtle"))
	open := game.Must(game.New("turtle:hands=open"))
	var seen, other []string
	chairs := []*ObservingAgent{
		NewObservingAgent((&Open{spy{seen: &seen}, open}).NewAgent(g), g),
		NewObservingAgent(spy{seen: &other}.NewAgent(g), g),
	}
	for number := range uint64(5) {
		s, rng := g.NewState(), stream.New(1, stream.Test, 80, number)
		for p, c := range chairs {
			c.Begin(1, number, game.Player(p))
		}
		for s.CurrentPlayer() != game.Nobody {
			var a game.Action
			if m := s.CurrentPlayer(); m == game.Chance {
				a = s.(game.Chancer).Sample(rng)
			} else {
				before := s.(*turtle.State).Position()
				a, _ = chairs[m].Think(s, nil)
				if m == 0 && seen[len(seen)-1] != before {
					t.Fatalf("shown is %q, where %q is true", seen[len(seen)-1], before)
				}
			}
			for _, c := range chairs {
				c.Played(s, a)
			}
			s.Apply(a)
		}
	}
	if len(other) == 0 || other[0] != "hidden" {
		t.Errorf("the other player is shown %v", other)
	}
}

// An open player plays what the player within plays where hands are open.
func TestOpenPlaysAsWithOpenHands(t *testing.T) {
	hidden, open := game.Must(game.New("turtle:players=3")), game.Must(game.New("turtle:players=3,hands=open"))
	for _, text := range []string{"alphabeta:depth=2,strategy=hybrid,determinizations=3", "uct:simulations=60,utility=unit,rollout=fast,epsilon=0.1", "minimax:depth=2,opponents=maxn"} {
		p, err := Parse(hidden, text+",open=true")
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(open, text)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(p.Name(), ",open=true") {
			t.Errorf("the player is called %s", p.Name())
		}
		if again, err := Parse(hidden, p.Name()); err != nil || again.Name() != p.Name() {
			t.Errorf("%s is read as %v, %v", p.Name(), again, err)
		}
		for seed := range uint64(3) {
			s := dealt(hidden, seed)
			o, err := open.(positioned).ParsePosition(s.(*turtle.State).Position())
			if err != nil {
				t.Fatal(err)
			}
			one, two := p.NewAgent(hidden), q.NewAgent(open)
			one.Begin(stream.New(1, stream.Test, 81, seed))
			two.Begin(stream.New(1, stream.Test, 81, seed))
			if a, b := Decide(one, s, nil), Decide(two, o, nil); a != b {
				t.Errorf("%s plays %d, with open hands %d", p.Name(), a, b)
			}
			if v := one.(Analyzer).Analysis(); len(v.Moves) == 0 || len(v.Value) != 3 {
				t.Errorf("%s thinks %+v", p.Name(), v)
			}
			if turns := one.(Searching).Result().Stats().Turns; (turns > 0) == strings.HasPrefix(text, "uct") {
				t.Errorf("%s searches to a depth of %d turns", p.Name(), turns)
			}
		}
	}
}

func TestOpenIsRefused(t *testing.T) {
	for name, says := range map[string]string{
		"tictactoe": "open=true: ", "turtle:hands=open": "hides nothing", "tcg": "hides nothing",
	} {
		g := game.Must(game.New(name))
		if _, err := Parse(g, "uct:simulations=2,open=true"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Parse(g, "uct:simulations=2,open=false"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
