package player

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/game/turtle"
	"tengen/internal/random"
)

// An open player plays what the inner player plays with open hands.
func TestOpenPlaysAsWithOpenHands(t *testing.T) {
	hidden, open := game.Must(game.New("turtle:players=3")),
		game.Must(game.New("turtle:players=3,hands=open"))
	for _, text := range []string{
		"alphabeta:depth=2,strategy=hybrid,determinizations=3",
		"uct:simulations=60,utility=unit,rollout=fast,epsilon=0.1",
		"minimax:depth=2,opponents=maxn",
	} {
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
			o, err := open.(game.Positioned).ParsePosition(s.(*turtle.State).Position())
			if err != nil {
				t.Fatal(err)
			}
			one, two := p.NewAgent(hidden), q.NewAgent(open)
			one.Begin(random.New(1, random.Test, 81, seed))
			two.Begin(random.New(1, random.Test, 81, seed))
			if a, b := must(Decide(one, s, nil)), must(Decide(two, o, nil)); a != b {
				t.Errorf("%s plays %d, with open hands %d", p.Name(), a, b)
			}
			if v := one.(Analyzer).Analysis(); len(v.Moves) == 0 || len(v.Value) != 3 {
				t.Errorf("%s thinks %+v", p.Name(), v)
			}
			if turns := one.(Searching).Result().Stats().Turns; (turns > 0) ==
				strings.HasPrefix(text, "uct") {
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
		if _, err := Parse(g, "uct:simulations=2,open=true"); err == nil ||
			!strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Parse(g, "uct:simulations=2,open=false"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
