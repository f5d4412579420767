package v1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
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
