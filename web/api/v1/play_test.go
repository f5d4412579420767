package v1

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tengen/arena"
	"tengen/game"
	"tengen/internal/testkit"
	"tengen/run/runtest"
	"tengen/web/board"
)

// post asks for a change, and reads the game that comes back.
func post(t *testing.T, h http.Handler, path, body string) *playView {
	t.Helper()
	w := runtest.Request(h, "POST", path, body)
	if w.Code != 200 {
		t.Fatalf("%s %s: %d %s", path, body, w.Code, w.Body)
	}
	v := &playView{}
	runtest.Must(t, json.Unmarshal(w.Body.Bytes(), v))
	return v
}

func seated(seats []string, simulations int) string {
	text, _ := json.Marshal(map[string]any{"seats": seats, "simulations": simulations})
	return string(text)
}

// playWhole plays a game to its end as the page does, persons taking the first
// legal action, and returns it put together from what the server sent.
func playWhole(t *testing.T, h http.Handler, seats []string) *playView {
	t.Helper()
	v := post(t, h, "/api/v1/play", seated(seats, 8))
	whole := *v
	for n := 0; ; n++ {
		if n > 1000 {
			t.Fatal("the game does not end")
		}
		path, body := "/step", "{}"
		switch {
		case v.Ready && len(v.Legal) == 0:
			whole.Scores, whole.Returns = v.Scores, v.Returns
			return &whole
		case v.Ready:
			path, body = "/move",
				fmt.Sprintf(`{"ply":%d,"action":%d}`, len(whole.Moves), v.Legal[0].Action)
		}
		v = post(t, h, fmt.Sprintf("/api/v1/play/%s%s?kept=%d",
			whole.ID, path, len(whole.Moves)), body)
		if v.From != len(whole.Moves) || len(v.Frames) != len(v.Moves) || v.Layout != nil {
			t.Fatalf("from %d: %d frames, %d moves, after %d moves",
				v.From, len(v.Frames), len(v.Moves), len(whole.Moves))
		}
		whole.Moves, whole.Frames = append(whole.Moves, v.Moves...),
			append(whole.Frames, v.Frames...)
	}
}

func TestPlay(t *testing.T) {
	for _, c := range []struct {
		game  string
		seats []string
	}{
		{"tictactoe", []string{"human", "network"}},
		{"tictactoe", []string{"network", "human"}},
		{"tictactoe:players=3", []string{"uct", "human", "random"}},
		{"go:size=3,players=3", []string{"network", "network", "uct"}},
		{"go:size=3,players=3", []string{"human", "human", "human"}},
	} {
		dir := runtest.MakeRun(t, runtest.Run{Game: c.game, Iterations: 1, Games: 1, Network: true})
		p := newAPI(t, Options{Folder: string(dir)})
		whole := playWhole(t, p.Handler(), c.seats)
		s := p.game.NewState()
		var frame board.Frame
		for k, m := range whole.Moves {
			frame = whole.Frames[k].Apply(frame)
			legal := s.LegalActions(nil)
			if !slices.Contains(legal, m.Action) || m.Mover != s.CurrentPlayer() {
				t.Fatalf("%s %v, ply %d: action %d of player %d",
					c.game, c.seats, k, m.Action, m.Mover)
			}
			if drawn := p.drawer.Draw(s, game.Nobody); len(drawn.Shapes) != len(frame.Shapes) {
				t.Fatalf("%s, ply %d: %d shapes, want %d",
					c.game, k, len(frame.Shapes), len(drawn.Shapes))
			}
			switch by := c.seats[m.Mover]; {
			case len(legal) == 1, by == "human", by == "random":
				if len(m.Visits) > 0 {
					t.Errorf("%s, ply %d: %s has visits", c.game, k, by)
				}
			default:
				visits := uint32(0)
				for i, n := range m.Visits {
					visits += n
					if len(m.Q[i]) != p.game.Players() || !slices.Contains(legal, m.Acted[i]) {
						t.Errorf("%s, ply %d: %v of action %d", c.game, k, m.Q[i], m.Acted[i])
					}
				}
				if visits < 7 || len(m.Value) != p.game.Players() || len(m.Line) == 0 {
					t.Errorf("%s, ply %d: %s made %d visits, values %v, line %v",
						c.game, k, by, visits, m.Value, m.Line)
				}
			}
			s.Apply(m.Action)
		}
		if s.CurrentPlayer() != game.Nobody || len(whole.Returns) != p.game.Players() {
			t.Errorf("%s %v: not over after %d moves", c.game, c.seats, len(whole.Moves))
		}
	}
}

