package tcg

import (
	"math/bits"
	"math/rand/v2"

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

// beginTurn lets the current player draw, or place a card if it can't draw.
func (s *State) beginTurn() {
	g := s.g
	t := &s.sides[s.mover]
	s.phase = place
	if g.rules.Representative ||
		g.rules.Draw == UnlessFull && bits.OnesCount64(t.hand) >= g.rules.Deck.Hand {
		return
	}
	switch {
	case t.deck != 0:
		s.phase = draw
	case g.rules.Empty == Loss:
		s.end(1 - int8(s.mover))
	}
}

// endTurn passes the turn to the other player.
func (s *State) endTurn() {
	s.turn++
	s.mover ^= 1
	s.next, s.acted, s.hands = 0, 0, false
	if int(s.turn) >= s.g.rules.MaxTurns {
		s.end(-1)
		return
	}
	s.beginTurn()
}

// end ends the game; winner is -1 for a draw.
func (s *State) end(winner int8) {
	s.phase, s.winner = over, winner
	s.next, s.acted, s.hands = 0, 0, false
}

// Apply plays an action, or draws a card.
func (s *State) Apply(a game.Action) {
	switch s.phase {
	case deal, draw:
		s.take(int(a) - s.g.actions)
	case place:
		s.placed(a)
	case target:
		other := int(s.mover ^ 1)
		s.remove(other, s.slot(other, int(a-firstCell), 0))
		s.beginActs()
	case choose:
		if a == Pass {
			s.endTurn()
			return
		}
		s.next = uint8(s.slot(int(s.mover), int(a-firstCell), s.acted))
		s.phase = act
	case act:
		s.acts(a)
	default:
		panic("tcg: an action after the end")
	}
}

// take draws a card.
func (s *State) take(cell int) {
	g := s.g
	p := int(s.mover)
	t := &s.sides[p]
	s.toggleDeck(p, g.lastOf(t.deck, cell))
	s.toggleHand(p, g.oneMore(t.hand, cell))
	if s.phase == draw {
		s.phase = place
		return
	}
	if bits.OnesCount64(t.hand) == g.rules.Deck.Hand {
		if s.mover ^= 1; s.mover == 0 {
			s.beginTurn()
		}
	}
}

// placed puts a card from the hand, or a representative, on the field, or uses a
// Removal.
func (s *State) placed(a game.Action) {
	g := s.g
	p := int(s.mover)
	t := &s.sides[p]
	cell := int(a - firstCell)
	switch {
	case a == Pass:
	case cell >= g.n:
		t.left--
		s.push(p, uint8(cell))
	default:
		bit := g.lastOf(t.hand, cell)
		s.toggleHand(p, bit)
		if s.hands {
			t.left--
		}
		if bit&g.scrap != 0 {
			if s.sides[1-p].count > 0 {
				s.phase = target
				return
			}
			break
		}
		s.push(p, uint8(cell))
	}
	s.beginActs()
}

// beginActs starts the acts of the current player's cards.
func (s *State) beginActs() {
	switch {
	case s.sides[s.mover].count == 0:
		s.endTurn()
	case s.g.rules.Order == FreeOrder:
		s.phase = choose
	default:
		s.phase = act
		if s.g.rules.Order == NewestOrder {
			s.next = s.sides[s.mover].count - 1
		}
	}
}

// acts applies the action of the card at slot next.
func (s *State) acts(a game.Action) {
	g := s.g
	p := int(s.mover)
	slot := int(s.next)
	s.acted |= 1 << slot
	switch {
	case a == Pass:
		s.next++
	case a == Heal:
		s.sides[p].hp += int64(s.worth(p, s.sides[p].field[slot]).heal)
		s.next++
	case a == Attack:
		other := &s.sides[1-p]
		other.hp -= int64(s.worth(p, s.sides[p].field[slot]).attack)
		if other.hp <= 0 {
			s.end(int8(p))
			return
		}
		s.next++
	case g.own > 0 && a >= g.own:
		s.battle(slot, p, s.slot(p, int(a-g.own), 1<<slot))
	default:
		s.battle(slot, 1-p, s.slot(1-p, int(a-firstCell), 0))
	}
	s.afterAct()
}

// battle lets the current player's card at slot battle one of owner's: the card with
// the lower Fight is removed, in a tie both. next then points to the first card behind
// slot.
func (s *State) battle(slot, owner, with int) {
	p := int(s.mover)
	mine := s.worth(p, s.sides[p].field[slot]).fight
	theirs := s.worth(owner, s.sides[owner].field[with]).fight
	s.next++
	if mine >= theirs {
		s.remove(owner, with)
		if owner == p && with < slot {
			slot--
			s.next--
		}
	}
	if mine <= theirs {
		s.remove(p, slot)
		s.next--
	}
}

// afterAct lets the next card act, or ends the turn.
func (s *State) afterAct() {
	count := s.sides[s.mover].count
	if s.g.rules.Order != FieldOrder {
		s.next = 0
		switch {
		case bits.OnesCount64(s.acted) == int(count):
			s.endTurn()
		case s.g.rules.Order == FreeOrder:
			s.phase = choose
		default:
			s.next = uint8(bits.TrailingZeros64(^s.acted))
		}
		return
	}
	s.acted = 0
	if s.next >= count {
		s.endTurn()
	}
}

// slot returns the position of a cell's card on the field of p. The copies of a card
// use the cells of its run in the order of their positions. A representative has one
// cell, which means the first of its kind whose slot is not in except.
func (s *State) slot(p, cell int, except uint64) int {
	g := s.g
	base := g.base[cell]
	skip := cell - int(base)
	if cell < g.n {
		except = 0
	}
	t := &s.sides[p]
	for i := range int(t.count) {
		if t.field[i] != base || except>>i&1 != 0 {
			continue
		}
		if skip--; skip < 0 {
			return i
		}
	}
	panic("tcg: no such card on the field")
}

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
