package configs

import "math"

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
