package watch

import (
	"context"
	"strings"
	"time"

	"tengen/run"
	"tengen/run/history"
)

// Source is a watched run. It is used by one goroutine at a time.
type Source interface {
	// Look returns the state of the run. The snapshot belongs to the caller.
	Look(ctx context.Context, now time.Time) (*Snapshot, error)
}

// Open returns the source that a text names: the address of a process that trains
// (http://host:port), or otherwise a run's folder. It does not connect or read yet.
func Open(text string) (Source, error) {
	if strings.Contains(text, "://") {
		return newMetricsSource(text)
	}
	return &folderSource{dir: text, run: history.New(text)}, nil
}

// Snapshot is a run at one moment. Unknown values are null, empty or 0.
type Snapshot struct {
	Source    string    `json:"source"`
	Time      time.Time `json:"time"`
	Game      string    `json:"game"`
	Algorithm string    `json:"algorithm"`
	State     string    `json:"state"`  // running, complete, stopped, broken off
	Holder    string    `json:"holder"` // the process that holds the lock

	Iteration  int `json:"iteration"`  // finished
	Iterations int `json:"iterations"` // configured; 0: unknown
	// of the run that is done, 0 to 1: see configs.Config.Share
	Share float64 `json:"share"`
	Stage string  `json:"stage"` // "" between stages
	Done  int     `json:"done"`  // games of the stage
	All   int     `json:"all"`   // of the stage in all; 0: unknown

	GamesRate       *float64 `json:"games_per_second"`
	EvaluationsRate *float64 `json:"evaluations_per_second"`
	StepsRate       *float64 `json:"steps_per_second"`
	RatesOf         string   `json:"rates_of"`   // the time that the rates are of
	CacheHits       *float64 `json:"cache_hits"` // share of positions, 0 to 1

	Games  int `json:"games"` // of self-play so far
	Steps  int `json:"steps"`
	Window int `json:"window_games"`

	Losses   []Loss    `json:"losses"`
	Strength *Strength `json:"strength"`
	Rating   *Rating   `json:"rating"`

	Elapsed *float64  `json:"elapsed_seconds"` // of the run; from metrics: of the process
	Left    *float64  `json:"left_seconds"`    // about
	Told    time.Time `json:"told"`            // time of the last event
	Saved   time.Time `json:"saved"`           // time of the last checkpoint

	Warnings []Warning `json:"warnings"` // the last ones, newest last
}

// Loss is the loss of a head.
type Loss struct {
	Head     string   `json:"head"` // policy or value
	Training *float64 `json:"training"`
	HeldOut  *float64 `json:"held_out"`
	// on held-out games if there are any, else training; oldest first. Of a run of more than 1,000
	// iterations each is a mean.
	Curve []float64 `json:"curve"`
}

// Strength is the result of the last evaluation.
type Strength struct {
	history.Measurement
	Curve []float64 `json:"curve"` // of the sum
}

// Rating is a rating relative to UCT.
type Rating struct {
	run.Elo
	Curve []float64 `json:"curve"`
}

// Warning is something that a person may want to know about.
type Warning struct {
	Time time.Time `json:"time"` // zero: now
	Text string    `json:"text"`
}

// maxWarnings is the number of warnings in a snapshot.
const maxWarnings = 3

func (s *Snapshot) warn(w Warning) {
	s.Warnings = append(s.Warnings, w)
	s.Warnings = s.Warnings[max(0, len(s.Warnings)-maxWarnings):]
}
