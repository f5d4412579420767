package selfplay

import (
	"fmt"

	"tengen/internal/stream"
	"tengen/replay"
)

// resignBelow returns the utility below which players resign in the game with a number, 0 if it is one of those that are played to
// their end. Which ones these are follows from the seed and the number, so that nobody can choose them.
func (j *Job) resignBelow(seed, number uint64, playedOut float64) float32 {
	if j.Resign == 0 || stream.New(seed, stream.Resignation, number).Float64() < playedOut {
		return 0
	}
	return j.Resign
}

// CheckResign returns an error if players resigned in a game that somebody else has played below another utility than the job and the
// game's number give. What their searches found is not checked.
func (j *Job) CheckResign(seed uint64, playedOut float64, g *replay.Game) error {
	if want := j.resignBelow(seed, g.Number, playedOut); g.Resign != want {
		return fmt.Errorf("game %d says that players resigned below a utility of %v, where %v was given", g.Number, g.Resign, want)
	}
	return nil
}
