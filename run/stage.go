package run

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
