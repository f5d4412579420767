package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts"
	"tengen/player"
	"tengen/replay"
)

// uctSeat decides for all seats of a worker that UCT plays: it keeps nothing
// from one decision to the next.
type uctSeat struct {
	seat         player.Seat
	tree         *mcts.Tree
	policyTarget bool
	players      int
	children     []mcts.Child
}

func newUCTSeat(s *Settings) *uctSeat {
	seat := s.UCT.NewSeat(s.Game)
	return &uctSeat{
		seat: seat, tree: seat.(player.Searching).Tree(),
		policyTarget: s.UCTPolicyTarget, players: s.Game.Players(),
	}
}

func (u *uctSeat) decide(state game.State, mover game.Player, rng *rand.Rand) replay.Move {
	u.seat.Begin(rng)
	action, _ := u.seat.Think(state, nil)
	m := replay.Move{Mover: mover, Action: action, Value: make([]float32, u.players)}
	u.tree.Value(m.Value)
	if u.policyTarget {
		u.children = u.tree.Children(u.children[:0])
		m.Visits = visits(u.children)
	}
	return m
}
