package tcg

import (
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

// Phases of a game.
type phase uint8

const (
	deal   phase = iota // chance deals the hands, card by card, the first player's first
	draw                // chance draws a card for the current player
	place               // the player places a card, or none
	target              // the player chooses the target of a Removal
	choose              // the player chooses the card that acts next; in free order only
	act                 // the card at slot next acts
	over
)

// side is what one player has.
type side struct {
	hand, deck uint64 // a bit per cell; of copies the first ones are set
	hp         int64  // health
	sum        int32  // all values on the field
	count      uint8  // cards on the field
	left       uint8  // representatives that may still be placed
	field      [MostCards]uint8
}

// position holds everything of a state except its game.
type position struct {
	sides   [2]side
	average [2][3]int32 // representatives' values, in a game of representative moves
	key     uint64      // exclusive or of the keys of hands, decks and fields
	acted   uint64      // slots whose cards have acted, in free order
	turn    uint16      // completed turns
	phase   phase
	mover   uint8
	next    uint8 // slot of the acting card
	winner  int8  // once over: -1 for a draw
	hands   bool  // with Rules.RealRoot: cards of this turn are placed from the hand
}

// State is a position. It contains the cards that a player may still draw, but not
// their order.
type State struct {
	g *Game
	position
}

// NewState returns the position before the deal, or with opening hands before the
// first turn.
func (g *Game) NewState() game.State {
	s := &State{g: g}
	for p := range s.sides {
		t := &s.sides[p]
		t.hp = int64(g.rules.Deck.HP) * int64(g.unit)
		for c := range g.n {
			cell := int(g.base[c])
			if bit := g.oneMore(t.hand, cell); g.opening&bit != 0 {
				s.toggleHand(p, bit)
			} else {
				s.toggleDeck(p, g.oneMore(t.deck, cell))
			}
		}
	}
	switch {
	case g.rules.Representative:
		s.represent()
		s.phase = place
		s.hands = g.rules.RealRoot
	case g.opening == 0:
		s.phase = deal
	default:
		s.beginTurn()
	}
	return s
}

// toggleHand and toggleDeck add a card to a hand or deck, or remove it.
func (s *State) toggleHand(p int, bit uint64) {
	s.sides[p].hand ^= bit
	s.key ^= s.g.handKeys[p][bits.TrailingZeros64(bit)]
}

func (s *State) toggleDeck(p int, bit uint64) {
	s.sides[p].deck ^= bit
	s.key ^= s.g.deckKeys[p][bits.TrailingZeros64(bit)]
}

// lastOf returns the bit of the last copy of a cell's card in cards.
func (g *Game) lastOf(cards uint64, cell int) uint64 {
	return 1 << (bits.Len64(cards&g.run[cell]) - 1)
}

// fieldKey returns the key of a card at a slot of a player's field.
func (s *State) fieldKey(p, slot int, cell uint8) uint64 {
	return bits.RotateLeft64(s.g.fieldKeys[p][cell], slot)
}

// worth returns the values of a card on the field of p.
func (s *State) worth(p int, cell uint8) values {
	if int(cell) < s.g.n {
		return s.g.value[cell]
	}
	var v values
	k := int(cell) - s.g.n
	v.total = s.average[p][k]
	switch k {
	case 0:
		v.fight = v.total
	case 1:
		v.heal = v.total
	default:
		v.attack = v.total
	}
	return v
}

// push places a card at the end of p's field.
func (s *State) push(p int, cell uint8) {
	t := &s.sides[p]
	s.key ^= s.fieldKey(p, int(t.count), cell)
	t.field[t.count] = cell
	t.count++
	t.sum += s.worth(p, cell).total
}

// remove removes a card from the field of p; those behind it move up.
func (s *State) remove(p, slot int) {
	t := &s.sides[p]
	t.sum -= s.worth(p, t.field[slot]).total
	last := int(t.count) - 1
	for i := slot; i < last; i++ {
		s.key ^= s.fieldKey(p, i, t.field[i]) ^ s.fieldKey(p, i, t.field[i+1])
		t.field[i] = t.field[i+1]
	}
	s.key ^= s.fieldKey(p, last, t.field[last])
	t.field[last] = 0
	t.count--
	if p == int(s.mover) {
		before := uint64(1)<<slot - 1
		s.acted = s.acted&before | s.acted>>1&^before
	}
}

// CurrentPlayer is the player whose turn it is, Chance while a card is drawn, or
// Nobody.
func (s *State) CurrentPlayer() game.Player {
	switch s.phase {
	case deal, draw:
		return game.Chance
	case over:
		return game.Nobody
	}
	return game.Player(s.mover)
}

// Phase is the phase, as in View.
func (s *State) Phase() string { return phaseNames[s.phase] }

// Turn is the number of completed turns, counting both players'.
func (s *State) Turn() int { return int(s.turn) }

// CopyFrom copies a state of the same game.
func (s *State) CopyFrom(src game.State) { s.position = src.(*State).position }

// Returns gives the winner 1, or both 0.5.
func (s *State) Returns(dst []float32) {
	dst[0], dst[1] = 0.5, 0.5
	if s.winner >= 0 {
		dst[s.winner], dst[1-s.winner] = 1, 0
	}
}

// Scores writes the health points. They may be below zero at the end.
func (s *State) Scores(dst []float32) {
	for p := range s.sides {
		dst[p] = float32(s.sides[p].hp) / float32(s.g.unit)
	}
}

// Hash mixes the keys of the cards (Zobrist 1970) with the rest.
func (s *State) Hash() uint64 {
	a, b := &s.sides[0], &s.sides[1]
	h := random.Mix(s.key ^ (uint64(a.hp)*random.Gamma + uint64(b.hp)*0xd1b54a32d192ed03))
	h = random.Mix(h ^ (uint64(s.turn) | uint64(s.phase)<<16 | uint64(s.mover)<<24 |
		uint64(s.next)<<32 |
		uint64(uint8(s.winner))<<40 | uint64(a.left)<<48 | uint64(b.left)<<56))
	if s.acted != 0 {
		h = random.Mix(h ^ s.acted)
	}
	if s.hands {
		h = random.Mix(h ^ random.Gamma)
	}
	return h
}
