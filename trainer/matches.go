package trainer

import (
	"tengen/arena"
	"tengen/nn"
)

// RemoteMatches plays games of a run's evaluations beside the trainer, such as on other machines.
type RemoteMatches interface {
	// Match returns who plays games of matches among some players, in the order of
	// arena.Match.Players.
	Match(players []arena.Contestant) arena.RemoteWorkers
}

// remote returns who plays games of a match among some players beside the trainer; nil for nobody.
func (p *Plan) remote(players ...arena.Contestant) arena.RemoteWorkers {
	if p.Matches == nil {
		return nil
	}
	for _, c := range players {
		if c.Params == nil && c.Player == "" {
			return nil // a network whose parameters are not kept any more
		}
	}
	return p.Matches.Match(players)
}

// contestant describes the player that NetworkPlayer makes of a network.
func (p *Plan) contestant(w nn.Network, simulations int) arena.Contestant {
	return arena.Contestant{Params: p.loaded.of(w), Simulations: simulations}
}
