package v1

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"tengen/run"
)

// Bounds of one answer about the event log.
const (
	logBytes = 256 << 10 // that are read
	logLines = 100       // that are sent
)

// logView is a part of the event log, the newest event first.
type logView struct {
	Events []eventView `json:"events"`
	// where earlier ones end, for the next request; 0: there are none
	Before int64 `json:"before"`
}

// eventView is an event in words.
type eventView struct {
	Time      time.Time     `json:"time"`
	Kind      run.EventKind `json:"kind"`
	Iteration int           `json:"iteration"`
	Text      string        `json:"text"`
}

// getLog answers with the newest events, or those that end at an offset (before).
func (api *API) getLog(w http.ResponseWriter, r *http.Request) {
	before := int64(-1)
	if q := r.URL.Query(); q.Has("before") {
		var err error
		if before, err = strconv.ParseInt(q.Get("before"), 10, 64); err != nil || before < 0 {
			api.fail(w, refusef("before=%q: a number of bytes is wanted", q.Get("before")))
			return
		}
	}
	v, err := readLog(api.folder.Events(), before)
	api.answer(w, r, v, err)
}

// readLog reads the last events of a log that end at an offset or before; -1: at its end.
func readLog(path string, before int64) (*logView, error) {
	v := &logView{Events: []eventView{}}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if before < 0 || before > info.Size() {
		before = info.Size()
	}
	from := max(0, before-logBytes)
	text := make([]byte, before-from)
	n, err := file.ReadAt(text, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text = text[:n]
	if from > 0 { // the first line may be cut
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return v, nil // a line of this length is none of an event log
		}
		text, from = text[i+1:], from+int64(i)+1
	}
	for len(text) > 0 && len(v.Events) < logLines {
		line := bytes.TrimSuffix(text, []byte("\n"))
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		text = text[:len(text)-len(line)-(len(text)-len(bytes.TrimSuffix(text, []byte("\n"))))]
		var e run.Event
		if json.Unmarshal(line, &e) == nil && e.Kind != "" {
			v.Events = append(v.Events, eventView{e.Time, e.Kind, e.Iteration, inWords(&e)})
		}
	}
	v.Before = from + int64(len(text))
	return v, nil
}

// inWords tells what happened in one line.
func inWords(e *run.Event) string {
	switch {
	case e.Kind == run.EventStart && e.Init != "":
		return "the run begins with the weights of " + e.Init
	case e.Kind == run.EventStart:
		return "the run begins"
	case e.Kind == run.EventResume:
		text := fmt.Sprintf("the run goes on after iteration %d", e.Iteration)
		for _, c := range e.Changes {
			text += fmt.Sprintf("; %s: %s → %s", c.Key, c.Old, c.New)
		}
		return text
	case e.Kind == run.EventIteration && e.Progress != nil:
		p := e.Progress
		parts := []string{
			fmt.Sprintf("%d games so far", p.Games), fmt.Sprintf("loss %.4g", p.Losses.Total),
		}
		if p.HeldOut != nil {
			parts = append(parts, fmt.Sprintf("held out %.4g", p.HeldOut.Total))
		}
		if p.Dropped != "" {
			parts[1] = "the update was dropped: " + p.Dropped
		}
		parts = append(parts, fmt.Sprintf("games %.3g s, update %.3g s", p.PlaySeconds, p.Seconds))
		return strings.Join(parts, ", ")
	case e.Kind == run.EventEvaluation && e.Strength != nil:
		return fmt.Sprintf("the network against %s: %s", e.Strength.Against, e.Strength.Total())
	}
	return e.Message
}

// How often a stream looks whether there is news, and how long it is silent at most.
const (
	lookEvery  = time.Second
	aliveEvery = 15 * time.Second
	maxStreams = 32
)

// watched is shared by all streams: the status is computed at most once a second, and only if a
// stream is open.
type watched struct {
	at     time.Time
	status []byte
	games  string
}

// news returns the current status as JSON, and a text that changes with the replay log.
func (api *API) news(ctx context.Context) (status []byte, games string) {
	api.mu.Lock()
	defer api.mu.Unlock()
	now := api.options.Now()
	if w := &api.watched; w.status == nil || now.Sub(w.at) >= lookEvery*9/10 || now.Before(w.at) {
		text, err := json.Marshal(api.status(ctx))
		if err != nil {
			panic(err) // of numbers that are finite, and texts
		}
		if ctx.Err() != nil { // the history may not be read to its end
			return text, w.games
		}
		*w = watched{now, text, api.replayed()}
	}
	return api.watched.status, api.watched.games
}

// replayed returns a text that changes when games are added to the replay log.
func (api *API) replayed() string {
	info, err := os.Stat(api.folder.Replay())
	if err != nil {
		return ""
	}
	return info.ModTime().String()
}

// renew has news look anew.
func (api *API) renew() {
	api.mu.Lock()
	defer api.mu.Unlock()
	api.watched.status = nil
}

// Stream sends events until the client leaves or the server ends: "status" with the current status,
// "games" when there are new games, "alive" after a silence, and "end", after a last status, when
// the server ends.
func (api *API) Stream(w http.ResponseWriter, r *http.Request) {
	select {
	case api.streams <- struct{}{}:
		defer func() { <-api.streams }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy is not to hold the news back
	control := http.NewResponseController(w)
	send := func(form string, args ...any) bool {
		// The deadline of the whole response moves on with every message.
		_ = control.SetWriteDeadline(time.Now().Add(2 * aliveEvery)) // a test's recorder has none
		if _, err := fmt.Fprintf(w, form, args...); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	var told []byte
	var games string
	last := time.Now()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for first := true; ; first = false {
		status, replayed := api.news(r.Context())
		if !slices.Equal(status, told) {
			if !send("event: status\ndata: %s\n\n", status) {
				return
			}
			told, last = status, time.Now()
		}
		if replayed != games {
			games = replayed
			if !first && !send("event: games\ndata: {}\n\n") {
				return
			}
		}
		if time.Since(last) >= aliveEvery {
			if !send("event: alive\ndata: {}\n\n") {
				return
			}
			last = time.Now()
		}
		select {
		case <-r.Context().Done():
			return
		case <-api.options.Ending:
			api.renew()
			if status, _ := api.news(r.Context()); send("event: status\ndata: %s\n\n", status) {
				send("event: end\ndata: {}\n\n")
			}
			return
		case <-tick.C:
		}
	}
}

// getNotes answers with what a person has written about the run.
func (api *API) getNotes(w http.ResponseWriter, r *http.Request) {
	notes, err := api.folder.On(nil).ReadNotes()
	api.answer(w, r, notes, err)
}

// putNotes replaces the notes of the version that the client has seen.
func (api *API) putNotes(w http.ResponseWriter, r *http.Request) {
	var o run.Notes
	if err := read(r, &o); err != nil {
		api.fail(w, err)
		return
	}
	if !api.folder.Exists() {
		api.fail(w, errNotBegun)
		return
	}
	notes, err := api.folder.On(nil).WriteNotes(o.Text, o.Version)
	if errors.Is(err, run.ErrNotesText) {
		err = refused{err}
	}
	api.answer(w, r, notes, err)
}

// errNotBegun says that there is no folder of a run yet.
var errNotBegun = errors.New("the run has not begun: its folder takes notes from then on")
