package trainer

// State is what a checkpoint keeps of a run beside weights and solver.
type State struct {
	Iteration int     `json:"iteration"` // finished
	Games     int     `json:"games"`     // played in them
	Elapsed   float64 `json:"elapsed"`   // seconds, over all processes
	Kernels   string  `json:"kernels"`   // of the last process: others differ in the last bits
	// Gate is nil where there is none.
	Gate   *GateState   `json:"gate,omitempty"`
	Window *WindowState `json:"window,omitempty"`
	// Init says whose weights the run began with; "": with weights drawn from its seed.
	Init string `json:"init,omitempty"`
	// Dropped is the number of updates that were dropped for numbers that are
	// not finite, DroppedNow of those since the last one that was not.
	Dropped    int `json:"dropped,omitempty"`
	DroppedNow int `json:"dropped_now,omitempty"`
}

// GateState is what a checkpoint keeps of a run's gate.
type GateState struct {
	Best int    `json:"best"` // iteration that left the network with which games are played; 0: the first weights
	Step uint64 `json:"step"` // training steps behind it
}

// WindowState is what a checkpoint keeps of the replay window: which games it
// held, so that exactly these are looked for on resume.
type WindowState struct {
	Games    int `json:"games"`    // in it
	Capacity int `json:"capacity"` // replay.games
	// First has the number of its first game after each of the last
	// checkpoints.keep_last iterations, the newest last: the older games are
	// needed no more.
	First []uint64 `json:"first"`
}
