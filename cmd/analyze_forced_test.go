package cmd

import (
	"math/rand/v2"
	"strings"
	"testing"

	"tengen/game"
	"tengen/player"
)

// TestAnalyzeForced: where a single move is legal, the analysis has values and that move, for each
// kind of player that searches.
func TestAnalyzeForced(t *testing.T) {
	tried := map[string]int{}
	for _, c := range []struct{ game, players string }{
		{"tictactoe", "uct:simulations=20 alphabeta minimax:depth=1"},
		{"connect-four",
			"uct:simulations=20,proofs=true az:connect-four-gumbel,simulations=20 solver"},
		{"go:size=3,players=3", "uct:simulations=20"},
		{"go:size=5,players=3", "az:go-5x5x3,simulations=20 ubfm:go-5x5x3-descent,iterations=20 descent:go-5x5x3-descent,iterations=20"},
		{"go:size=5,players=2,pass=free", "az:go-5x5x2,simulations=20,leaves=4"},
		{"turtle:players=2",
			"uct:simulations=20 az:turtle,simulations=20 alphabeta:strategy=hybrid"},
		{"tcg", "uct:simulations=20 az:tcg,simulations=20 expectiminimax:depth=2 uct:simulations=20,rm=true"},
		{"backgammon:checkers=3", "uct:simulations=20 az:hypergammon-td,simulations=20"},
		{"kuhn", "uct:simulations=20"},
	} {
		g := game.Must(game.New(c.game))
		for _, s := range forcedPositions(g, 3) {
			for _, text := range strings.Fields(c.players) {
				p, err := player.Parse(g, text)
				if err != nil {
					t.Fatal(err)
				}
				a := &positionReport{game: g, state: s, player: p}
				if err := a.check(); err != nil {
					t.Fatalf("%s, %s: %v", g.Name(), text, err)
				}
				if err := a.think(t.Context(), 1); err != nil {
					t.Fatalf("%s, %s: %v", g.Name(), text, err)
				}
				only := game.ActionName(g, s, s.LegalActions(nil)[0])
				if a.Analysis == nil || len(a.Value) != g.Players() || len(a.Moves) != 1 ||
					a.Moves[0].Move != only || a.Decision != only {
					t.Errorf("%s, %s, %s is forced: %+v", g.Name(), text, only, a.Analysis)
				}
				tried[c.game]++
			}
		}
	}
	if len(tried) < 6 {
		t.Errorf("forced moves are found in %v alone", tried)
	}
}

// forcedPositions returns up to n positions of random games in which a player has one legal move.
func forcedPositions(g game.Game, n int) (list []game.State) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		r := game.NewReplayer(g)
		for r.State().CurrentPlayer() != game.Nobody && len(list) < n {
			if r.State().CurrentPlayer() == game.Chance {
				r.Apply(r.State().(game.Chancer).Sample(rng))
				continue
			}
			legal := r.LegalActions()
			if len(legal) == 1 {
				s := g.NewState()
				s.CopyFrom(r.State())
				list = append(list, s)
			}
			r.Apply(legal[rng.IntN(len(legal))])
		}
	}
	return list
}
