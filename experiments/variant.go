package experiments

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

// variant is a player who plays a game as if its rules were those of another
// with the same moves: it follows the game on a board of its own, and sees that.
type variant struct {
	player.Player
	game game.Game
}

// NewSeat makes a seat that plays the variant.
func (v variant) NewAgent(game.Game) player.Agent {
	return &variantSeat{Agent: v.Player.NewAgent(v.game), game: v.game, state: v.game.NewState()}
}

// NewEvaluator makes the evaluator for the variant's states.
func (v variant) NewEvaluator(_ game.Game, capacity int) search.Evaluator {
	return v.Player.NewEvaluator(v.game, capacity)
}

type variantSeat struct {
	player.Agent
	game  game.Game
	state game.State
}

func (s *variantSeat) Begin(rng *rand.Rand) {
	s.state.CopyFrom(s.game.NewState())
	s.Agent.Begin(rng)
}

func (s *variantSeat) Think(_ game.State, requests search.Requests) (game.Action, bool) {
	return s.Agent.Think(s.state, requests)
}

func (s *variantSeat) Played(a game.Action) {
	s.Agent.Played(a)
	s.state.Apply(a)
}
