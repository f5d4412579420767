package multigo

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/player"
	"tengen/search"
)

// variant is a player that plays a game by the rules of another one with the same actions. Its
// agents follow the game in a state of that other game and search from there.
type variant struct {
	player.Player
	game game.Game
}

// NewAgent makes an agent that plays the variant.
func (v variant) NewAgent(game.Game) player.Agent {
	return &variantAgent{Agent: v.Player.NewAgent(v.game), game: v.game, state: v.game.NewState()}
}

// NewEvaluator makes the evaluator for the variant's states.
func (v variant) NewEvaluator(_ game.Game, capacity int) search.Evaluator {
	return v.Player.NewEvaluator(v.game, capacity)
}

type variantAgent struct {
	player.Agent
	game  game.Game
	state game.State
}

func (a *variantAgent) Begin(rng *rand.Rand) {
	a.state.CopyFrom(a.game.NewState())
	a.Agent.Begin(rng)
}

func (a *variantAgent) Think(_ game.State, requests search.Requests) (game.Action, bool) {
	return a.Agent.Think(a.state, requests)
}

func (a *variantAgent) Played(action game.Action) {
	a.Agent.Played(action)
	a.state.Apply(action)
}
