package gtp

import (
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/player"
)

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it does not come about", what)
		}
	}
}

// rests checks that the player does not search.
func (p *searcher) rests(t *testing.T, when string) {
	t.Helper()
	n := p.slices.Load()
	time.Sleep(20 * time.Millisecond)
	if m := p.slices.Load(); m != n {
		t.Errorf("%s it ponders", when)
	}
}

// A player ponders from its move on until the next one, whatever is asked meanwhile, or until
// it is stopped or analyses; and never without the option.
func TestPonder(t *testing.T) {
	p := newSearcher()
	s := serve(t, t.Context(), newScripted(t, p, true))
	ponders := func(when string) {
		t.Helper()
		n := p.slices.Load()
		waitFor(t, when, func() bool { return p.slices.Load() > n+2 })
	}
	p.rests(t, "before its first move")
	s.send("genmove b")
	s.want("= A5", "")
	ponders("after its move")
	s.send("time_left b 10 0\n\nname")
	s.want("=", "", "= Tengen", "")
	ponders("after other commands")
	s.send("play w C3")
	s.want("=", "")
	p.rests(t, "after the opponent's move")
	s.send("genmove b")
	s.want("= B5", "")
	ponders("after its second move")
	s.send("play w C3") // illegal
	s.want("? illegal move", "")
	p.rests(t, "after an illegal move")
	for _, command := range []string{"stop", "undo", "clear_board", "komi 3", "kata-analyze"} {
		s.send("genmove")
		s.want("? syntax error: genmove takes one argument, not 0", "")
		s.send("genmove w")
		s.line()
		s.want("")
		ponders("after another move")
		s.send(command)
		s.want("=")
		s.send("")
		s.want("")
		p.rests(t, "after "+command)
	}
	if err := s.end(); err != nil {
		t.Error(err)
	}

	p = newSearcher()
	s = serve(t, t.Context(), newScripted(t, p, false))
	s.send("genmove b")
	s.want("= A5", "")
	p.rests(t, "without the option")
	if err := s.end(); err != nil {
		t.Error(err)
	}

	// A full tree ends it, and so does the end of the game.
	p = newSearcher()
	p.most = 3
	s = serve(t, t.Context(), newScripted(t, p, true))
	s.send("genmove b")
	s.want("= A5", "")
	waitFor(t, "a full tree", func() bool { return p.slices.Load() >= 3 })
	p.rests(t, "with a full tree")
	if err := s.end(); err != nil {
		t.Error(err)
	}
	if _, err := NewEngine(Config{
		Player: newLowest(), Game: game.Must(game.New(five)), Ponder: true,
	}); err == nil || !strings.Contains(err.Error(), "can't ponder") {
		t.Errorf("a player without a search: %v", err)
	}
}

// What is found by pondering counts at the next move: the tree below the opponent's move is kept.
func TestPonderCounts(t *testing.T) {
	for _, name := range []string{
		"uct:simulations=50,utility=unit,reuse=true", "az:go-5x5x2,simulations=50",
	} {
		g := game.Must(game.New(five))
		p, err := player.Parse(g, name)
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewEngine(Config{Player: p, Game: g, Ponder: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.GenMove(0); err != nil {
			t.Fatal(err)
		}
		reply, below := game.NoAction, 0
		for below < 200 {
			e.ponder()
			result := e.agent.(player.Searching).Result()
			reply = result.Best()
			for _, c := range result.Children(nil) {
				if c.Action == reply {
					below = c.Visits
				}
			}
		}
		if err := e.Play(1, reply); err != nil {
			t.Fatal(err)
		}
		seen := 0
		e.config.OnMove = func(_ game.Game, _ game.State, v player.Analysis) {
			for _, m := range v.Moves {
				seen += m.Visits
			}
		}
		if _, err := e.GenMove(0); err != nil {
			t.Fatal(err)
		}
		if seen < below {
			t.Errorf("%s: the reply had %d visits, then the move %d", name, below, seen)
		}
	}
}

// GoGui's answers: commands of its form, and a search drawn on the board.
func TestGoGui(t *testing.T) {
	e := newUCT(t)
	got := say(t, e, "gogui-analyze_commands\n")
	for _, line := range strings.Split(strings.TrimSpace(strings.TrimPrefix(got, "= ")), "\n") {
		if parts := strings.Split(line, "/"); len(parts) != 3 ||
			!e.known(strings.Fields(parts[2])[0]) {
			t.Errorf("%q", line)
		}
	}
	got = say(t, e, "play b C3\ntengen-search w\n")
	list := strings.Split(strings.TrimPrefix(got, "=\n\n= "), "\n")
	if len(list) != 5 || !strings.HasPrefix(list[0], "VAR w ") ||
		!strings.HasPrefix(list[1], "LABEL ") ||
		!strings.HasPrefix(list[2], "TEXT White: ") ||
		!strings.HasSuffix(list[2], " points, 1000 visits") {
		t.Errorf("%q", got)
	}
	hash := e.State().Hash()
	say(t, e, "tengen-search b\n")
	if e.State().Hash() != hash {
		t.Error("the position has changed")
	}
	if got := say(t, e, "tengen-search green\n"); !answers(strings.TrimSpace(got),
		"? syntax error") {
		t.Errorf("%q", got)
	}
}

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
