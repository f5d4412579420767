package interactive

import (
	"math/rand/v2"

	"tengen/game"
)

// coin is a game without names, drawing or playout: the first player guesses 0
// or 1, chance throws a coin, then the second player guesses. Whoever guessed
// right gets 1. Its states are one string of what happened.
type coin struct{}

func (coin) Name() string         { return "coin" }
func (coin) Players() int         { return 2 }
func (coin) Actions() int         { return 2 }
func (coin) Planes() game.Shape   { return game.Shape{C: 1, H: 1, W: 1} }
func (coin) Support() []float32   { return nil }
func (coin) HasChance() bool      { return true }
func (coin) NewState() game.State { return &coinState{} }

type coinState struct {
	done [3]game.Action
	n    int
}

func (s *coinState) CurrentPlayer() game.Player {
	return []game.Player{0, game.Chance, 1, game.Nobody}[s.n]
}
func (s *coinState) LegalActions(dst []game.Action) []game.Action { return append(dst, 0, 1) }
func (s *coinState) Apply(a game.Action) {
	s.done[s.n] = a
	s.n++
}
func (s *coinState) CopyFrom(src game.State) { *s = *src.(*coinState) }
func (s *coinState) Returns(dst []float32) {
	dst[0], dst[1] = 0, 0
	if s.done[0] == s.done[1] {
		dst[0] = 1
	}
	if s.done[2] == s.done[1] {
		dst[1] = 1
	}
}
func (s *coinState) Observation(dst []float32) { dst[0] = float32(s.n) }
func (s *coinState) Hash() uint64              { return uint64(s.n) }

func (s *coinState) Outcomes(dst []game.Outcome) []game.Outcome {
	return append(dst, game.Outcome{Action: 0, Probability: 0.5}, game.Outcome{
		Action: 1, Probability: 0.5,
	})
}
func (s *coinState) Sample(rng *rand.Rand) game.Action { return game.Action(rng.IntN(2)) }
