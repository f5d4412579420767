package tcg

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// Playout plays to the end, uniformly at random among actions that are not obviously
// bad: a card is placed if possible, a Removal only against a target; and a card does
// nothing, heals or attacks by 0, or loses a battle only if it can't do better.
func (s *State) Playout(rng *rand.Rand) {
	for {
		switch s.CurrentPlayer() {
		case game.Nobody:
			return
		case game.Chance:
			s.Apply(s.Sample(rng))
			continue
		}
		actions, _ := s.legal()
		if sensible := s.sensible(actions); sensible != 0 {
			actions = sensible
		}
		for range rng.IntN(bits.OnesCount64(actions)) {
			actions &= actions - 1
		}
		s.Apply(game.Action(bits.TrailingZeros64(actions)))
	}
}

// sensible returns the current player's actions that are not obviously bad, without
// battles against its own cards. There may be none.
func (s *State) sensible(actions uint64) uint64 {
	actions &^= 1 << Pass
	p := int(s.mover)
	switch s.phase {
	case place:
		if s.sides[1-p].count == 0 {
			actions &^= s.g.scrap << firstCell
		}
	case act:
		c := s.worth(p, s.sides[p].field[s.next])
		if c.heal == 0 {
			actions &^= 1 << Heal
		}
		if c.attack == 0 {
			actions &^= 1 << Attack
		}
		t := &s.sides[1-p]
		var all uint64
		for _, cell := range t.field[:t.count] {
			bit := uint64(1) << cell
			if s.g.alone&bit == 0 {
				bit = s.g.oneMore(all, int(cell))
			}
			all |= bit
			if s.worth(1-p, cell).fight > c.fight {
				actions &^= bit << firstCell
			}
		}
	}
	return actions
}