func TestMovesThatAreRefused(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	h := newAPI(t, Options{Folder: string(dir)}).Handler()
	v := post(t, h, "/api/v1/play", seated([]string{"human", "random"}, 1))
	refuse := func(path, body, want string) {
		t.Helper()
		if w := runtest.Request(h, "POST", "/api/v1/play/"+v.ID+path, body); w.Code != 400 ||
			!strings.Contains(w.Body.String(), want) {
			t.Errorf("%s %s: %d %s", path, body, w.Code, w.Body)
		}
	}
	refuse("/undo", "{}", "no move of yours")
	refuse("/move", `{"ply":1,"action":4}`, "the game has gone on")
	refuse("/move", `{"ply":0,"action":9}`, "not legal")
	refuse("/move", `{"ply":0,"action":-1}`, "not legal")
	if again := post(t, h, "/api/v1/play/"+v.ID+"/step", "{}"); len(again.Moves) != 0 {
		t.Error("somebody moves for a person")
	}
	post(t, h, "/api/v1/play/"+v.ID+"/move", `{"ply":0,"action":4}`)
	refuse("/move", `{"ply":0,"action":4}`, "the game has gone on") // a click that was sent twice
	refuse("/move", `{"ply":1,"action":0}`, "not a person's turn")
	after := post(t, h, "/api/v1/play/"+v.ID+"/step?kept=1", "{}")
	if len(after.Moves) != 1 || !after.Ready {
		t.Errorf("%+v", after)
	}
	back := post(t, h, "/api/v1/play/"+v.ID+"/undo?kept=2", "{}")
	if back.From != 0 || len(back.Moves) != 0 || !back.Ready || back.Undo || len(back.Legal) != 9 {
		t.Errorf("after taking back: from %d, %d moves, %+v", back.From, len(back.Moves), back)
	}
	if w := runtest.Request(h, "DELETE", "/api/v1/play/"+v.ID, ""); w.Code != 204 {
		t.Errorf("the end: %d", w.Code)
	}
	if w := runtest.Request(h, "GET", "/api/v1/play/"+v.ID, ""); w.Code != 404 {
		t.Errorf("after the end: %d", w.Code)
	}
}

// A hint is a legal move, of the newest network or of UCT, and changes nothing.
func TestHints(t *testing.T) {
	for _, c := range []struct {
		game    string
		network bool
		by      string
	}{
		{"tictactoe", true, "network 1"},
		{"tictactoe", false, "UCT"},
		{"go:size=3,players=3", true, "network 1"},
		{"backgammon:checkers=3", true, "network 1"},
	} {
		dir := runtest.MakeRun(t, runtest.Run{
			Game: c.game, Iterations: 1, Games: 1, Network: c.network,
		})
		p := newAPI(t, Options{Folder: string(dir)})
		h := p.Handler()
		seats := make([]string, p.game.Players())
		for i := range seats {
			seats[i] = byPerson
		}
		v := post(t, h, "/api/v1/play", seated(seats, 8))
		for !v.Ready {
			v = post(t, h, "/api/v1/play/"+v.ID+"/step", "{}")
		}
		for range 2 {
			w := runtest.Request(h, "POST", "/api/v1/play/"+v.ID+"/hint", "{}")
			var hint hintView
			runtest.Must(t, json.Unmarshal(w.Body.Bytes(), &hint))
			if w.Code != 200 || hint.By != c.by || len(hint.Value) != p.game.Players() ||
				!slices.Contains(v.Legal, choice{hint.Action, hint.Name}) {
				t.Errorf("%s: %d %s", c.game, w.Code, w.Body)
			}
		}
		if after := post(t, h, "/api/v1/play/"+v.ID+"/step", "{}"); len(after.Moves) !=
			len(v.Moves) {
			t.Errorf("%s: a hint makes %d moves", c.game, len(after.Moves)-len(v.Moves))
		}
	}
}

