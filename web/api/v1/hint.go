package v1

import (
	"context"
	"errors"

	"tengen/game"
	"tengen/internal/random"
	"tengen/player"
	"tengen/search"
)

// hintView is a player's advice to the person to move.
type hintView struct {
	Action game.Action `json:"action"`
	Name   string      `json:"name"`
	By     string      `json:"by"`              // who was asked
	Value  []float32   `json:"value,omitempty"` // utilities by seat that it expects
}

// hint asks the newest network, or UCT if there is none, what it would do in place of the person to
// move. It sees what that person sees. The caller holds s.mu, and searches.
func (x *sessions) hint(ctx context.Context, s *session) (*hintView, error) {
	h := &hintView{By: "UCT"}
	var p player.Player = player.UCT{
		Simulations: s.simulations, Time: maxMoveTime, C: 0.8, Utility: player.Unit,
	}
	network, err := x.models.load(-1)
	switch {
	case err == nil:
		if p, err = network.player(x.game, s.simulations); err != nil {
			return nil, refused{err}
		}
		h.By = network.title()
	case !errors.Is(err, errNoNetwork):
		return nil, err
	}
	mover := s.recorder.state.CurrentPlayer()
	moved := false
	g := player.NewGame(x.game)
	g.OnMove = func(m player.Move) {
		moved = true
		h.Action, h.Name = m.Action, game.ActionName(x.game, g.State(), m.Action)
		if a, ok := m.Agent.(player.Analyzer); ok {
			h.Value = a.Analysis().Value
		}
	}
	seats := make([]player.Seat, x.game.Players())
	seats[mover] = player.Seat{
		Agent: p.NewAgent(x.game),
		Rand:  random.New(s.seed, random.Arena, 1, uint64(len(s.recorder.record.Moves))),
	}
	g.Start(player.Setup{
		Seed: s.seed, Purpose: random.Arena, Number: 1, Seats: seats, State: s.recorder.state,
	})
	evaluator := p.NewEvaluator(x.game, 1)
	if evaluator != nil {
		defer search.Close(evaluator)
	}
	if _, err := g.Next(ctx, []search.Evaluator{evaluator}); err != nil {
		return nil, err
	}
	if !moved {
		return nil, refused{errNotYours}
	}
	return h, nil
}
