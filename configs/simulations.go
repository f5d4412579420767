package configs

import "math"

// SimulationsAt returns the simulations of a full search of self-play during the given iteration, from 0, of a
// run of the given number of iterations. They grow geometrically from Simulations at iteration 0 to SimulationsEnd
// at the last; without SimulationsEnd they stay.
func (s Search) SimulationsAt(iteration, iterations int) int {
	if s.SimulationsEnd == 0 || iterations < 2 {
		return s.Simulations
	}
	done := min(1, float64(iteration)/float64(iterations-1))
	return int(math.Round(float64(s.Simulations) * math.Pow(float64(s.SimulationsEnd)/float64(s.Simulations), done)))
}

// MeanSimulations returns the mean of SimulationsAt over a run.
func (s Search) MeanSimulations() int {
	if s.SimulationsEnd <= s.Simulations {
		return s.Simulations
	}
	growth := float64(s.SimulationsEnd) / float64(s.Simulations)
	return int(math.Round(float64(s.SimulationsEnd-s.Simulations) / math.Log(growth)))
}
