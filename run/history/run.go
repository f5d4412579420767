package history

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
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

	Iterations  Table       // finished iterations
	Evaluations Table       // of networks
	Warnings    []run.Event // the last ones, at most MaxWarnings
	Ratings     run.Ratings // the last estimate; without networks if there is none

	Processes int       // number of starts and resumes
	ID        runid.ID  // the run's identity; 0 if the log does not tell it
	Start     time.Time // of the first event; zero without events
	Began     time.Time // when the last process started; zero without events
	Last      run.Event // the last event, without figures; zero without events
	Version   int       // changes when the figures change
	Holder    *vfs.Holder

	// lines of the event log that were skipped, the last ones, at most MaxDamaged. Of lines whose
	// figures nobody needed it is not known whether they are damaged.
	Damaged []Damage
	Skipped int // their number

	most     mostRows
	fs       vfs.FS
	game     string   // canonical if this program knows the game
	begun    []int64  // where the processes' first events stand in the log
	stale    bool     // the rows of the tables are not those of the log
	columns  []string // of the table as CSV; nil: not known
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

func (r *Run) stampOf(path string) stamp {
	info, err := r.fs.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

// ErrNone is wrapped by the errors of Read and Refresh if there is no event log.
var ErrNone = errors.New("no run")

// Read reads the run in a folder and who holds its lock. If there is no event log, it
// returns an error. If the configuration or the ratings can't be read, Problems says so.
func Read(ctx context.Context, dir string) (*Run, error) {
	r := New(dir)
	if err := r.Refresh(ctx); err != nil {
		return nil, err
	}
	r.FindHolder()
	return r, nil
}

// New returns the run in a folder without reading anything. See Refresh.
func New(dir string) *Run {
	f := run.Folder(dir).On(nil)
	return &Run{Folder: f.Folder, fs: f.FS, most: viewed, config: unread}
}

// open opens the event log.
func (r *Run) open() (vfs.File, error) {
	return r.fs.OpenFile(r.Folder.Events(), os.O_RDONLY, 0)
}

// Refresh reads what has changed since the last call: the events that were appended, and
// the ratings. If the log was replaced or the configuration has changed, it reads
// everything again. After an error, such as that of ctx, the next call goes on.
func (r *Run) Refresh(ctx context.Context) error {
	file, err := r.open()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		what := "there is no such folder" + run.DidYouMean(string(r.Folder))
		if info, err := r.fs.Stat(string(r.Folder)); err == nil {
			if what = "it has no events.jsonl"; !info.IsDir() {
				what = "it is a file; a run is a folder"
			}
		}
		return fmt.Errorf("%w at %s: %s", ErrNone, r.Folder, what)
	}
	if err == nil {
		defer file.Close()
		if config := r.stampOf(r.Folder.Config()); config != r.config || !r.at.goesOn(file) {
			*r = Run{
				Folder: r.Folder, fs: r.fs, most: r.most, Version: r.Version + 1,
				config: config, ratings: unread,
			}
			r.problems[0] = r.readConfig()
		}
		if ratings := r.stampOf(r.Folder.Ratings()); ratings != r.ratings {
			r.ratings, r.columns = ratings, nil
			r.problems[1] = r.readRatings()
		}
		if err = r.more(ctx, file); err == nil && r.stale {
			r.columns = nil
			err = r.show(ctx, file)
		}
	}
	if err != nil {
		return fmt.Errorf("read the history of %s: %w", r.Folder, err)
	}
	return nil
}

