package turtle

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// LegalActions appends the cards that the current player can play, those of all
// colours once for each turtle that they may move; or, if it can't play any, those
// that it can discard.
func (s *base) LegalActions(dst []game.Action) []game.Action {
	for m := s.legal(); m != 0; m &= m - 1 {
		dst = append(dst, game.Action(bits.TrailingZeros64(m)))
	}
	return dst
}

// legal returns a bit for each legal action.
func (s *base) legal() uint64 { return s.legalOf(int(s.mover)) }

// legalOf is legal for any player, as if it were to move.
func (s *base) legalOf(player int) uint64 {
	const anywhere = uint64(allTurtles)<<(Turtles*rowDoublePlus) |
		uint64(allTurtles)<<(Turtles*rowPlus) | uint64(allTurtles)<<(Turtles*rowAnyPlus)
	held := s.hands[player].held
	away := uint64(allTurtles &^ s.at(0))
	last := uint64(s.at(s.lastSquare()))
	can := anywhere |
		away<<(Turtles*rowMinus) | away<<(Turtles*rowAnyMinus) |
		last<<(Turtles*rowArrow) | last<<(Turtles*rowArrow2)
	if held&can != 0 {
		return held & can
	}
	// Only a minus of a turtle on the start can't be played.
	const minus = uint64(allTurtles) << (Turtles * rowMinus)
	discards := held & minus << (Turtles * (rowDiscard - rowMinus))
	if held>>(Turtles*rowAnyMinus)&uint64(allTurtles) != 0 {
		discards |= 1 << DiscardAny
	}
	return discards
}

// one draws an action from a set.
func one(set uint64, rng *rand.Rand) game.Action {
	k := 0
	if n := bits.OnesCount64(set); n > 1 {
		k = rng.IntN(n)
	}
	return nthOf(set, k)
}

// nthOf returns action k of a set, in ascending order.
func nthOf(set uint64, k int) game.Action {
	for range k {
		set &= set - 1
	}
	return game.Action(bits.TrailingZeros64(set))
}
