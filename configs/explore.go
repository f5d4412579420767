package configs

// Explore is the parameter of the exploration during the given iteration,
// counted from 0, of a run of so many iterations: on the straight line from
// ExploreStart at iteration 0 to ExploreEnd at the last. A run of one iteration
// has ExploreEnd.
func (d Descent) Explore(iteration, iterations int) float64 {
	done := 1.0
	if iteration < iterations-1 {
		done = float64(iteration) / float64(iterations-1)
	}
	return d.ExploreStart + done*(d.ExploreEnd-d.ExploreStart)
}
