package selfplay

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/player"
	"tengen/replay"
	"tengen/search"
)

// uctSearch is the search of all UCT agents of a worker. It keeps nothing from one decision to
// the next.
type uctSearch struct {
	agent        player.Agent
	result       search.Result
	policyTarget bool
	children     []search.Child
}

func newUCTSearch(s *Settings) *uctSearch {
	agent := s.UCT.NewAgent(s.Game)
	return &uctSearch{agent: agent, result: agent.(player.Searching).Result(), policyTarget: s.UCTPolicyTarget}
}

// uctAgent plays for the UCT players of one game. It is a searchAgent.
type uctAgent struct {
	uct *uctSearch
	rng *rand.Rand // the game's
}

func (u *uctAgent) Begin(rng *rand.Rand) { u.rng = rng }

func (u *uctAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	u.uct.agent.Begin(u.rng)
	return u.uct.agent.Think(s, nil)
}

func (*uctAgent) Deliver(search.Evaluations) {}
func (*uctAgent) Played(game.Action)         {}

func (u *uctAgent) record(m *replay.Move) {
	u.uct.result.Value(m.Value)
	if u.uct.policyTarget {
		u.uct.children = u.uct.result.Children(u.uct.children[:0])
		m.Visits = visits(u.uct.children)
	}
}
