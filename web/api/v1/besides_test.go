package v1

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"tengen/game"
	"tengen/internal/machine"
	"tengen/run"
	"tengen/run/runtest"
)

// TestNotes: notes are kept in the run's folder, and nobody overwrites what it has not seen.
func TestNotes(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	h := newAPI(t, Options{Folder: string(dir)}).Handler()
	ask := func(method, body string, status int) (n run.Notes) {
		t.Helper()
		w := runtest.Request(h, method, "/api/v1/notes", body)
		if w.Code != status {
			t.Fatalf("%s %s: %d, want %d: %s", method, body, w.Code, status, w.Body)
		}
		if status == 200 {
			runtest.Must(t, json.Unmarshal(w.Body.Bytes(), &n))
		}
		return n
	}
	if n := ask("GET", "", 200); n != (run.Notes{}) {
		t.Errorf("before: %+v", n)
	}
	written := ask("PUT", `{"text":"<b>larger</b>","version":""}`, 200)
	if n := ask("GET", "", 200); n != written || n.Text != "<b>larger</b>" {
		t.Errorf("after: %+v, want %+v", n, written)
	}
	ask("PUT", `{"text":"mine","version":""}`, 409)
	ask("PUT", `{"text":"a\u0000b","version":"`+written.Version+`"}`, 400)
	ask("PUT", `{"text":1}`, 400)
	if text, err := os.ReadFile(dir.Notes()); err != nil || string(text) != written.Text {
		t.Errorf("in the folder: %q, %v", text, err)
	}
	runtest.Must(t, os.Remove(dir.Config()))
	ask("PUT", `{"text":"x","version":"`+written.Version+`"}`, 409)
}

// TestLog: the log goes back event by event, whatever stands in it.
func TestLog(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 700, Games: 0})
	f, err := os.OpenFile(dir.Events(), os.O_APPEND|os.O_WRONLY, 0)
	runtest.Must(t, err)
	_, err = f.WriteString("not an event\n\n{\"event\":\"stop\",\"iteration\":700,\"message\":\"the run is complete\"}\n{\"event\":\"war")
	runtest.Must(t, err)
	runtest.Must(t, f.Close())
	h := newAPI(t, Options{Folder: string(dir)}).Handler()
	kinds := map[run.EventKind]int{}
	last := 1 << 30
	path := "/api/v1/log"
	for n := 0; path != ""; n++ {
		w := runtest.Request(h, "GET", path, "")
		var v logView
		runtest.Must(t, json.Unmarshal(w.Body.Bytes(), &v))
		if n == 0 && (len(v.Events) != logLines || v.Events[0].Text != "the run is complete") {
			t.Fatalf("the last %d events begin with %+v", len(v.Events), v.Events[0])
		}
		for _, e := range v.Events {
			kinds[e.Kind]++
			if e.Text == "" {
				t.Errorf("an event without words: %+v", e)
			}
			if e.Kind == run.EventIteration {
				if e.Iteration >= last {
					t.Fatalf("iteration %d after %d", e.Iteration, last)
				}
				last = e.Iteration
			}
		}
		if path = ""; v.Before > 0 {
			path = fmt.Sprintf("/api/v1/log?before=%d", v.Before)
		}
	}
	if kinds["iteration"] != 700 || kinds["start"] != 1 || kinds["warning"] != 1 ||
		kinds["stop"] != 1 {
		t.Errorf("of the kinds of events there are %v", kinds)
	}
	for _, bad := range []string{"x", "-1"} {
		if w := runtest.Request(h, "GET", "/api/v1/log?before="+bad, ""); w.Code != 400 {
			t.Errorf("before=%s: %d", bad, w.Code)
		}
	}
	if v, err := readLog(dir.Events(), 1<<40); err != nil || len(v.Events) == 0 {
		t.Errorf("before the end: %v", err)
	}
}

