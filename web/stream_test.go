package web

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

	"tengen/run"
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
	dir := makeRun(t, fixture{game: "tictactoe", iterations: 2, all: 9, games: 2})
	var done atomic.Int64
	server, err := Serve(t.Context(), "127.0.0.1:0", Options{Folder: string(dir), Status: func() run.Status {
		return run.Status{Iteration: 2, Iterations: 9, Stage: run.StageSelfPlay, Done: int(done.Load()), All: 50}
	}})
	must(t, err)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(server.URL() + "api/v1/stream")
	must(t, err)
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
			case <-time.After(10 * time.Second):
				t.Fatalf("no %s within ten seconds", event)
			}
		}
	}
	status := func() (s statusView) {
		t.Helper()
		must(t, json.Unmarshal([]byte(next("status").data), &s))
		return s
	}
	first := status()
	if first.State != "training" || first.Stages[0].Done != 0 || first.Iteration != 2 {
		t.Errorf("%+v", first)
	}
	done.Store(20)
	began := time.Now()
	if s := status(); s.Stages[0].Done != 20 {
		t.Errorf("%+v", s.Stages)
	}
	done.Store(30)
	if s := status(); s.Stages[0].Done != 30 || time.Since(began) < 1500*time.Millisecond {
		t.Errorf("news twice within %v", time.Since(began))
	}
	// A line of the log, and new games.
	f, err := os.OpenFile(dir.Events(), os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(`{"time":"2026-03-01T12:05:00Z","event":"warning","iteration":2,"message":"look"}` + "\n")
	must(t, err)
	must(t, f.Close())
	if s := status(); s.Version == first.Version || len(s.Warnings) != 1 || s.Warnings[0].Message != "look" {
		t.Errorf("%+v", s)
	}
	must(t, os.WriteFile(filepath.Join(dir.Replay(), "000009.games"), nil, 0o644))
	next("games")
	// The end of the server is the end of the stream, at once.
	began = time.Now()
	must(t, server.Close())
	if took := time.Since(began); took > time.Second {
		t.Errorf("the server ends after %v", took)
	}
	for range messages {
	}
}

// The status is computed once for all who listen.
func TestNewsAreShared(t *testing.T) {
	dir := makeRun(t, fixture{game: "tictactoe", iterations: 1, games: 1})
	now := began
	asked := 0
	p := newPage(t, Options{Folder: string(dir), Now: func() time.Time { return now }, Status: func() run.Status {
		asked++
		return run.Status{Iterations: 5}
	}})
	for range 10 {
		p.news()
	}
	if asked != 1 {
		t.Errorf("ten listeners ask %d times", asked)
	}
	now = now.Add(lookEvery)
	p.news()
	if asked != 2 {
		t.Errorf("a second later, asked %d times", asked)
	}
}
