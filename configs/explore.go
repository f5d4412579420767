package configs

// Explore returns the parameter of the exploration during the given iteration, from
// 0, of a run of the given number of iterations. It changes linearly from 0 at iteration 0 to
// ExploreEnd at the last. For a run of one iteration it is ExploreEnd.
func (d Descent) Explore(iteration, iterations int) float64 {
	done := 1.0
	if iteration < iterations-1 {
		done = float64(iteration) / float64(iterations-1)
	}
	return done * d.ExploreEnd
}
