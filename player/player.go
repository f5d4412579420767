package player

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/search"
)

// Player is a kind of player with its settings. It is safe for concurrent use.
type Player interface {
	// Name is the player as Parse reads it.
	Name() string
	// NewAgent makes an agent for games of g.
	NewAgent(g game.Game) Agent
	// NewEvaluator makes the evaluator that serves up to capacity agents of this player
	// at a time on one goroutine; nil for a player that needs none.
	NewEvaluator(g game.Game, capacity int) search.Evaluator
}

// Agent plays for one or more players of a game, then of another. It is used by one
// goroutine. Package play drives agents, and keeps from them what they may not see.
type Agent interface {
	// Begin starts a game at its first position. All that the agent draws comes from
	// rng.
	Begin(rng *rand.Rand)
	// Think works on position s, in which it is this agent's turn and more than one
	// action is legal, until it has decided or needs evaluations. In the second case it
	// has added states to requests, and after Deliver Think is called again with the
	// same position.
	Think(s game.State, requests search.Requests) (a game.Action, decided bool)
	// Deliver takes the evaluations of the states that Think added.
	Deliver(evaluations search.Evaluations)
	// Played tells of every action of the game, by whomever, before it is applied. In
	// games with hidden information a is game.NoAction: what the agent sees next does
	// not follow from what it saw before.
	Played(a game.Action)
}

// Decide returns an agent's action in s. e is the evaluator of its player, whose
// error it returns.
func Decide(agent Agent, s game.State, e search.Evaluator) (game.Action, error) {
	for {
		a, decided := agent.Think(s, e)
		if decided {
			return a, nil
		}
		evaluations, err := e.Evaluate()
		if err != nil {
			return game.NoAction, err
		}
		agent.Deliver(evaluations)
	}
}
