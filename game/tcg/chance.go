package tcg

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// Outcomes appends the cards that may be drawn: action Actions() + cell for each kind,
// with the probabilities of copies added.
func (s *State) Outcomes(dst []game.Outcome) []game.Outcome {
	g := s.g
	deck := s.sides[s.mover].deck
	all := float64(bits.OnesCount64(deck))
	for m := deck & g.bases; m != 0; m &= m - 1 {
		cell := bits.TrailingZeros64(m)
		dst = append(dst, game.Outcome{
			Action:      game.Action(g.actions + cell),
			Probability: float64(bits.OnesCount64(deck&g.run[cell])) / all,
		})
	}
	return dst
}

// Sample draws a card.
func (s *State) Sample(rng *rand.Rand) game.Action {
	deck := s.sides[s.mover].deck
	for range rng.IntN(bits.OnesCount64(deck)) {
		deck &= deck - 1
	}
	return game.Action(s.g.actions + int(s.g.base[bits.TrailingZeros64(deck)]))
}
