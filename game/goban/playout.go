package goban

import (
	"math/rand/v2"

	"tengen/internal/random"
)

// Playout plays the game to its end: each colour places a stone on a point chosen
// uniformly among the legal ones that are not own eyes, and passes if there are none.
// It draws one number from rng to seed its own generator.
//
// A point is drawn among all empty points except eyes, and drawn again among the rest
// if it is illegal. The result is uniform over the legal ones, and few points are
// checked for legality.
func (s *small) Playout(rng *rand.Rand) {
	g := s.goGame
	source := random.Source(rng.Uint64())
plies:
	for !s.over() {
		c := s.color
		occupied := s.occupied()
		own := s.stones[c&3]
		empty, others := g.full&^occupied, occupied&^own
		touched, twice := g.touch(empty)
		for choice := empty &^ g.eyes(own, others, empty); choice != 0; {
			p := pick(choice, source.Next()) & 63
			bit, neighbours := uint64(1)<<p, g.near[p]
			choice &^= bit
			open := touched &^ (neighbours &^ twice)
			var dead uint64
			if suspects := neighbours & others &^ twice; suspects != 0 {
				dead = captured(&g.geometry, &s.stones, suspects, open)
			}
			if dead == 0 && touched&bit == 0 && !hasLiberty(&g.geometry, bit, own|bit, open) {
				continue
			}
			key := s.keyAfter(c, p, dead)
			if s.repeats(key) {
				continue
			}
			s.place(c, p, dead, key)
			continue plies
		}
		s.passed()
	}
}
