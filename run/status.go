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
