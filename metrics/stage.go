package metrics

// Stage is a part of an iteration.
type Stage string

// The stages, in the order in which an iteration goes through them.
const (
	SelfPlay   Stage = "self_play"
	Replay     Stage = "replay" // games enter the window
	Update     Stage = "update"
	Gate       Stage = "gate" // the new network plays the best one
	Checkpoint Stage = "checkpoint"
	// Evaluation goes on beside the others, or between iterations.
	Evaluation Stage = "evaluation"
)

var stages = []Stage{SelfPlay, Replay, Update, Gate, Checkpoint, Evaluation}

// Enter records that the run is in stage s from now on, until the function that
// it returns is called, once.
func (m *Metrics) Enter(s Stage) (leave func()) {
	gauge, ok := m.stages[s]
	if !ok {
		panic("metrics: no stage is called " + string(s))
	}
	began := m.now()
	gauge.Set(1)
	return func() {
		gauge.Set(0)
		m.stageDuration[s].Observe(m.now().Sub(began).Seconds())
	}
}
