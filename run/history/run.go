package history

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/runid"
	"tengen/run"
	"tengen/vfs"
)

// State is the state of a run.
type State string

// The states of a run.
const (
	Running  State = "running"    // a process holds the lock
	Complete State = "complete"   // all iterations are finished, or its time is up
	Stopped  State = "stopped"    // it ended earlier and said why
	Broken   State = "broken off" // it ended without a stop event: a crash, or the folder is a copy
)

// Run is the history of a run, as far as it has been read. It is used by one goroutine at a
// time.
type Run struct {
	Folder run.Folder
	Config *configs.Config // nil if it can't be read: see Problems
	Seats  []string        // names of the seats, in order

	Iterations  Table // finished iterations
	Evaluations Table // of networks
	Warnings    []run.Event
	Ratings     run.Ratings // the last estimate; without networks if there is none

	Processes int       // number of starts and resumes
	ID        runid.ID  // the run's identity; 0 if the log does not tell it
	Start     time.Time // of the first event; zero without events
	Began     time.Time // when the last process started; zero without events
	Last      run.Event // the last event; zero without events
	Version   int       // changes when the figures change
	Holder    *vfs.Holder

	Damaged []Damage // lines of the event log that were skipped

	game     string // canonical if this program knows the game
	resumed  bool   // no iteration of the last process was read yet
	at       position
	config   stamp
	ratings  stamp
	problems [3]error // of the configuration, the ratings and the lock
}

// stamp identifies the content of a file, to notice changes.
type stamp struct {
	size int64
	time time.Time
}

// unread is the stamp of a file that was never read.
var unread = stamp{size: -1}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// ErrNone is wrapped by the errors of Read and Refresh if there is no event log.
var ErrNone = errors.New("no run")

// Read reads the run in a folder and who holds its lock. If there is no event log, it
// returns an error. If the configuration or the ratings can't be read, Problems says so.
func Read(dir string) (*Run, error) {
	r := New(dir)
	if err := r.Refresh(); err != nil {
		return nil, err
	}
	r.FindHolder()
	return r, nil
}

// New returns the run in a folder without reading anything. See Refresh.
func New(dir string) *Run { return &Run{Folder: run.Folder(dir), config: unread} }

// Refresh reads what has changed since the last call: the events that were appended, and
// the ratings. If the log was replaced or the configuration has changed, it reads
// everything again. After an error the Run holds what was read before.
func (r *Run) Refresh() error {
	file, err := os.Open(r.Folder.Events())
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		what := "there is no such folder" + run.DidYouMean(string(r.Folder))
		if info, err := os.Stat(string(r.Folder)); err == nil {
			if what = "it has no events.jsonl"; !info.IsDir() {
				what = "it is a file; a run is a folder"
			}
		}
		return fmt.Errorf("%w at %s: %s", ErrNone, r.Folder, what)
	}
	if err == nil {
		defer file.Close()
		if config := stampOf(r.Folder.Config()); config != r.config || !r.at.goesOn(file) {
			*r = Run{Folder: r.Folder, Version: r.Version + 1, config: config, ratings: unread}
			r.problems[0] = r.readConfig()
		}
		if ratings := stampOf(r.Folder.Ratings()); ratings != r.ratings {
			r.ratings = ratings
			r.problems[1] = r.readRatings()
		}
		err = r.more(file)
	}
	if err != nil {
		return fmt.Errorf("read the history of %s: %w", r.Folder, err)
	}
	return nil
}

// FindHolder sets Holder, nil if nobody holds the lock.
func (r *Run) FindHolder() {
	r.Holder, r.problems[2] = r.Folder.Holder()
	if errors.Is(r.problems[2], errors.ErrUnsupported) {
		r.problems[2] = nil
	}
}

// Problems returns what can't be read, apart from lines of the event log, with the reasons.
func (r *Run) Problems() []string {
	var list []string
	for _, err := range r.problems {
		if err != nil {
			list = append(list, err.Error())
		}
	}
	return list
}

// add adds an event. It removes what a resumed run will repeat.
func (r *Run) add(text []byte, e *run.Event) {
	r.Version++
	r.Last = *e
	if r.Start.IsZero() {
		r.Start = e.Time
	}
	switch e.Kind {
	case run.EventStart, run.EventResume:
		r.Processes++
		r.Began, r.resumed = e.Time, true
		r.ID = cmp.Or(e.Run, r.ID)
		r.Iterations.cut(e.Iteration)
		if e.Kind == run.EventStart {
			r.Evaluations = Table{}
		}
	case run.EventIteration:
		r.put(&r.Iterations, text, e)
		r.resumed = false
	case run.EventEvaluation:
		r.put(&r.Evaluations, text, e)
	case run.EventWarning:
		r.Warnings = append(r.Warnings, *e)
	}
}

