package selfplay

import "tengen/internal/random"

// resignBelow returns the utility below which players resign in the game with a number, 0 if it is
// one of those that are played to their end. Which ones these are follows from the seed and the
// number, so that nobody can choose them.
func (j *Job) resignBelow(seed, number uint64, playedOut float64) float32 {
	if j.Resign == 0 || random.New(seed, random.Resignation, number).Float64() < playedOut {
		return 0
	}
	return j.Resign
}
