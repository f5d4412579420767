package player

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
	"tengen/search"
)

// Player is a kind of player with its settings. It is safe for concurrent use.
type Player interface {
	// Name is the player as Parse reads it.
	Name() string
	// NewSeat makes a seat for games of g.
	NewAgent(g game.Game) Agent
	// NewEvaluator makes the evaluator that serves up to capacity seats of this
	// player at a time on one goroutine; nil for a player that needs none.
	NewEvaluator(g game.Game, capacity int) search.Evaluator
}

// Seat plays one seat of a game, then of another. It is used by one goroutine.
// Whoever drives games seats it in a ObservingAgent, which keeps from it what it may not see.
type Agent interface {
	// Begin starts a game at its first position. All that the seat draws
	// comes from rng, which is its own from now on.
	Begin(rng *rand.Rand)
	// Think works on position s, in which it is this seat's turn and more
	// than one action is legal, until it has decided, or needs evaluations.
	// In the second case it has added states to leaves, and after Deliver
	// Think is called again with the same position.
	Think(s game.State, requests search.Requests) (a game.Action, decided bool)
	// Deliver takes the evaluations of the states that Think added.
	Deliver(evaluations search.Evaluations)
	// Played tells of every action of the game, by whomever, before it is
	// applied to s. In games with hidden information, of which not all may be
	// known, a is game.NoAction and s a determinized copy: what the seat sees
	// next does not follow from what it saw before.
	Played(s game.State, a game.Action)
}

// Thinker is what a Seat and a ObservingAgent have in common.
type Thinker interface {
	Think(s game.State, requests search.Requests) (a game.Action, decided bool)
	Deliver(evaluations search.Evaluations)
}

// Decide has a seat think until it has decided, with the evaluator of its player.
func Decide(seat Thinker, s game.State, e search.Evaluator) game.Action {
	for {
		a, decided := seat.Think(s, e)
		if decided {
			return a
		}
		seat.Deliver(e.Evaluate())
	}
}

// Searching is a Seat that decides by a Monte-Carlo tree, for those who learn
// from it; View is for those who want to see what it thought.
type Searching interface{ Tree() *mcts.Tree }
