package turtle

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// Outcomes appends the cards that may be dealt or drawn, weighted by how many are left
// of each kind, or the tiles, or the turtles that are not stacked yet.
func (s *base) Outcomes(dst []game.Outcome) []game.Outcome {
	if s.phase <= heap {
		row, free := s.undealt()
		share := 1 / float64(bits.OnesCount32(free))
		for ; free != 0; free &= free - 1 {
			dst = append(dst, game.Outcome{
				Action: action(row, Turtle(bits.TrailingZeros32(free))), Probability: share,
			})
		}
		return dst
	}
	for c, n := range s.deck.count {
		if n > 0 {
			dst = append(dst, game.Outcome{
				Action: Draw(Card(c)), Probability: float64(n) / float64(s.deck.n),
			})
		}
	}
	return dst
}

// Sample draws one outcome.
func (s *base) Sample(rng *rand.Rand) game.Action {
	if s.phase <= heap {
		row, free := s.undealt()
		return action(row, Turtle(one(uint64(free), rng)))
	}
	return Draw(s.deck.nth(rng.IntN(int(s.deck.n))))
}

// undealt returns what chance deals before the cards, and the row of these outcomes:
// the tiles that nobody has, or the turtles that are not on the start yet.
func (s *base) undealt() (row int, free herd) {
	if s.phase == heap {
		return rowStack, allTurtles &^ s.at(0)
	}
	free = allTurtles
	for p := range s.mover {
		free &^= 1 << s.owner[p]
	}
	return rowOwner, free
}
