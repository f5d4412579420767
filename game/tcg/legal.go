package tcg

import (
	"math/bits"

	"tengen/game"
)

// LegalActions appends the legal actions: placing a card, each kind once, or none;
// choosing the target of a Removal or the next card to act; or what the acting card
// can do.
func (s *State) LegalActions(dst []game.Action) []game.Action {
	actions, own := s.legal()
	for m := actions; m != 0; m &= m - 1 {
		dst = append(dst, game.Action(bits.TrailingZeros64(m)))
	}
	for m := own; m != 0; m &= m - 1 {
		dst = append(dst, s.g.own+game.Action(bits.TrailingZeros64(m)))
	}
	return dst
}

// legal returns a bit for each legal action, and for each own cell that the acting
// card may battle.
func (s *State) legal() (actions, own uint64) {
	g := s.g
	p := int(s.mover)
	switch s.phase {
	case place:
		return 1<<Pass | s.placeable()<<firstCell, 0
	case target:
		return s.standing(1-p, 0) << firstCell, 0
	case choose:
		return 1<<Pass | s.standing(p, s.acted)<<firstCell, 0
	case act:
		actions = 1<<Heal | 1<<Attack | s.standing(1-p, 0)<<firstCell
		if g.rules.Order != FreeOrder { // in free order a card does nothing by not being chosen
			actions |= 1 << Pass
		}
		if g.own > 0 {
			own = s.standing(p, 1<<s.next)
		}
		return actions, own
	}
	panic("tcg: nobody is to move")
}

// placeable returns the cells of the cards that may be placed: of equal cards the
// first.
func (s *State) placeable() uint64 {
	g := s.g
	t := &s.sides[s.mover]
	if g.rules.Representative && !s.hands {
		if t.left == 0 {
			return 0
		}
		return 7 << g.n
	}
	cells := t.hand & g.bases
	if g.rules.Removals == WithTarget && s.sides[s.mover^1].count == 0 {
		cells &^= g.scrap
	}
	return cells
}

// Placements appends, for each card in the current player's hand, the action of placing it,
// as far as it is legal. Equal cards share an action, which is then appended for each.
func (s *State) Placements(dst []game.Action) []game.Action {
	cells := s.placeable()
	for m := s.sides[s.mover].hand; m != 0; m &= m - 1 {
		if base := s.g.base[bits.TrailingZeros64(m)]; cells>>base&1 != 0 {
			dst = append(dst, firstCell+game.Action(base))
		}
	}
	return dst
}

// Targets appends, for each card on the field of the current player's opponent in field
// order, the action of battling or removing it. Alike representatives share an action,
// which is then appended for each.
func (s *State) Targets(dst []game.Action) []game.Action {
	var all uint64
	t := &s.sides[s.mover^1]
	for _, cell := range t.field[:t.count] {
		bit := uint64(1) << cell
		if s.g.alone&bit == 0 {
			bit = s.g.oneMore(all, int(cell))
		}
		all |= bit
		dst = append(dst, firstCell+game.Action(bits.TrailingZeros64(bit)))
	}
	return dst
}

// standing returns the cells of the cards on the field of p, without the slots in
// except.
func (s *State) standing(p int, except uint64) uint64 {
	g := s.g
	t := &s.sides[p]
	var all, cells uint64
	for i, cell := range t.field[:t.count] {
		bit := uint64(1) << cell
		if g.alone&bit == 0 {
			bit = g.oneMore(all, int(cell))
		}
		all |= bit
		if except>>i&1 == 0 {
			cells |= bit
		}
	}
	return cells
}
