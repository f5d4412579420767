package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
	"tengen/player"
	"tengen/replay"
)

// found is what a search by UCT tells.
type found interface {
	Value(dst []float32)
	Children(dst []mcts.Child) []mcts.Child
}

// uctSeat decides for all seats of a worker that UCT plays: it keeps nothing
// from one decision to the next.
type uctSeat struct {
	seat         player.Agent
	found        found
	policyTarget bool
	players      int
	children     []mcts.Child
}

func newUCTSeat(s *Settings) *uctSeat {
	u := &uctSeat{seat: s.UCT.NewAgent(s.Game), policyTarget: s.UCTPolicyTarget, players: s.Game.Players()}
	switch seat := u.seat.(type) {
	case player.SearchingInfoSets:
		u.found = seat.InfoSets()
	case player.Searching:
		u.found = seat.Tree()
	}
	return u
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
