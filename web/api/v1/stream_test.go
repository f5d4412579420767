package v1

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tengen/internal/serve"
	"tengen/run"
	"tengen/run/runtest"
)

// message is one message of a stream.
type message struct{ event, data string }

// streamed reads messages until the stream ends.
func streamed(r *http.Response) <-chan message {
	out := make(chan message, 16)
	go func() {
		defer close(out)
		var m message
		for s := bufio.NewScanner(r.Body); s.Scan(); {
			line := s.Text()
			switch {
			case strings.HasPrefix(line, "event: "):
				m.event = line[7:]
			case strings.HasPrefix(line, "data: "):
				m.data = line[6:]
			case line == "" && m.event != "":
				out <- m
				m = message{}
			}
		}
	}()
	return out
}

func TestStream(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 2, All: 9, Games: 2})
	var done, computed atomic.Int64
	opened := time.Now()
	ending := make(chan struct{})
	api := newAPI(t, Options{Folder: string(dir), Ending: ending, Status: func() run.Status {
		computed.Add(1)
		if done.Load() < 0 {
			return run.Status{Iteration: 2, Iterations: 9, State: run.Stopped, Message: "enough"}
		}
		return run.Status{
			Iteration: 2, Iterations: 9, Stage: run.StageSelfPlay, Done: int(done.Load()), All: 50,
		}
	}})
	listener, err := serve.Listen(t.Context(), "127.0.0.1:0")
	runtest.Must(t, err)
	server := serve.Start(t.Context(), listener, http.HandlerFunc(api.Stream))
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get("http://" + server.Address() + "/api/v1/stream")
	runtest.Must(t, err)
	defer r.Body.Close()
	if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("it is %s", kind)
	}
	messages := streamed(r)
	next := func(event string) message {
		t.Helper()
		for {
			select {
			case m, ok := <-messages:
				if !ok {
					t.Fatalf("the stream ends before %s", event)
				}
				if m.event == event {
					return m
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("no %s within ten seconds", event)
			}
		}
	}
	// A status is sent each second in any case: one may have been under way before what is awaited.
	status := func(awaited func(s statusView) bool) (s statusView) {
		t.Helper()
		for s = (statusView{}); ; s = (statusView{}) {
			runtest.Must(t, json.Unmarshal([]byte(next("status").data), &s))
			if awaited(s) {
				return s
			}
		}
	}
	first := status(func(statusView) bool { return true })
	if first.State != "training" || first.Stages[0].Done != 0 || first.Iteration != 2 {
		t.Errorf("%+v", first)
	}
	done.Store(20)
	status(func(s statusView) bool { return s.Stages[0].Done == 20 })
	done.Store(30)
	status(func(s statusView) bool { return s.Stages[0].Done == 30 })
	// A line of the log, and new games.
	f, err := os.OpenFile(dir.Events(), os.O_APPEND|os.O_WRONLY, 0)
	runtest.Must(t, err)
	_, err = f.WriteString(
		`{"time":"2026-03-01T12:05:00Z","event":"warning","iteration":2,"message":"look"}` + "\n")
	runtest.Must(t, err)
	runtest.Must(t, f.Close())
	if s := status(func(s statusView) bool {
		return len(s.Warnings) > 0
	}); s.Version == first.Version || len(s.Warnings) != 1 || s.Warnings[0].Message != "look" {
		t.Errorf("%+v", s)
	}
	runtest.Must(t, os.WriteFile(filepath.Join(dir.Replay(), "000009.games"), nil, 0o644))
	next("games")
	// There was a look a second, not more.
	if n, took := computed.Load(), time.Since(opened); float64(n) > 2+took.Seconds()/0.9 {
		t.Errorf("%d looks within %v", n, took)
	}
	// The end of the server is the end of the stream, after the last status, however fresh that is.
	done.Store(-1)
	close(ending)
	status(func(s statusView) bool {
		return s.State == "stopped" && s.Message == "enough" && s.Folder == string(dir)
	})
	next("end")
	runtest.Must(t, server.Close())
	for range messages {
	}
}

// The status is computed once for all who listen.
func TestNewsAreShared(t *testing.T) {
	dir := runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})
	clock := runtest.NewClock(0)
	asked := 0
	p := newAPI(t, Options{Folder: string(dir), Now: clock.Now, Status: func() run.Status {
		asked++
		return run.Status{Iterations: 5}
	}})
	for range 10 {
		p.news(t.Context())
	}
	if asked != 1 {
		t.Errorf("ten listeners ask %d times", asked)
	}
	clock.Pass(lookEvery)
	p.news(t.Context())
	if asked != 2 {
		t.Errorf("a second later, asked %d times", asked)
	}
}

// TestStreamsAreBounded: one stream more than maxStreams is refused.
func TestStreamsAreBounded(t *testing.T) {
	api := newAPI(t, Options{
		Folder: string(runtest.MakeRun(t, runtest.Run{Game: "tictactoe", Iterations: 1, Games: 1})),
	})
	for range maxStreams {
		api.streams <- struct{}{}
	}
	if w := runtest.Request(http.HandlerFunc(api.Stream), "GET", "/api/v1/stream",
		""); w.Code != 503 {
		t.Errorf("one stream too many: %d", w.Code)
	}
}