// show reads the rows of the tables.
func (r *Run) show(ctx context.Context, log io.ReaderAt) error {
	x := newRowReader(r, log, 1<<12)
	err := x.show(ctx, &r.Evaluations, r.most.evaluations, nil)
	if err == nil {
		err = x.show(ctx, &r.Iterations, r.most.iterations, r.Evaluations.Rows)
	}
	r.stale = err != nil
	return err
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

// add adds an event whose line stands at a spot. It removes what a resumed run will repeat.
func (r *Run) add(e *run.Event, p spot) {
	r.Last = *e
	if r.Start.IsZero() {
		r.Start = e.Time
	}
	switch e.Kind {
	case run.EventStart, run.EventResume:
		r.Processes++
		r.begun = append(r.begun, p.at)
		r.Began = e.Time
		r.ID = cmp.Or(e.Run, r.ID)
		r.Iterations.cut(e.Iteration)
		if e.Kind == run.EventStart {
			r.Evaluations = Table{}
		}
	case run.EventIteration, run.EventEvaluation:
		r.put(e.Kind, p)
		r.Last = run.Event{Time: e.Time, Kind: e.Kind, Iteration: e.Iteration}
	case run.EventWarning:
		r.Warnings = append(r.Warnings, *e)
		if n := len(r.Warnings); n > MaxWarnings {
			r.Warnings = slices.Delete(r.Warnings, 0, n-MaxWarnings)
		}
	}
	r.Version++
	r.stale = true
}

// put adds the spot of an iteration or an evaluation.
func (r *Run) put(kind run.EventKind, p spot) {
	if kind == run.EventIteration {
		r.Iterations.put(p)
	} else {
		r.Evaluations.put(p)
	}
}

func (r *Run) readConfig() error {
	config, err := r.Folder.On(r.fs).ReadConfig()
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
	ratings, err := r.Folder.On(r.fs).ReadRatings()
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

// How many a Run keeps.
const (
	MaxDamaged  = 100
	MaxWarnings = 1000
)

// passOver adds a damaged line.
func (r *Run) passOver(d Damage) {
	r.Skipped++
	i, _ := slices.BinarySearchFunc(r.Damaged, d, func(a, b Damage) int { return a.Line - b.Line })
	r.Damaged = slices.Insert(r.Damaged, i, d)
	if n := len(r.Damaged); n > MaxDamaged {
		r.Damaged = slices.Delete(r.Damaged, 0, n-MaxDamaged)
	}
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
func (r *Run) more(ctx context.Context, log vfs.File) error {
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
		r.Skipped--
	}
	in := bufio.NewReaderSize(io.NewSectionReader(log, at.bytes, size),
		int(min(size+1, run.MaxLine)))
	var last header // of the last line, if it was not decoded
	var told []byte // its time
	for k := 0; err == nil; k++ {
		if k%1000 == 0 && ctx.Err() != nil {
			err = ctx.Err()
			break
		}
		var text []byte
		text, err = in.ReadSlice('\n')
		n, problem := len(text), error(nil)
		p := spot{at: at.bytes, line: int32(at.lines + 1)}
		h, ok := headerOf(text)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			problem = fmt.Errorf("longer than %d bytes", run.MaxLine)
			for errors.Is(err, bufio.ErrBufferFull) {
				text, err = in.ReadSlice('\n')
				n += len(text)
			}
		case ok && !r.Start.IsZero():
			p.iteration = h.iteration
			r.put(h.kind, p)
			last, told = h, append(told[:0], h.time...)
			r.Version++
			r.stale = true
		case n > 0 && string(text) != "\n":
			e := new(run.Event)
			if problem = decode(text, e); problem == nil {
				p.iteration = int32(e.Iteration)
				r.add(e, p)
				told = told[:0]
			}
		}
		if at.cut = err == io.EOF && problem != nil; at.cut {
			n, problem = 0, errors.New("the last line was cut short")
		}
		if problem != nil {
			r.passOver(Damage{at.lines + 1, problem.Error()})
		}
		at.bytes += int64(n)
		if err == nil {
			at.lines++
		}
	}
	var when time.Time
	if when.UnmarshalText(told) == nil {
		r.Last = run.Event{Time: when, Kind: last.kind, Iteration: int(last.iteration)}
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
	case e.Iteration < 0 || e.Iteration > math.MaxInt32:
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
