package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/replay"
	"tengen/search"
)

// learner decides for the seats that the network plays, in one game after
// another. All of them share what it finds out.
type learner interface {
	// begin starts a game, all of whose randomness comes from rng.
	begin(first game.State, rng *rand.Rand)
	// think begins a search of a position in which a player has a choice, or of
	// what that player may see of it; advance and deliver are search.Search's.
	think(state game.State)
	advance(requests search.Requests) (done bool)
	deliver(evaluations search.Evaluations)
	// decide ends the search: it fills in the action, the value (which has
	// a place for each player) and what else the search teaches.
	decide(m *replay.Move)
	// played tells of every action, before it is applied.
	played(a game.Action)
	// end completes the record of a finished game.
	end(r *replay.Game, final game.State)
}

// newLearner makes the learner that the settings ask for.
func newLearner(w *worker) learner {
	if w.settings.Descent != nil {
		return newDescent(w)
	}
	return newAlphaZero(w)
}
