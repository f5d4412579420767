package configs

import (
	"math"
)

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

// GrowthExponent is the power of the games played with which the window grows: KataGo's.
const GrowthExponent = 0.75

// Window returns the size of the replay window after a number of games of self-play: c = Games up
// to c games, and
//
//	c·(1 + β·((games/c)^α - 1)/α)
//
// after more, with β = Growth and α = GrowthExponent, as in KataGo (Wu 2019, arXiv:1902.10565,
// appendix C, where it counts positions). It grows by β of a game a game at first, and by less
// later, so that no game that has left the window comes back.
func (r Replay) Window(games int) int {
	if r.Growth == 0 || games <= r.Games {
		return r.Games
	}
	c, a := float64(r.Games), float64(GrowthExponent)
	return int(c * (1 + r.Growth*(math.Pow(float64(games)/c, a)-1)/a))
}
