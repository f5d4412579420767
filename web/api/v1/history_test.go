package v1

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tengen/internal/random"
	"tengen/internal/testkit"
	"tengen/run/runtest"
)

// What is told of the run is sent as it comes, under its names in the history.
func TestHistory(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", All: 5})
	p := newAPI(t, Options{Folder: string(dir)})
	type columns map[string][]*float64
	type curves struct {
		Version                          int
		Iterations, Evaluations, Ratings columns
	}
	x := func(x float64) *float64 { return &x }
	var got curves
	look := func(want curves) {
		t.Helper()
		got = curves{}
		ask(t, p, "/api/v1/history", &got)
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	tell := func(text string, args ...any) {
		t.Helper()
		f, err := os.OpenFile(dir.Events(), os.O_APPEND|os.O_WRONLY, 0)
		runtest.Must(t, err)
		_, err = fmt.Fprintf(f, text, args...)
		runtest.Must(t, err)
		runtest.Must(t, f.Close())
	}
	look(curves{2, columns{}, columns{}, columns{}})
	const line = `{"time":"2026-03-01T12:00:00Z","event":%q,"iteration":%d%s}` + "\n"
	tell(line, "iteration", 1, `,"games":10,"play_seconds":4,"losses":{"policy":1.23456789},"scores":[3,4],"held_out":null`)
	tell(line, "iteration", 2, `,"games":10,"losses":{"policy":null},"scores":[5,6]`)
	rest := `{"time":`
	tell("%s", rest)
	iterations := columns{
		"iteration": {x(1), x(2)}, "games": {x(10), x(10)}, "play_seconds": {x(4), nil},
		"losses/policy": {x(1.23457), nil},
		"scores/X":      {x(3), x(5)}, "scores/O": {x(4), x(6)},
		"rates/games_per_second": {x(2.5), nil},
	}
	look(curves{4, iterations, columns{}, columns{}})
	tell("%s", fmt.Sprintf(line, "evaluation", 2, `,"strength":{"points":[1,2],"ci95":[0.5,null],"rating":7,"rating_low":5,"rating_high":null}`)[len(rest):])
	evaluations := columns{
		"iteration": {x(2)}, "strength/points/X": {x(1)}, "strength/points/O": {x(2)},
		"strength/ci95/X": {x(0.5)},
		"strength/rating": {x(7)}, "strength/rating_low": {x(5)},
	}
	look(curves{
		5, iterations, evaluations,
		columns{"iteration": {x(2)}, "value": {x(7)}, "low": {x(5)}, "high": {nil}},
	})
	runtest.Must(t, os.WriteFile(dir.Ratings(),
		[]byte(`{"networks":[{"iteration":2,"rating":9,"rating_low":null,"rating_high":11}]}`),
		0o644))
	look(curves{
		5, iterations, evaluations,
		columns{"iteration": {x(2)}, "value": {x(9)}, "low": {nil}, "high": {x(11)}},
	})
}

// thin against its definition, row by row.
func TestThin(t *testing.T) {
	rng := random.New(3, random.Test)
	for _, rows := range []int{1, 5, 7, 20, 61, 100} {
		loss := make([]float64, rows)
		for i := range loss {
			if loss[i] = rng.NormFloat64(); rng.IntN(4) == 0 {
				loss[i] = math.NaN()
			}
		}
		const n = 7
		evaluations := rows%2 == 0
		iterations := thin(rows, n, true, evaluations, func(i int) float64 {
			return float64(i + 1)
		})
		means := thin(rows, n, false, evaluations, func(i int) float64 { return loss[i] })
		if len(iterations) != min(rows, n) || len(means) != min(rows, n) {
			t.Fatalf("%d rows become %d and %d", rows, len(iterations), len(means))
		}
		covered := 0
		for i, last := range iterations {
			sum, count := 0.0, 0
			for ; float64(covered) < last; covered++ {
				if x := loss[covered]; !math.IsNaN(x) {
					sum += x
					count++
				}
			}
			want := sum / float64(count)
			if x := means[i]; math.Abs(x-want) > 1e-12 || math.IsNaN(x) != math.IsNaN(want) {
				t.Errorf("%d rows, row %d: %v, want %v", rows, i, x, want)
			}
		}
		if covered != rows || evaluations && iterations[len(iterations)-2] != float64(rows-1) {
			t.Errorf("%d of %d rows are covered; %v", covered, rows, iterations)
		}
	}
}

// A long run answers as a short one does. The limits are of the processor's time, and far above
// what it takes, which is logged.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 games are not for short tests")
	}
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1000, Games: 100})
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
			w := runtest.Request(h, "GET", path, "", "Accept-Encoding: gzip")
			if w.Code != 200 {
				t.Fatalf("%s: %d %s", path, w.Code, w.Body)
			}
			if size := w.Body.Len(); size > 150_000 {
				t.Errorf("%s sends %d bytes", path, size)
			}
			if v != nil && w.Header().Get("Content-Encoding") == "" {
				runtest.Must(t, json.Unmarshal(w.Body.Bytes(), v))
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
	timed("a game", 500*time.Millisecond, get("/api/v1/games/99999", nil))
	timed("games a hundred iterations ago", time.Second, get("/api/v1/games?before=90000", nil))
	timed("the first games of all, by number", 3*time.Second, get("/api/v1/games?number=7", nil))
	timed("the news", 500*time.Millisecond, func() { p.news(t.Context()) })

	// What was sent: at most as many points as are worth drawing, the last one among them.
	var curves struct {
		Iterations map[string][]*float64 `json:"iterations"`
	}
	w := runtest.Request(h, "GET", "/api/v1/history", "")
	runtest.Must(t, json.Unmarshal(w.Body.Bytes(), &curves))
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
