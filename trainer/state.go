package trainer

import "tengen/run"

// State is the state of a run in a checkpoint, except weights and solver.
type State struct {
	Iteration int `json:"iteration"` // finished
	Games     int `json:"games"`     // played in them
	// Evaluations is the number that self-play asked the network for in these games, if
	// training.evaluations limits it.
	Evaluations uint64  `json:"evaluations,omitempty"`
	Elapsed     float64 `json:"elapsed"` // seconds, over all processes
	// of the last process; other kernels round differently
	Kernels string       `json:"kernels"`
	Window  *WindowState `json:"window,omitempty"`
	// Plateau is nil before the first held-out loss, and without training.schedule=plateau.
	Plateau *PlateauState `json:"plateau,omitempty"`
	// Fit is nil before the first held-out loss.
	Fit *FitState `json:"fit,omitempty"`
	// Asynchronous is nil in other cycles.
	Asynchronous *AsynchronousState `json:"asynchronous,omitempty"`
	// Resignation is nil before the first iteration's end, and while nobody resigns by
	// configuration.
	Resignation *ResignationState `json:"resignation,omitempty"`
	// Init is the origin of the initial weights; "": drawn from the seed.
	Init string `json:"init,omitempty"`
	// Events are those of the last iteration. They are logged after the checkpoint, and a process
	// that is killed in between leaves them to the next one.
	Events []run.Event `json:"events,omitempty"`
	// Dropped is the number of updates that were dropped because a number was not finite,
	// and DroppedNow the number of consecutive ones up to now.
	Dropped    int `json:"dropped,omitempty"`
	DroppedNow int `json:"dropped_now,omitempty"`
}

// ResignationState is what the games of the window tell of resignations: replay.Resignation.
type ResignationState struct {
	// utility below which players resign in games that begin from now on; 0: nobody does
	Threshold float32 `json:"threshold"`
	Games     int     `json:"games"`    // of the window that were played to their end
	Resigned  int     `json:"resigned"` // of these, those that would have ended by resignation
	// of these, those in which a player that would have resigned did not lose
	False int `json:"false"`
}

// threshold returns the utility below which players resign, 0 for a nil state.
func (s *ResignationState) threshold() float32 {
	if s == nil {
		return 0
	}
	return s.Threshold
}

// WindowState says which games were in the replay window at a checkpoint, so that a
// resumed run loads the same games.
type WindowState struct {
	Games    int `json:"games"`    // in it
	Capacity int `json:"capacity"` // configs.Replay.Window
	// First has the number of the window's first game after each of the last
	// checkpoints.keep_last iterations, the newest last. Older games are not needed.
	First []uint64 `json:"first"`
}

// AsynchronousState is the state of an asynchronous cycle in a checkpoint.
type AsynchronousState struct {
	// Streams is the number of games begun: each has random streams of its own, by number. Those of
	// games that were in progress at the end of a process are not used again.
	Streams uint64 `json:"streams"`
}
