package gametest_test

import (
	"math/rand/v2"

	"tengen/game"
)

// Strategies has one: mark the first free cell.
func (g *toy) Strategies() []game.Strategy {
	q := game.Strategy{Name: "first", Choose: func(s game.State, _ *rand.Rand) game.Action {
		legal := s.LegalActions(nil)
		switch t := s.(*toyState); t.g.broken {
		case "strategy without rules":
			return toyFill + 1
		case "strategy that peeks":
			return legal[int(t.cards[1-t.CurrentPlayer()])%len(legal)]
		}
		return legal[0]
	}}
	switch g.broken {
	case "strategy name":
		q.Name = "random"
	case "rollout stops":
		q.Rollout = func(game.State, float64, *rand.Rand) {}
	}
	return []game.Strategy{q}
}