// put adds the figures of an event to a table.
func (r *Run) put(t *Table, text []byte, e *run.Event) {
	if e.Strength != nil && len(r.Seats) == 0 {
		r.Seats = numbered(len(e.Strength.Points)) // the configuration can't be read
	}
	figures := r.figures(text)
	if t == &r.Iterations {
		figures = append(figures, r.rates(e)...)
	}
	t.put(Row{Iteration: e.Iteration, Time: e.Time, Strength: e.Strength}, figures)
}

func (r *Run) readConfig() error {
	config, err := r.Folder.ReadConfig()
	if err != nil {
		return err
	}
	r.Config = config
	r.game = r.Config.Game
	g, err := game.New(r.game)
	if err != nil {
		return err
	}
	r.game, r.Seats = g.Name(), game.SeatNames(g)
	return nil
}

func (r *Run) readRatings() error {
	ratings, err := r.Folder.On(nil).ReadRatings()
	r.Ratings = *ratings
	return err
}

// numbered returns names for seats of an unknown game.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "seat " + strconv.Itoa(i+1)
	}
	return names
}

// Game returns the game's canonical name, "" if the configuration can't be read.
func (r *Run) Game() string { return r.game }

// Iteration returns the last finished iteration, 0 before the first.
func (r *Run) Iteration() int {
	rows := r.Iterations.Rows
	if len(rows) == 0 {
		return 0
	}
	return rows[len(rows)-1].Iteration
}

// All returns the number of iterations of the whole run, 0 if it is unknown.
func (r *Run) All() int {
	if r.Config == nil {
		return 0
	}
	return r.Config.Training.Iterations
}

// State returns the state of the run.
func (r *Run) State() State {
	finished := r.All() > 0 && r.Iteration() >= r.All()
	switch {
	case r.Holder != nil:
		return Running
	case r.Last.Kind == run.EventStop && (finished || r.Last.Message == run.Finished):
		return Complete
	case r.Last.Kind == run.EventStop:
		return Stopped
	}
	return Broken
}

// Damage is a line of the event log that could not be read.
type Damage struct {
	Line    int    `json:"line"` // from 1
	Problem string `json:"problem"`
}

// position says how far the event log has been read.
type position struct {
	bytes int64
	lines int
	tail  []byte // the bytes just before
	cut   bool   // the last of Run.Damaged is a line that may still be completed
}

// goesOn reports whether log is the log that was read before: its last bytes are still
// there.
func (p *position) goesOn(log io.ReaderAt) bool {
	tail := make([]byte, len(p.tail))
	_, _ = log.ReadAt(tail, p.bytes-int64(len(tail))) // if it fails, they differ
	return bytes.Equal(tail, p.tail)
}

// more reads the events that were appended. A last line without a line feed counts if it is
// complete; otherwise the next call reads it again.
func (r *Run) more(log *os.File) error {
	info, err := log.Stat()
	if err != nil {
		return err
	}
	at := &r.at
	size := info.Size() - at.bytes
	if size == 0 {
		return nil
	}
	if at.cut {
		r.Damaged, at.cut = r.Damaged[:len(r.Damaged)-1], false
	}
	in := bufio.NewReaderSize(io.NewSectionReader(log, at.bytes, size),
		int(min(size+1, run.MaxLine)))
	for err == nil {
		var text []byte
		text, err = in.ReadSlice('\n')
		n, e, problem := len(text), new(run.Event), error(nil)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			problem = fmt.Errorf("longer than %d bytes", run.MaxLine)
			for errors.Is(err, bufio.ErrBufferFull) {
				text, err = in.ReadSlice('\n')
				n += len(text)
			}
		case n > 0 && string(text) != "\n":
			if problem = decode(text, e); problem == nil {
				r.add(text, e)
			}
		}
		if at.cut = err == io.EOF && problem != nil; at.cut {
			n, problem = 0, errors.New("the last line was cut short")
		}
		if problem != nil {
			r.Damaged = append(r.Damaged, Damage{at.lines + 1, problem.Error()})
		}
		at.bytes += int64(n)
		if err == nil {
			at.lines++
		}
	}
	at.tail = make([]byte, min(at.bytes, 64))
	// if it fails, the next call reads the log from the start
	_, _ = log.ReadAt(at.tail, at.bytes-int64(len(at.tail)))
	if err == io.EOF {
		return nil
	}
	return err
}

// decode decodes one event and checks what this package relies on.
func decode(text []byte, e *run.Event) error {
	if err := json.Unmarshal(text, e); err != nil {
		return err
	}
	switch {
	case e.Kind == "" || e.Time.IsZero():
		return errors.New(`the fields "time" and "event" are wanted`)
	case e.Iteration < 0:
		return fmt.Errorf("iteration %d", e.Iteration)
	case e.Kind == run.EventIteration && e.Progress == nil:
		return errors.New("an iteration without its figures")
	case e.Kind == run.EventEvaluation && e.Strength == nil:
		return errors.New(`an evaluation without "strength"`)
	case e.Strength != nil && len(e.Strength.CI) != len(e.Strength.Points):
		return fmt.Errorf("%d intervals for %d seats", len(e.Strength.CI), len(e.Strength.Points))
	}
	return nil
}
