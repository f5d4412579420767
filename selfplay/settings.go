package selfplay

import (
	"tengen/game"
	"tengen/player"
)

// Settings are the settings of self-play. They stay the same throughout a run.
type Settings struct {
	Game game.Game
	Seed uint64 // of the run

	Network player.Actor // plays for the players that UCT does not play for
	UCT     player.UCT   // plays for the others

	UCTPolicyTarget bool // record the visits of UCT's searches as policy targets

	// RandomPlies is the greatest number of random moves with which a game begins, outcomes of
	// chance included; 0: none.
	RandomPlies int

	// CountEvaluations records for each game how many evaluations its searches asked for.
	CountEvaluations bool

	// PlayedOut is the share of games in which nobody resigns, whatever Job.Resign is: they are
	// played to their end.
	PlayedOut float64

	// Remote, if not nil, plays games beside the workers of this process.
	Remote RemoteWorkers
}

// newNetworkAgent returns an agent that plays for the network.
func (s *Settings) newNetworkAgent() player.ActorAgent {
	return s.Network.NewAgent(s.Game).(player.ActorAgent)
}