// TestMachine: what is busy is the processor time since the sample before, of one process; samples
// are bounded.
func TestMachine(t *testing.T) {
	now, used := time.Unix(0, 0), machine.Usage{}
	var fails error
	m := &sampler{
		now: func() time.Time { return now }, usage: func(int) (machine.Usage, error) {
			return used, fails
		},
		devices: func() []Device { return []Device{{Name: "cuda:0", Utilization: 0.5}} },
	}
	step := func(passed, cpu time.Duration) *machineView {
		now, used = now.Add(passed), machine.Usage{CPU: used.CPU + cpu, Resident: 1 << 20}
		return m.look(7)
	}
	if v := step(0, time.Hour); !v.Known || len(v.Samples) != 0 || v.Cores < 1 {
		t.Errorf("at first: %+v", v)
	}
	if v := step(time.Second, time.Second); len(v.Samples) != 0 {
		t.Errorf("too early: %+v", v)
	}
	if v := step(3*time.Second, 7*time.Second); len(v.Samples) != 1 || v.Samples[0].Cores != 2 ||
		v.Samples[0].Memory != 1<<20 || v.Samples[0].Devices[0] != 0.5 {
		t.Errorf("8 s in 4: %+v", v)
	}
	m.samples = append(m.samples, make([]sample, maxSamples-3)...)
	for range 5 {
		step(sampleEvery, time.Second)
	}
	if n := len(m.samples); n != maxSamples {
		t.Errorf("%d samples", n)
	}
	if v := m.look(8); len(v.Samples) != 0 {
		t.Error("another process has samples of the one before")
	}
	if fails = errors.New("gone"); m.look(8).Known {
		t.Error("a process that is gone is known")
	}
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	var v machineView
	h := newAPI(t, Options{
		Folder: string(dir), Status: func() run.Status { return run.Status{} },
	}).Handler()
	runtest.Must(t,
		json.Unmarshal(runtest.Request(h, "GET", "/api/v1/machine", "").Body.Bytes(), &v))
	if !v.Known {
		t.Error("what this process uses is unknown")
	}
	h = newAPI(t, Options{Folder: string(dir)}).Handler()
	runtest.Must(t,
		json.Unmarshal(runtest.Request(h, "GET", "/api/v1/machine", "").Body.Bytes(), &v))
	if v.Known {
		t.Error("nobody trains, and what it uses is known")
	}
}

// TestOpponents: every kind of player that the page offers for a game plays it to the end.
func TestOpponents(t *testing.T) {
	for _, c := range []struct {
		game string
		want string
	}{
		{"tictactoe", "random uct az policy minimax alphabeta expectiminimax ubfm descent"},
		{"kuhn", "random uct az policy cfr minimax alphabeta expectiminimax"},
		{"connect-four:rows=4,columns=4",
			"random uct az policy minimax alphabeta expectiminimax ubfm descent"},
	} {
		dir := runtest.MakeRun(t, runtest.Run{Game: c.game, Iterations: 1, Games: 1, Network: true})
		p := newAPI(t, Options{Folder: string(dir)})
		var offered []string
		for _, o := range p.run(t.Context()).Opponents {
			offered = append(offered, o.Kind)
			if o.Summary == "" {
				t.Errorf("%s has no summary", o.Kind)
			}
		}
		if got := strings.Join(offered, " "); got != c.want {
			t.Errorf("%s: %s are offered, want %s", c.game, got, c.want)
		}
		for _, kind := range strings.Fields(c.want) {
			seats := make([]string, p.game.Players())
			for i := range seats {
				seats[i] = byRandom
			}
			seats[0] = kind
			if kind == "uct" {
				seats[0] = "uct:simulations=20,c=1.2"
			}
			whole := playWhole(t, p.Handler(), seats)
			if by := whole.Seats[0].By; !strings.HasPrefix(strings.ToLower(by), kind) &&
				kind != "random" || strings.Contains(by, "checkpoints") {
				t.Errorf("%s plays as %q", kind, by)
			}
		}
	}
	dir := runtest.MakeRun(t, runtest.Run{
		Game: "tictactoe", Iterations: 1, Games: 1, Network: true,
	})
	h := newAPI(t, Options{Folder: string(dir)}).Handler()
	for _, by := range []string{
		"solver", "nobody", "uct:belief=/etc/passwd", "az:/etc/passwd", "uct:time=11s",
		"uct:time=x", "uct:simulations=2001", "uct:simulations=-1", "cfr",
		"uct:c=x", "uct:c=1,c=2", "az:rm=clusters", "alphabeta:tt=4000",
		"uct:" + strings.Repeat("c=1,", 900), "uct:simulations", "", "uct:c=[1",
	} {
		w := runtest.Request(h, "POST", "/api/v1/play", seated([]string{"human", by}, 8))
		if w.Code != 400 || strings.Count(w.Body.String(), "\n") > 1 {
			t.Errorf("%.40q sits down: %d %.200s", by, w.Code, w.Body)
		}
	}
}

// TestRules: every game tells how it is played.
func TestRules(t *testing.T) {
	for _, name := range []string{
		"go", "go:size=9,players=2,ko=simple,pass=free,reward=win,komi=[0,7]", "tictactoe",
		"connect-four", "tcg", "turtle", "kuhn", "leduc", "backgammon",
	} {
		v := rulesOf(game.Must(game.New(name)))
		if v.Summary == "" || v.Guide == "" {
			t.Errorf("%s: %+v", name, v)
		}
		for line := range strings.Lines(v.Guide) {
			if len([]rune(line)) > 110 {
				t.Errorf("%s: a line of %d letters: %s", name, len(line), line)
			}
		}
	}
}
