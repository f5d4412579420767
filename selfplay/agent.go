package selfplay

import (
	"tengen/player"
	"tengen/replay/record"
)

// searchAgent is an agent whose searches give training targets. It plays one game after
// another, in each for all players of one kind (network or UCT), which share its search.
type searchAgent interface {
	player.Agent
	// record adds the value and the visits of the last search to the move that it decided.
	record(m *record.Move)
}

// networkAgent is a searchAgent that searches with the network.
type networkAgent interface {
	searchAgent
	// follow makes the games that follow those of a job: with its Exploration.
	follow(job *Job)
	// believe gives it the belief of its network for the decisions that follow; nil: none.
	believe(x *player.Believer)
	// opened tells that the moves so far are an opening's.
	opened()
	// finish adds the other targets of its searches to the record of a game that has just
	// ended.
	finish(r *record.Game)
}

// newNetworkAgent returns the kind of agent that the settings say.
func newNetworkAgent(w *worker) networkAgent {
	if w.settings.Descent != nil {
		return newDescent(w)
	}
	return newAlphaZero(w)
}
