package configs

// The constants of the warm start, those of Driss et al. (Deep Reinforcement Learning for 5×5
// Multiplayer Go, Table 1 and section 3.2.2).
const (
	WarmStartFloor = 0.05 // lowest probability to which a schedule falls
	WarmStartC     = 0.8  // exploration constant of the UCT players, on the scale of their utility
)

// Epsilon returns the probability that UCT plays a seat in a game of the given
// iteration, from 0, of a run of the given number of iterations:
//
//	formula   max(start − iteration/iterations, floor)
//	linear    from start to floor, linearly over all iterations
//	constant  start
//	none      0
//
// floor is WarmStartFloor, or start if that is less.
//
// The formula is from Driss et al. (Deep Reinforcement Learning for 5×5
// Multiplayer Go, section 3.2.2), and reaches the floor of 0.05 at 45 % of the
// run; linear is what that section says in words ("reaching 5 % by iteration 50").
func (w WarmStart) Epsilon(iteration, iterations int) float64 {
	done := 1.0
	if iteration < iterations {
		done = float64(iteration) / float64(iterations)
	}
	floor := min(WarmStartFloor, w.Start)
	switch w.Schedule {
	case WarmStartFormula:
		return max(w.Start-done, floor)
	case WarmStartLinear:
		return w.Start + done*(floor-w.Start)
	case WarmStartConstant:
		return w.Start
	}
	return 0
}
