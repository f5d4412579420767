package minimax

import (
	"testing"

	"tengen/game"
	_ "tengen/game/goban"
	_ "tengen/game/mnk"
	_ "tengen/game/tcg"
	"tengen/internal/random"
)

// toy is a heuristic for boards of cells, with a weight for each cell.
func toy(g game.Game) game.Heuristic {
	return game.Heuristic{Name: "toy", Low: -1000, High: 1000, Value: func(
		s game.State, p game.Player,
	) float64 {
		if s.CurrentPlayer() == game.Nobody {
			utilities := make([]float32, g.Players())
			s.Returns(utilities)
			return 2000*float64(utilities[p]) - 1000
		}
		v := float64(s.Hash()%19) - 9
		if p != 0 {
			v = -v
		}
		return v
	}}
}

// TestGames compares pruned with plain search in the games of this module.
func TestGames(t *testing.T) {
	rng := random.New(1, random.Test, 20)
	for _, name := range []string{
		"tictactoe", "mnk:rows=4,columns=4,in_row=3", "tictactoe:players=3", "go:size=2,players=2",
		"go:size=3,players=2,komi=[0,0.5]", "go:size=2,players=3",
	} {
		g := game.Must(game.New(name))
		for _, h := range append(game.Heuristics(g), toy(g)) {
			for range 12 {
				s := wander(g, rng, 8)
				depth := 1 + rng.IntN(3)
				want := searcher(t, g, Options{Heuristic: h, Depth: depth}).Search(s)
				got := searcher(t, g, Options{
					Heuristic: h, Depth: depth, Prune: true, Star: 2, Table: 1 << 16,
				}).Search(s)
				if got.Action != want.Action || got.Value != want.Value {
					t.Errorf("%s, %s, depth %d: pruned %d (%v), plain %d (%v)",
						name, h.Name, depth, got.Action, got.Value, want.Action, want.Value)
				}
				if g.Players() > 2 {
					continue
				}
				// With two players whose values have a constant sum, all opponent models are
				// equal.
				for _, rule := range []Opponents{MaxN, BestReply} {
					other := searcher(t, g, Options{
						Heuristic: h, Depth: depth, Opponents: rule, Prune: true,
					}).Search(s)
					if other.Action != want.Action || other.Value != want.Value {
						t.Errorf("%s, %s, depth %d: %v %d (%v), minimax %d (%v)", name, h.Name,
							depth, rule, other.Action, other.Value, want.Action, want.Value)
					}
				}
			}
		}
	}
}

// TestExact: searched to the end, games have their known values. Tic-tac-toe is a draw; the
// only answer to a corner is the centre.
func TestExact(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, o := range []Options{
		{Prune: true, Table: 1 << 20},
		{Table: 1 << 20},
		{Opponents: MaxN, Table: 1 << 20},
		{Depth: 9, Prune: true, Table: 1 << 20, Direct: true},
	} {
		s := g.NewState()
		r := searcher(t, g, o).Search(s)
		if r.Value != 0.5 || !r.Complete || r.Action != 0 {
			t.Errorf("%+v: tic-tac-toe has value %v, complete %v, action %d",
				o, r.Value, r.Complete, r.Action)
		}
		s.Apply(0)
		r = searcher(t, g, o).Search(s)
		if r.Value != 0.5 || r.Action != 4 {
			t.Errorf("%+v: the corner is answered by %d of value %v", o, r.Action, r.Value)
		}
		s.Apply(1)
		if r = searcher(t, g, o).Search(s); r.Value != 1 {
			t.Errorf("%+v: after the mistake, the value is %v", o, r.Value)
		}
	}
}

// A search to depth 1 ends on crowded fields, pruned or at full width: each turn of 21 cards
// against 21 has more ends than can be visited.
func TestCrowdedFields(t *testing.T) {
	const field = "2/2/2 3/3/3 4/4/4 4/0/3 2/4/2 0/0/7 4/1/0 1/1/2 3/2/2 1/1/5 6/0/0 3/3/2 4/0/4 2/4/1 5/1/0 1/0/3 0/4/4 4/4/0 3/3/0 1/3/3 4/1/1"
	for _, name := range []string{"tcg", "tcg:order=newest"} {
		g := game.Must(game.New(name))
		for _, at := range []string{
			"30 First place", "30 First act 5", "398 First act 5", "399 Second place",
		} {
			s, err := g.(game.Positioned).ParsePosition("turn " + at +
				" | 900 hand 1/1/1 removal field " + field + " deck - | 900 hand 1/1/1 field " +
				field + " deck -")
			if err != nil {
				t.Fatal(err)
			}
			want := searcher(t, g, Options{Depth: 1}).Search(s)
			got := searcher(t, g, Options{Depth: 1, Prune: true, Star: 2, Table: 1 << 16}).Search(s)
			if got.Action != want.Action || got.Value != want.Value {
				t.Errorf("%s, turn %s: pruned %d (%v), plain %d (%v)",
					name, at, got.Action, got.Value, want.Action, want.Value)
			}
		}
	}
}
