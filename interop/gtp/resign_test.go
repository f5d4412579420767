package gtp

import (
	"strings"
	"testing"

	"tengen/game"
	"tengen/player"
)

// A player resigns at its third hopeless decision in a row, and plays no move then; one that is
// taken back does not count.
func TestResign(t *testing.T) {
	uct := player.UCT{Simulations: 40, C: 0.8, Utility: player.Unit}
	c := Config{
		Player: uct, Game: game.Must(game.New("go:size=5,players=2,pass=free,komi=[0,60]")),
		Resign: 0.1,
	}
	engine := func() *Engine {
		e, err := NewEngine(c)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := engine()
	for k, want := range []bool{false, false, true, true} {
		if got := say(t, e, "genmove b\n"); (got == "= resign\n\n") != want ||
			len(e.moves) != min(k+1, 2) {
			t.Errorf("decision %d: %q after %d moves", k, got, len(e.moves))
		}
		if want {
			e.hopeless[0] = 2 // for the next one
		}
	}
	if got := say(t, e, "genmove w\n"); strings.Contains(got, "resign") {
		t.Errorf("White resigns: %q", got)
	}
	e = engine()
	if got := say(t, e,
		"genmove b\ngenmove b\nundo\ngenmove b\ngenmove b\n"); strings.Contains(got, "resign") {
		t.Errorf("a move that was taken back counts: %q", got)
	}
	e = engine()
	if got := say(t, e,
		"genmove b\ngenmove b\nlz-genmove_analyze b 100000\n"); !strings.HasSuffix(got,
		"play resign\n\n") {
		t.Errorf("with an analysis: %q", got)
	}
	c.Resign = 0
	if got := say(t, engine(),
		"genmove b\ngenmove b\ngenmove b\ngenmove b\n"); strings.Contains(got, "resign") {
		t.Errorf("it resigns unasked: %q", got)
	}
	for resign, p := range map[float64]player.Player{0.6: uct, -1: uct, 0.1: player.Random{}} {
		c.Resign, c.Player = resign, p
		if _, err := NewEngine(c); err == nil {
			t.Errorf("%s resigns below %v", p.Name(), resign)
		}
	}
}

// A match in which the player resigns is lost for it.
func TestResignInMatch(t *testing.T) {
	m := newMatch("well")
	m.Player = player.UCT{Simulations: 40, C: 0.8, Utility: player.Unit}
	m.Game, m.Resign, m.Games = game.Must(game.New("go:size=5,players=2,pass=free,komi=[0,60]")),
		0.1, 2
	r, err := m.Play(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if g := r.Results[0]; g.Ended != EndedGivenUp || g.Score != "" || len(g.Moves) != 4 ||
		r.Black.Games != 1 || r.Black.Wins != 0 || r.Black.Void != 0 || r.Black.Margin.N != 0 {
		t.Errorf("as Black: %+v, %+v", g, r.Black)
	}
	if g := r.Results[1]; !g.Finished() || r.White.Wins != 1 {
		t.Errorf("as White: %+v, %+v", g, r.White)
	}
}
