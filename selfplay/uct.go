package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/player"
	"tengen/replay"
	"tengen/search"
)

// uctSeat decides for all seats of a worker that UCT plays: it keeps nothing
// from one decision to the next.
type uctSeat struct {
	seat         player.Agent
	found        search.Result
	policyTarget bool
	players      int
	children     []search.Child
}

func newUCTSeat(s *Settings) *uctSeat {
	agent := s.UCT.NewAgent(s.Game)
	return &uctSeat{
		seat: agent, found: agent.(player.Searching).Result(),
		policyTarget: s.UCTPolicyTarget, players: s.Game.Players(),
	}
}

func (u *uctSeat) decide(state game.State, mover game.Player, rng *rand.Rand) replay.Move {
	u.seat.Begin(rng)
	action, _ := u.seat.Think(state, nil)
	m := replay.Move{Mover: mover, Action: action, Value: make([]float32, u.players)}
	u.found.Value(m.Value)
	if u.policyTarget {
		u.children = u.found.Children(u.children[:0])
		m.Visits = visits(u.children)
	}
	return m
}
