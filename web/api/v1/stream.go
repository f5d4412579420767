package v1

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"
)

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
func (api *API) news() (status []byte, games string) {
	api.mu.Lock()
	defer api.mu.Unlock()
	now := api.options.Now()
	if w := &api.watched; w.status == nil || now.Sub(w.at) >= lookEvery*9/10 || now.Before(w.at) {
		text, err := json.Marshal(api.status())
		if err != nil {
			panic(err) // of numbers that are finite, and texts
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
		status, replayed := api.news()
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
			if status, _ := api.news(); send("event: status\ndata: %s\n\n", status) {
				send("event: end\ndata: {}\n\n")
			}
			return
		case <-tick.C:
		}
	}
}
