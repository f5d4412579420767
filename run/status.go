package run

import "time"

// State says what becomes of a run in this process.
type State string

// The states, in order. "" is that of a run that has not begun.
const (
	Training State = "training"
	Stopping State = "stopping" // it was asked to stop, and commits what is finished
	Stopped  State = "stopped"  // before its end; Status.Message says why
	Complete State = "complete"
)

// Status is a run at one moment.
type Status struct {
	State   State
	Message string        // why it has stopped, as in the event EventStop
	Elapsed time.Duration // of the run over all processes, without waits for the disk
	Limit   time.Duration // training.minutes; 0: none
	Share   float64       // of the run that is done, 0 to 1: see configs.Config.Share

	Iteration  int // finished
	Iterations int
	Stage      Stage  // "" between stages and at the end
	Done, All  int    // games, steps or evaluation games of the stage
	Waiting    string // why the run is paused, such as a full disk; "" if it is not

	GamesPerSecond       float64   // of self-play, in the current stage or the last one
	EvaluationsPerSecond float64   // by the network
	CacheHits            float64   // share of cache lookups that hit; 0 without lookups
	Last                 *Progress // of the last finished iteration
	Strength             *Strength // of the last evaluation
	// the evaluation that runs concurrently with the stage; nil without one
	Concurrent *Evaluating
	// until the first of the run's limits, by estimate; 0 while unknown, and from the end on
	Left time.Duration
}

// Evaluating is the progress of an evaluation.
type Evaluating struct {
	Iteration int // of the network
	Done, All int // games
}

// Stage is a part of an iteration. Its value is its label in metrics.
type Stage string

// The stages, in the order in which an iteration goes through them.
const (
	StageSelfPlay   Stage = "self_play"
	StageReplay     Stage = "replay" // the games enter the window
	StageUpdate     Stage = "update"
	StageCheckpoint Stage = "checkpoint"
	StageEvaluation Stage = "evaluation" // between iterations, or concurrent with the other stages
)

// Stages returns all stages in their order.
func Stages() []Stage {
	return []Stage{StageSelfPlay, StageReplay, StageUpdate, StageCheckpoint, StageEvaluation}
}

// Title returns the stage's name for people.
func (s Stage) Title() string {
	if s == StageSelfPlay {
		return "self-play"
	}
	return string(s)
}

// Unit returns what Status.Done and Status.All count in the stage, "" if they count nothing.
func (s Stage) Unit() string {
	switch s {
	case "", StageCheckpoint:
		return ""
	case StageUpdate:
		return "steps"
	}
	return "games"
}

// Cluster is what a trainer knows of workers on other machines at one moment.
type Cluster struct {
	// by id; those of which nothing was heard for an hour are left out
	Workers []Worker `json:"workers"`
	Queues  []Queue  `json:"queues"`
	Given   int      `json:"given"` // games that workers have and that are not finished
	Early   int      `json:"early"` // finished games that this process has not given out yet
	Counted uint64   `json:"counted"`
	Late    uint64   `json:"late"`    // games that others had finished before
	Matches uint64   `json:"matches"` // games of matches that counted
	// Redelivered and Again are since the trainer's start: batches of games that came more than
	// once, and blocks of work that were given out a second time.
	Redelivered uint64 `json:"redelivered"`
	Again       uint64 `json:"again"`
	// by reason: the labels of tengen_cluster_refused_total
	Refused map[string]uint64 `json:"refused"`
}

// Queue is a stream on the broker.
type Queue struct {
	Name     string `json:"name"` // work, matches or games
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
}

// Worker is what is known of a worker on another machine.
type Worker struct {
	ID      string    `json:"id"`
	Host    string    `json:"host"`
	Build   string    `json:"build"`
	Kernels string    `json:"kernels"`
	Games   int       `json:"games_at_a_time"`
	Counted uint64    `json:"games"`   // that counted, since the trainer's start
	Late    uint64    `json:"late"`    // that others had finished before
	Rate    float64   `json:"rate"`    // evaluations a second, as it says
	Refused uint64    `json:"refused"` // batches
	Reason  string    `json:"reason,omitempty"`
	Seen    time.Time `json:"seen"`
	Alive   bool      `json:"alive"`
}
