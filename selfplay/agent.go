package selfplay

import (
	"tengen/player"
	"tengen/replay"
)

// searchAgent is an agent whose searches teach. It plays for all players of one kind
// (network or UCT), which share what it finds out, in one game after another.
type searchAgent interface {
	player.Agent
	// record adds to a move, which it has just decided, the value and the visits that
	// its search found.
	record(m *replay.Move)
}

// networkAgent is a searchAgent that searches with the network.
type networkAgent interface {
	searchAgent
	// finish adds to the record of a game that has just ended, in which it played, what
	// else its searches teach.
	finish(r *replay.Game)
}

// newNetworkAgent makes the agent that the settings ask for.
func newNetworkAgent(w *worker) networkAgent {
	if w.settings.Descent != nil {
		return newDescent(w)
	}
	return newAlphaZero(w)
}
