package gametest

import (
	"fmt"

	"tengen/game"
)

// checkPace checks that estimates of the decisions left, if the game makes any, are in order and
// within the bound that it gives.
func checkPace(c *checker) error {
	if _, ok := c.g.NewState().(game.Paced); !ok {
		return nil
	}
	for _, actions := range c.played {
		s := c.g.NewState()
		var most []float64 // by decision of the game
		var players []game.Player
		for n, a := range actions {
			if p := s.CurrentPlayer(); p >= 0 && len(s.LegalActions(nil)) > 1 {
				expected, bound := s.(game.Paced).DecisionsLeft(p)
				if !(expected >= 1 && expected <= bound) {
					return afterActions(actions[:n], fmt.Errorf("player %d is to make %g decisions, the one at hand included, and at most %g", p, expected, bound))
				}
				most, players = append(most, bound), append(players, p)
			}
			s.Apply(a)
		}
		var made [game.MaxPlayers]float64
		for i := len(most) - 1; i >= 0; i-- {
			p := players[i]
			if made[p]++; made[p] > most[i] {
				return afterActions(actions,
					fmt.Errorf("player %d made %g decisions where there are at most %g",
						p, made[p], most[i]))
			}
		}
	}
	return nil
}
