package v1

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"tengen/internal/testkit"
	"tengen/web/internal/webtest"
)

// A long run answers as a short one does. The limits are of the processor's time, and far above
// what it takes, which is logged.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 games are not for short tests")
	}
	dir := webtest.MakeRun(t, webtest.Run{Game: "tictactoe", Iterations: 1000, Games: 100})
	var p *API
	var h http.Handler
	timed := func(what string, limit time.Duration, f func()) {
		t.Helper()
		_, took := testkit.Cost(f)
		t.Logf("%-42s %v", what, took.Round(100*time.Microsecond))
		if took > 4*limit {
			t.Errorf("%s takes %v", what, took)
		}
	}
	get := func(path string, v any) func() {
		return func() {
			t.Helper()
			w := webtest.Request(h, "GET", path, "", "Accept-Encoding: gzip")
			if w.Code != 200 {
				t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
			if size := w.Body.Len(); size > 150_000 {
				t.Errorf("%s sends %d bytes", path, size)
			}
			if v != nil && w.Header().Get("Content-Encoding") == "" {
				webtest.Must(t, json.Unmarshal(w.Body.Bytes(), v))
			}
		}
	}
	timed("the page itself", time.Second, func() {
		p = newAPI(t, Options{Folder: string(dir)})
		h = p.Handler()
	})
	timed("the head, for the first time", 2*time.Second, get("/api/v1/run", nil))
	timed("the head again", 500*time.Millisecond, get("/api/v1/run", nil))
	timed("all curves", time.Second, get("/api/v1/history", nil))
	timed("the newest games, for the first time", time.Second, get("/api/v1/games", nil))
	timed("the newest games again", 500*time.Millisecond, get("/api/v1/games", nil))
	timed("a game", 500*time.Millisecond, get("/api/v1/games/999.99", nil))
	timed("games a hundred iterations ago", time.Second, get("/api/v1/games?before=900.0", nil))
	timed("the first games of all, by number", 3*time.Second, get("/api/v1/games?number=7", nil))
	timed("the news", 500*time.Millisecond, func() { p.news() })

	// What was sent: at most as many points as are worth drawing, the last one among them.
	var curves struct {
		Iterations map[string][]*float64 `json:"iterations"`
	}
	w := webtest.Request(h, "GET", "/api/v1/history", "")
	webtest.Must(t, json.Unmarshal(w.Body.Bytes(), &curves))
	at := curves.Iterations["iteration"]
	if len(at) != maxPoints || *at[len(at)-1] != 1000 {
		t.Errorf("%d points, the last at %v", len(at), *at[len(at)-1])
	}
	var list struct {
		Games []gameView `json:"games"`
	}
	ask(t, p, "/api/v1/games", &list)
	if len(list.Games) != gamesPage || list.Games[0].Number != 99_999 {
		t.Errorf("%d games, the first number %d", len(list.Games), list.Games[0].Number)
	}
	// Of 100,000 games, the index holds the segments that somebody looked into.
	offsets := 0
	for _, s := range p.games.segments {
		offsets += len(s.offsets)
	}
	if offsets > 10*100 {
		t.Errorf("%d games are indexed", offsets)
	}
}
