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
func (v variant) NewSeat(game.Game) player.Seat {
	return &variantSeat{Seat: v.Player.NewSeat(v.game), game: v.game, state: v.game.NewState()}
}

// NewEvaluator makes the evaluator for the variant's states.
func (v variant) NewEvaluator(_ game.Game, capacity int) search.Evaluator {
	return v.Player.NewEvaluator(v.game, capacity)
}

type variantSeat struct {
	player.Seat
	game  game.Game
	state game.State
}

func (s *variantSeat) Begin(rng *rand.Rand) {
	s.state.CopyFrom(s.game.NewState())
	s.Seat.Begin(rng)
}

func (s *variantSeat) Think(_ game.State, leaves search.Leaves) (game.Action, bool) {
	return s.Seat.Think(s.state, leaves)
}

func (s *variantSeat) Played(_ game.State, a game.Action) {
	s.Seat.Played(s.state, a)
	s.state.Apply(a)
}
