package player

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/search"
)

// Random plays any legal action, each as likely as the others.
type Random struct{}

// Name is "random".
func (Random) Name() string { return "random" }

// NewEvaluator is nil: nothing is evaluated.
func (Random) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// NewSeat makes a seat.
func (Random) NewAgent(game.Game) Agent { return &randomSeat{} }

type randomSeat struct {
	rng   *rand.Rand
	legal []game.Action
}

func (r *randomSeat) Begin(rng *rand.Rand) { r.rng = rng }

func (r *randomSeat) Think(s game.State, _ search.Requests) (game.Action, bool) {
	r.legal = s.LegalActions(r.legal[:0])
	return r.legal[r.rng.IntN(len(r.legal))], true
}

func (r *randomSeat) Deliver(search.Evaluations)     {}
func (r *randomSeat) Played(game.State, game.Action) {}
