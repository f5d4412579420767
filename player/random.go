package player

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/search"
)

// Random plays a legal action drawn uniformly.
type Random struct{}

// Name returns "random".
func (Random) Name() string { return "random" }

// Draws implements Drawing.
func (Random) Draws() bool { return true }

// NewEvaluator returns nil: nothing is evaluated.
func (Random) NewEvaluator(game.Game, int) search.Evaluator { return nil }

// Probabilities implements Explicit.
func (Random) Probabilities(
	_ game.State, _ search.Evaluator, legal []game.Action, dst []float64,
) error {
	for i := range legal {
		dst[i] = 1 / float64(len(legal))
	}
	return nil
}

// NewAgent implements Player.
func (Random) NewAgent(game.Game) Agent { return &randomAgent{} }

type randomAgent struct {
	rng   *rand.Rand
	legal []game.Action
}

func (r *randomAgent) Begin(rng *rand.Rand) { r.rng = rng }

func (r *randomAgent) Think(s game.State, _ search.Requests) (game.Action, bool) {
	r.legal = s.LegalActions(r.legal[:0])
	return r.legal[r.rng.IntN(len(r.legal))], true
}

func (r *randomAgent) Deliver(search.Evaluations) {}
func (r *randomAgent) Played(game.Action)         {}
