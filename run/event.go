package run

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"tengen/configs"
	"tengen/internal/runid"
	"tengen/nn"
	"tengen/vfs"
)

// EventKind says what an event reports.
type EventKind string

// The kinds of events.
const (
	EventStart      EventKind = "start"      // a run begins; Init, Run
	EventResume     EventKind = "resume"     // a process resumes the run; Changes, Run
	EventIteration  EventKind = "iteration"  // an iteration is finished; Progress
	EventEvaluation EventKind = "evaluation" // a network was evaluated; Strength
	EventWarning    EventKind = "warning"    // something that a person may want to change; Message
	EventStop       EventKind = "stop"       // a process ends; Message
)

// Finished is the message of the stop event of a complete run.
const Finished = "the run is complete"

// StoppedAfter returns the message of the stop event of a run that was asked to stop, such as by
// Ctrl-C.
func StoppedAfter(iteration, iterations int) string {
	return fmt.Sprintf("stopped after iteration %d of %d", iteration, iterations)
}

// Event is one line of the event log. Which fields are set depends on its kind.
type Event struct {
	Time      time.Time `json:"time"`
	Kind      EventKind `json:"event"`
	Iteration int       `json:"iteration"`
	Message   string    `json:"message,omitempty"`

	*Progress `json:",omitempty"`
	Strength  *Strength `json:"strength,omitempty"`
	// whose weights the run begins with; "": random weights
	Init    string           `json:"init,omitempty"`
	Changes []configs.Change `json:"changes,omitempty"` // of the configuration
	Run     runid.ID         `json:"run,omitempty"`     // the run's identity
}

// Progress is what one finished iteration achieved.
type Progress struct {
	Epsilon     float64 `json:"epsilon"`      // probability that UCT plays a seat
	Games       int     `json:"games"`        // games so far
	Window      int     `json:"window_games"` // games in the replay window
	Positions   int     `json:"window_positions"`
	Evaluations uint64  `json:"evaluations"` // so far, by this process
	// by self-play so far, those in the cache included; 0 without training.evaluations
	Asked uint64 `json:"evaluations_asked,omitempty"`
	// share of the iteration's cache lookups that hit, 0 to 1; null without lookups
	CacheHits *float64 `json:"cache_hits"`
	Plies     float64  `json:"plies"` // mean length of the iteration's games
	// Descent: mean number of states in a game's trees
	States float64 `json:"states,omitempty"`
	// Descent: share of searches that resolved their root
	Resolved float64   `json:"resolved,omitempty"`
	Scores   []float64 `json:"scores"` // mean score by seat in the iteration's games
	Steps    uint64    `json:"steps"`  // training steps so far
	// mean over the iteration's steps; zero if the update was dropped
	Losses  nn.Losses `json:"losses"`
	Dropped string    `json:"dropped,omitempty"` // why the update was dropped; "": it was not
	// on games that are never trained on; null without any
	HeldOut     *nn.Losses `json:"held_out"`
	PlaySeconds float64    `json:"play_seconds"` // for which the iteration waited for its games
	Seconds     float64    `json:"update_seconds"`
	Elapsed     float64    `json:"elapsed_seconds"` // of the run, over all processes

	// nil while nobody resigns by configuration
	Resignation *Resignation `json:"resignation,omitempty"`

	// These are of cycles other than the synchronous one.

	// steps between the network of a decision and the newest, when learning from the iteration's
	// games began; mean
	Lag float64 `json:"lag_steps,omitempty"`
	// samples, divided by the positions that entered the window
	Reuse float64 `json:"reuse,omitempty"`
	// in which there was no game to begin
	SelfPlayWaited float64 `json:"selfplay_wait_seconds,omitempty"`
}

// Resignation says how players resign in self-play.
type Resignation struct {
	// utility below which they resign in games that begin from now on; 0: nobody does
	Threshold float64 `json:"threshold"`
	Share     float64 `json:"share"` // of the iteration's games that ended by resignation
	Games     int     `json:"games"` // of the replay window that were played to their end
	// of these, those that would have ended by resignation with this threshold
	Resigned int `json:"resigned"`
	// of these, those in which a player that would have resigned did not lose
	False int `json:"false"`
}

// MaxLine is the length, in bytes, up to which readers read a line of the event log.
// It is far above the length of any event.
const MaxLine = 1 << 20

// lineReader reads lines of up to MaxLine bytes. Its memory is used again: to clear it takes longer
// than to read most logs.
type lineReader struct{ *bufio.Reader }

var lineReaders = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, MaxLine) }}

func readLines(from io.Reader) lineReader {
	r := lineReaders.Get().(*bufio.Reader)
	r.Reset(from)
	return lineReader{r}
}

// done ends reading.
func (r lineReader) done() {
	r.Reset(nil)
	lineReaders.Put(r.Reader)
}

// EventLog appends to a run's event log. It is safe for concurrent use.
type EventLog struct {
	mu      sync.Mutex
	file    vfs.File
	now     func() time.Time
	pending []byte // could not be written yet
	failed  bool   // the last write failed
}