func TestResigning(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	h := newAPI(t, Options{Folder: string(dir)}).Handler()
	v := post(t, h, "/api/v1/play", seated([]string{"random", "human"}, 1))
	path := "/api/v1/play/" + v.ID
	refuse := func(what, body, want string) {
		t.Helper()
		if w := runtest.Request(h, "POST", path+what, body); w.Code != 400 ||
			!strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", what, w.Code, w.Body)
		}
	}
	refuse("/resign", "{}", "not a person's turn")
	refuse("/hint", "{}", "not a person's turn")
	v = post(t, h, path+"/step", "{}")
	legal := len(v.Legal)
	v = post(t, h, path+"/resign", "{}")
	if v.Resigned == nil || *v.Resigned != 1 || !v.Ready || !v.Undo || len(v.Legal) > 0 {
		t.Errorf("after resigning: %+v", v)
	}
	refuse("/resign", "{}", "not a person's turn")
	refuse("/hint", "{}", "not a person's turn")
	refuse("/move", `{"ply":1,"action":0}`, "not a person's turn")
	if v = post(t, h, path+"/step", "{}"); len(v.Moves) != 1 || v.Resigned == nil {
		t.Errorf("after a step: %d moves, resigned %v", len(v.Moves), v.Resigned)
	}
	if v = post(t, h, path+"/undo", "{}"); v.Resigned != nil || len(v.Legal) != legal || v.Undo {
		t.Errorf("after taking it back: %+v", v)
	}
}

// A game is had as a file, from the page's play and from the log.
func TestGamesAsFiles(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 1, Games: 1, Network: true,
	})
	p := newAPI(t, Options{Folder: string(dir)})
	h := p.Handler()
	whole := playWhole(t, h, []string{"human", "network"})
	var logged struct {
		Games []gameView `json:"games"`
	}
	runtest.Must(t,
		json.Unmarshal(runtest.Request(h, "GET", "/api/v1/games", "").Body.Bytes(), &logged))
	for path, players := range map[string][]string{
		"/api/v1/play/" + whole.ID + "/record": {"human",
			"az:" + networkPath(p.models.dir, 1) + ",simulations=8"},
		"/api/v1/games/" + logged.Games[0].ID + "/record": nil,
	} {
		w := runtest.Request(h, "GET", path, "")
		files, damaged, err := arena.ReadRecords(w.Body.Bytes())
		if err != nil || len(files) != 1 || len(damaged) > 0 {
			t.Fatalf("%s: %d games, %v, %v", path, len(files), damaged, err)
		}
		f := files[0]
		runtest.Must(t, f.Replay(p.game, nil))
		if w.Code != 200 ||
			w.Header().Get("Content-Disposition") != `attachment; filename="game.json"` {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		if players != nil && !slices.Equal(f.Players, players) {
			t.Errorf("%s: players %q, want %q", path, f.Players, players)
		}
		replayer := game.NewReplayer(p.game)
		for i, a := range f.Actions {
			runtest.Must(t, replayer.Check(a))
			if name := game.ActionName(p.game, replayer.State(), a); name != f.Moves[i] {
				t.Errorf("%s: move %d is called %q, want %q", path, i, f.Moves[i], name)
			}
			replayer.Apply(a)
		}
		if replayer.State().CurrentPlayer() != game.Nobody || len(f.Returns) != 2 ||
			f.Game != p.game.Name() {
			t.Errorf("%s: %+v", path, f)
		}
	}
}

// Games are few, and end when nobody comes back.
func TestSessionsAreBounded(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	clock := runtest.NewClock(time.Second)
	p := newAPI(t, Options{Folder: string(dir), Now: clock.Now})
	o := setup{Seats: []string{"human", "human"}, Simulations: 1}
	first, err := p.sessions.begin(o)
	runtest.Must(t, err)
	second, err := p.sessions.begin(o)
	runtest.Must(t, err)
	for range maxSessions - 2 {
		_, err := p.sessions.begin(o)
		runtest.Must(t, err)
	}
	_, err = p.sessions.find(first.id) // used: the second one is the oldest now
	runtest.Must(t, err)
	_, err = p.sessions.begin(o)
	runtest.Must(t, err)
	if _, err := p.sessions.find(second.id); !errors.Is(err, errNoSession) {
		t.Errorf("the game that was used least recently: %v", err)
	}
	if _, err := p.sessions.find(first.id); err != nil || len(p.sessions.open) != maxSessions {
		t.Errorf("%d games; the first: %v", len(p.sessions.open), err)
	}
	clock.Pass(sessionIdle)
	if _, err := p.sessions.find(first.id); !errors.Is(err, errNoSession) ||
		len(p.sessions.open) > 0 {
		t.Errorf("%d games after a long while; the first: %v", len(p.sessions.open), err)
	}
}

