package turtle

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// Determinize redraws what seat can't see: the other players' tiles, among those that
// seat does not hold, and their hands, from the cards that are neither in seat's hand
// nor discarded. All deals of these tiles and cards are equally likely. Once the game
// is over everything is revealed, and nothing changes.
func (s *State) Determinize(rng *rand.Rand, seat game.Player) {
	if s.phase == over {
		return
	}
	free := allTurtles
	if own := s.owner[seat]; own != NoTurtle {
		free &^= 1 << own
	}
	for p := range s.g.rules.Players {
		if p == int(seat) {
			continue
		}
		h := &s.hands[p]
		s.deck.addAll(h)
		if s.owner[p] != NoTurtle {
			t := Turtle(one(uint64(free), rng))
			free &^= 1 << t
			s.owner[p] = t
		}
	}
	for p := range s.g.rules.Players {
		if p == int(seat) {
			continue
		}
		h := &s.hands[p]
		n := h.n
		*h = pile{}
		for range n {
			c := s.deck.nth(rng.IntN(int(s.deck.n)))
			s.deck.remove(c)
			h.add(c)
		}
	}
}

// InformationStateKey hashes what seat sees: the board, the discards, the number of
// cards of each player, whose turn it is, the number of completed turns, its own
// tile and hand, and with Rules.History what was played.
func (s *State) InformationStateKey(seat game.Player) uint64 {
	cards := s.discards.sum + s.hands[seat].sum*handFactors[0]
	if s.g.rules.History > 0 {
		cards += s.past.key()
	}
	seen := uint64(s.turn)<<16 | uint64(s.deck.n)<<8 | uint64(s.owner[seat]&7)<<3 | uint64(seat)
	return random.Mix(cards ^ bits.RotateLeft64(random.Mix(s.public()^random.Mix(seen)), 1))
}