// maxPending bounds the bytes of events that wait for space on the disk.
const maxPending = 1 << 20

// OpenEvents opens the event log for appending and creates it if it is missing. Events
// take their time from now.
func (f Files) OpenEvents(now func() time.Time) (*EventLog, error) {
	fail := func(err error) (*EventLog, error) {
		return nil, fmt.Errorf("open the event log: %w", err)
	}
	file, err := f.FS.OpenFile(f.Events(), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return fail(err)
	}
	l := &EventLog{file: file, now: now}
	info, err := file.Stat()
	var last [1]byte
	if err == nil && info.Size() > 0 {
		_, err = file.ReadAt(last[:], info.Size()-1)
		if last[0] != '\n' {
			l.pending = []byte{'\n'} // ends a line that was cut short
		}
	}
	if err != nil {
		_ = file.Close() // the first error is the one to return
		return fail(err)
	}
	return l, nil
}

// Write appends one event, and sets its time if it has none. If it fails, it keeps the event and
// writes it with the next one; first reports whether the write before succeeded.
func (l *EventLog) Write(e Event) (first bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.Time.IsZero() {
		e.Time = l.now().UTC()
	}
	line, err := json.Marshal(e)
	if err != nil {
		return true, fmt.Errorf("write event: %w", err)
	}
	if len(l.pending) < maxPending {
		l.pending = append(append(l.pending, line...), '\n')
	}
	n, err := l.file.Write(l.pending)
	l.pending = l.pending[n:]
	if err != nil {
		first, l.failed = !l.failed, true
		return first, fmt.Errorf("write event: %w", err)
	}
	l.pending, l.failed = l.pending[:0], false
	return false, nil
}

// Close writes what is pending and closes the log.
func (l *EventLog) Close() error {
	var err error
	if len(l.pending) > 0 {
		_, err = l.file.Write(l.pending)
	}
	err = cmp.Or(err, l.file.Close())
	if err != nil {
		return fmt.Errorf("close the event log: %w", err)
	}
	return nil
}

// History reads the event log. It skips lines that it can't read, such as one that a
// crash cut short.
func (f Files) History() ([]Event, error) {
	var history []Event
	visit := func(e Event) { history = append(history, e) }
	if err := f.EachEvent(context.Background(), visit); err != nil {
		return nil, err
	}
	return history, nil
}

// shortest is the least number of bytes of a line that says anything. A file of shorter ones costs
// nothing.
const shortest = len(`{"event":"stop"}`)

// EachEvent calls visit with each event of the log, in order. It skips lines that it
// can't read. If ctx ends, it visits no further event and returns the error of ctx.
func (f Files) EachEvent(ctx context.Context, visit func(Event)) error {
	file, err := f.FS.OpenFile(f.Events(), os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("read the event log: %w", err)
	}
	defer file.Close()
	lines := readLines(file)
	defer lines.done()
	var e Event
	for whole := true; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := lines.ReadSlice('\n')
		e = Event{}
		if whole && err != bufio.ErrBufferFull && len(line) >= shortest &&
			json.Unmarshal(line, &e) == nil {
			visit(e)
		}
		whole = err == nil
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			return nil
		default:
			return fmt.Errorf("read the event log: %w", err)
		}
	}
}

// LastEvents calls visit with the events of the log, the last one first, until it returns false. It
// reads the log from its end, and no more of it than that takes. It skips lines that it can't read.
func (f Files) LastEvents(visit func(Event) bool) error {
	file, err := f.FS.OpenFile(f.Events(), os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("read the event log: %w", err)
	}
	defer file.Close()
	var e Event
	if err := lastLines(file, func(line []byte) bool {
		e = Event{}
		return len(line) < shortest || json.Unmarshal(line, &e) != nil || visit(e)
	}); err != nil {
		return fmt.Errorf("read the event log: %w", err)
	}
	return nil
}

// lastLines calls visit with the lines of a file, the last one first and without line feeds, until
// it returns false: nil for those of MaxLine bytes and longer ones. What follows the last line feed
// is a line if it is not empty.
func lastLines(file vfs.File, visit func(line []byte) bool) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	const block = 1 << 16
	room := make([]byte, block)
	var text []byte // of the file, from at on, as far as it was not visited
	long := false   // the line that ends there is too long, and not in text
	for at := info.Size(); at > 0; {
		n := min(block, at)
		at -= n
		text = slices.Insert(text, 0, room[:n]...)
		if m, err := file.ReadAt(text[:n], at); m < int(n) {
			return cmp.Or(err, io.ErrUnexpectedEOF)
		}
		if at+n == info.Size() && text[n-1] == '\n' {
			text = text[:n-1]
		}
		for {
			feed := bytes.LastIndexByte(text[:min(len(text), int(n))], '\n')
			if feed < 0 && at > 0 {
				break
			}
			line := text[feed+1:]
			if long || len(line) >= MaxLine {
				line = nil
			}
			if !visit(line) || feed < 0 {
				return nil
			}
			text, long = text[:feed], false
		}
		if long = long || len(text) >= MaxLine; long {
			text = text[:0]
		}
	}
	return nil
}
