package history

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/lockfile"
	"tengen/trainer"
)

// The kinds of events that carry figures, or say how a run goes.
const (
	startEvent      = "start"
	resumeEvent     = "resume"
	iterationEvent  = "iteration"
	evaluationEvent = "evaluation"
	gateEvent       = "gate"
	warningEvent    = "warning"
	stopEvent       = "stop"
)

// State says how a run stands.
type State string

// The states of a run.
const (
	Running  State = "running"    // a process trains
	Complete State = "complete"   // it has made all its iterations, or its time is over
	Stopped  State = "stopped"    // it ended before, in good order or with an error
	Broken   State = "broken off" // it ended without a word: a crash, or the folder is a copy
)

// Run is what a run has told of itself.
type Run struct {
	Folder trainer.Folder
	Config *configs.Config // nil where it can't be read: see Problems
	Seats  []string        // names, in order

	Iterations  []Record // finished iterations, each number once, ascending
	Evaluations []Record // networks measured, likewise
	Gates       []Record // verdicts by candidate, likewise
	Warnings    []trainer.Event
	Ratings     *trainer.Ratings // the last estimate; without networks where there is none

	Sittings int           // starts and resumes
	Began    time.Time     // when the last sitting did; zero without events
	Last     trainer.Event // zero without any
	Holder   *lockfile.Process

	Damaged  []Damage // lines of the event log that were stepped over
	Problems []string // other files that can't be read, each with the reason

	game string // canonical where this program knows it
}

// Record is an event with its figures by name.
type Record struct {
	trainer.Event
	Line    int     // in events.jsonl
	Values  []Value // in the order of the file; rates last
	sitting int     // from 1
}

// Value is a figure: its name is the way to it in the event.
type Value struct {
	Name string
	X    float64
}

// ErrNone is wrapped by the error of Read where there is no event log.
var ErrNone = errors.New("no run")

// Read reads the run in a folder. That a configuration or the ratings can't be
// read is told in Problems; a folder without an event log is an error.
func Read(dir string) (*Run, error) {
	r := &Run{Folder: trainer.Folder(dir), Ratings: new(trainer.Ratings)}
	file, err := os.Open(r.Folder.Events())
	if errors.Is(err, fs.ErrNotExist) {
		what := "there is no such folder"
		if info, err := os.Stat(dir); err == nil {
			if what = "it has no events.jsonl"; !info.IsDir() {
				what = "it is a file; a run is a folder"
			}
		}
		return nil, fmt.Errorf("%w at %s: %s", ErrNone, dir, what)
	}
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", dir, err)
	}
	defer file.Close()
	r.readConfig()
	r.readRatings()
	if r.Damaged, err = readLines(file, r.add); err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", dir, err)
	}
	for _, list := range []*[]Record{&r.Iterations, &r.Evaluations, &r.Gates} {
		*list = lastOfEach(*list)
	}
	r.rates()
	r.Holder, err = lockfile.Holder(filepath.Join(dir, "LOCK"))
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		r.Problems = append(r.Problems, err.Error())
	}
	return r, nil
}

// add takes an event in. What a resumed run makes again is dropped.
func (r *Run) add(line int, text []byte, e *trainer.Event) {
	r.Last = *e
	switch e.Event {
	case startEvent, resumeEvent:
		r.Sittings++
		r.Began = e.Time
		again := func(x Record) bool { return x.Iteration > e.Iteration }
		r.Iterations = slices.DeleteFunc(r.Iterations, again)
		r.Gates = slices.DeleteFunc(r.Gates, again)
		if e.Event == startEvent {
			r.Evaluations = nil
		}
	case iterationEvent:
		r.Iterations = append(r.Iterations, r.record(line, text, e))
	case evaluationEvent:
		r.Evaluations = append(r.Evaluations, r.record(line, text, e))
	case gateEvent:
		r.Gates = append(r.Gates, r.record(line, text, e))
	case warningEvent:
		r.Warnings = append(r.Warnings, *e)
	}
}

// record is the event with its figures.
func (r *Run) record(line int, text []byte, e *trainer.Event) Record {
	if e.Strength != nil && len(r.Seats) == 0 {
		r.Seats = numbered(len(e.Strength.Points)) // the configuration did not tell
	}
	return Record{Event: *e, Line: line, Values: r.values(text), sitting: r.Sittings}
}

// lastOfEach keeps the last record of each iteration, ascending.
func lastOfEach(list []Record) []Record {
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b Record) int { return cmp.Compare(a.Iteration, b.Iteration) })
	return slices.CompactFunc(list, func(a, b Record) bool { return a.Iteration == b.Iteration })
}

func (r *Run) readConfig() {
	text, err := os.ReadFile(r.Folder.Config())
	if err == nil {
		var resolved *configs.Resolved
		if resolved, err = configs.Resolve(configs.Options{Name: r.Folder.Config(), Text: text}); err == nil {
			r.Config = &resolved.Config
		}
	}
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
		return
	}
	r.game = r.Config.Game
	g, err := game.New(r.game)
	if err != nil {
		r.Problems = append(r.Problems, err.Error())
		return
	}
	r.game = g.Name()
	for seat := range g.Players() {
		r.Seats = append(r.Seats, game.SeatName(g, game.Player(seat)))
	}
}

func (r *Run) readRatings() {
	text, err := os.ReadFile(r.Folder.Ratings())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		err = json.Unmarshal(text, r.Ratings)
	}
	if err != nil {
		r.Ratings = new(trainer.Ratings)
		r.Problems = append(r.Problems, fmt.Sprintf("%s: %v", r.Folder.Ratings(), err))
	}
}

// numbered names seats of which nothing is known.
func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "seat " + strconv.Itoa(i+1)
	}
	return names
}

// Game is the game's canonical name, "" where the configuration can't be read.
func (r *Run) Game() string { return r.game }

// Iteration is the number of the last finished one, 0 before the first.
func (r *Run) Iteration() int {
	if len(r.Iterations) == 0 {
		return 0
	}
	return r.Iterations[len(r.Iterations)-1].Iteration
}

// All is the number of iterations to be made, 0 where it is not known.
func (r *Run) All() int {
	if r.Config == nil {
		return 0
	}
	return r.Config.Training.Iterations
}

// State says how the run stands.
func (r *Run) State() State {
	finished := r.All() > 0 && r.Iteration() >= r.All()
	switch {
	case r.Holder != nil:
		return Running
	case r.Last.Event == stopEvent && (finished || r.Last.Message == trainer.Finished):
		return Complete
	case r.Last.Event == stopEvent:
		return Stopped
	}
	return Broken
}