// A request that ends while its player thinks leaves the game as it was.
func TestThinkingIsGivenUp(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "go:size=3,players=3", Iterations: 1, Games: 1, Network: true,
	})
	p := newAPI(t, Options{Folder: string(dir)})
	s, err := p.sessions.begin(setup{
		Seats: []string{"network", "network", "human"}, Simulations: 50,
	})
	runtest.Must(t, err)
	runtest.Must(t, p.sessions.step(t.Context(), s))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.sessions.step(ctx, s); !errors.Is(err, context.Canceled) ||
		len(s.recorder.record.Moves) != 1 {
		t.Fatalf("%v after %d moves", err, len(s.recorder.record.Moves))
	}
	runtest.Must(t, p.sessions.step(t.Context(), s))
	if len(s.recorder.record.Moves) != 2 {
		t.Errorf("%d moves", len(s.recorder.record.Moves))
	}
	// One search at a time: others wait as long as their requests last.
	release, err := p.sessions.wait(t.Context())
	runtest.Must(t, err)
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.sessions.wait(short); !errors.Is(err, errBusy) {
		t.Errorf("a second search: %v", err)
	}
	release()
	// A game answers one request at a time.
	s.mu.Lock()
	if w := runtest.Request(p.Handler(), "POST", "/api/v1/play/"+s.id+"/step",
		"{}"); w.Code != 409 {
		t.Errorf("a game that is busy: %d", w.Code)
	}
	s.mu.Unlock()
}

// TestMemoryOfGames: games that are begun, and games that wait, have no trees: only the one that
// searches has them, until it is not used for a while.
func TestMemoryOfGames(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "go:size=5,players=3", Iterations: 1, Games: 1, Network: true,
	})
	clock := runtest.NewClock(time.Microsecond)
	p := newAPI(t, Options{Folder: string(dir), Now: clock.Now})
	body := seated([]string{"network", "uct", "network"}, maxSimulations)
	post(t, p.Handler(), "/api/v1/play", body) // loads the network
	testkit.Bound{Bytes: 60 << 18, Time: 10 * time.Second}.Check(t, "60 games", 0, func() {
		for range 60 {
			post(t, p.Handler(), "/api/v1/play", body)
		}
	})
	s, err := p.sessions.begin(setup{
		Seats: []string{"network", "uct", "network"}, Simulations: maxSimulations,
	})
	runtest.Must(t, err)
	testkit.Bound{
		Bytes: 4 << 20, Time: 10 * time.Second,
	}.Check(t, "a game that has trees and has not searched", 0, func() {
		runtest.Must(t, p.sessions.wake(s))
	})
	var games []*session
	for range maxSessions {
		s, err := p.sessions.begin(setup{
			Seats: []string{"network", "uct", "network"}, Simulations: 8,
		})
		runtest.Must(t, err)
		games = append(games, s)
	}
	awake := func() (n int) {
		for _, s := range games {
			if s.awake {
				n++
			}
		}
		return n
	}
	for ply := range 6 {
		for _, s := range games {
			s.mu.Lock()
			runtest.Must(t, p.sessions.step(t.Context(), s))
			s.mu.Unlock()
			if !s.awake || awake() != 1 || len(s.recorder.record.Moves) != ply+1 {
				t.Fatalf("ply %d: %d games are awake, %d moves",
					ply, awake(), len(s.recorder.record.Moves))
			}
		}
	}
	p.sessions.tick()
	if awake() != 1 {
		t.Errorf("%d games are awake while one is used", awake())
	}
	clock.Pass(treeIdle)
	p.sessions.tick()
	if awake() != 0 || len(p.sessions.awake) != 0 {
		t.Errorf("%d games are awake a minute later", awake())
	}
	// Where another request waits to search, a game rests at once.
	s = games[0]
	s.mu.Lock()
	p.sessions.searches.waiting.Add(1)
	runtest.Must(t, p.sessions.step(t.Context(), s))
	p.sessions.searches.waiting.Add(-1)
	s.mu.Unlock()
	if s.awake {
		t.Error("a game keeps its trees while another waits")
	}
	clock.Pass(2 * sessionIdle)
	p.sessions.tick()
	if len(p.sessions.open) != 0 {
		t.Errorf("%d games are open though no request came", len(p.sessions.open))
	}
}
