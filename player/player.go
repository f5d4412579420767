package player

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/search"
)

// Player is a kind of player with its settings. It is safe for concurrent use.
type Player interface {
	// Name returns the player as Parse reads it.
	Name() string
	// NewAgent makes an agent for games of g.
	NewAgent(g game.Game) Agent
	// NewEvaluator makes the evaluator of up to capacity agents of this player,
	// all on one goroutine. It returns nil for a player that needs none.
	NewEvaluator(g game.Game, capacity int) search.Evaluator
}

// Agent plays one seat of a game, then of another. It is used by one goroutine.
// Drivers of games wrap it in an ObservingAgent, which hides from it what its
// seat can't see.
type Agent interface {
	// Begin starts a game at its first position. The agent draws from rng alone,
	// and owns it.
	Begin(rng *rand.Rand)
	// Think searches position s, in which it is this agent's turn and more than
	// one action is legal, until it has decided, or needs evaluations. In the
	// second case it has added states to requests, and Think is called again with
	// the same position after Deliver.
	Think(s game.State, requests search.Requests) (a game.Action, decided bool)
	// Deliver takes the evaluations of the states that Think added.
	Deliver(evaluations search.Evaluations)
	// Played is called for every action of the game, of all players and of chance,
	// before it is applied to s. In games with imperfect information a is
	// game.NoAction and s a determinized copy: later positions do not follow from
	// it.
	Played(s game.State, a game.Action)
}

// Thinker is what an Agent and an ObservingAgent have in common.
type Thinker interface {
	Think(s game.State, requests search.Requests) (a game.Action, decided bool)
	Deliver(evaluations search.Evaluations)
}

// Decide has an agent think until it has decided, with the evaluator of its
// player.
func Decide(seat Thinker, s game.State, e search.Evaluator) game.Action {
	for {
		a, decided := seat.Think(s, e)
		if decided {
			return a
		}
		seat.Deliver(e.Evaluate())
	}
}
