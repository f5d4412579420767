package tcg

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"tengen/game"
)

// View is a position as both players see it, for display. The order of the decks is
// not part of any state.
type View struct {
	Turn, MaxTurns int // the current turn, from 1, counting both players'
	// Phase is deal, draw, place, target (of a Removal), choose (the card that acts, in
	// free order), act, or over.
	Phase  string
	Mover  game.Player // the player whose turn it is, also while a card is drawn
	Winner game.Player // once over; Nobody for a draw
	Sides  [2]Side
}

// Side is what one player has. Numbers are in points.
type Side struct {
	HP    float64
	Deck  int // cards that may still be drawn, or representatives that may still be placed
	Hand  []CardView
	Field []CardView // the oldest first
}

// CardView is a card on display. In a game of representative moves, the cards in hand are
// the three representatives.
type CardView struct {
	Name                string // as in the names of actions, "4/1/1" or "fight"; copies share it
	Fight, Heal, Attack float64
	Removal             bool
	// Action is the legal action that names this card (place, remove, use or battle it),
	// or NoAction. Copies may share one.
	Action game.Action
	Acts   bool // whether the card is acting
	Acted  bool // whether it has acted in this turn
}

// View returns the position for display.
func (s *State) View() View {
	g := s.g
	t := View{
		Turn: min(int(s.turn)+1, g.rules.MaxTurns), MaxTurns: g.rules.MaxTurns,
		Phase: phaseNames[s.phase], Mover: game.Player(s.mover), Winner: game.Nobody,
	}
	if s.phase == over && s.winner >= 0 {
		t.Winner = game.Player(s.winner)
	}
	var actions, own uint64
	if s.phase > draw && s.phase < over {
		actions, own = s.legal()
	}
	for p := range s.sides {
		t.Sides[p] = s.side(p, actions, own)
	}
	return t
}

// side returns what player p has. actions and own are the legal actions.
func (s *State) side(p int, actions, own uint64) Side {
	g, t := s.g, &s.sides[p]
	mine := p == int(s.mover)
	side := Side{HP: s.points(t.hp), Deck: bits.OnesCount64(t.deck)}
	hand := t.hand
	if g.rules.Representative {
		side.Deck = int(t.left)
		if !s.hands || !mine {
			hand = 0
			if t.left > 0 {
				hand = 7 << g.n
			}
		}
	}
	for ; hand != 0; hand &= hand - 1 {
		c := s.seen(p, int(g.base[bits.TrailingZeros64(hand)]))
		if a := firstCell + game.Action(g.base[bits.TrailingZeros64(hand)]); mine &&
			s.phase == place && actions>>a&1 != 0 {
			c.Action = a
		}
		side.Hand = append(side.Hand, c)
	}
	var all uint64
	for i, cell := range t.field[:t.count] {
		if g.alone>>cell&1 == 0 { // as in standing
			bit := g.oneMore(all, int(cell))
			all |= bit
			cell = uint8(bits.TrailingZeros64(bit))
		}
		c := s.seen(p, int(t.field[i]))
		c.Acts = mine && s.phase == act && i == int(s.next)
		c.Acted = mine &&
			(s.acted>>i&1 != 0 || s.phase == act && g.rules.Order == FieldOrder && i < int(s.next))
		a := firstCell + game.Action(cell)
		switch {
		case s.phase == act && mine:
			if !c.Acts && own>>cell&1 != 0 {
				c.Action = g.own + game.Action(cell)
			}
		case mine == (s.phase == choose) && s.phase != place && actions>>a&1 != 0 && !c.Acted:
			c.Action = a
		}
		side.Field = append(side.Field, c)
	}
	return side
}

// seen returns a cell's card on the side of p.
func (s *State) seen(p, cell int) CardView {
	c := CardView{Name: s.g.cellName(cell), Action: game.NoAction}
	v := s.worth(p, uint8(cell))
	c.Fight, c.Heal, c.Attack = s.points(int64(v.fight)), s.points(int64(v.heal)),
		s.points(int64(v.attack))
	c.Removal = s.g.scrap>>cell&1 != 0
	return c
}

// points converts a value from the game's unit to points.
func (s *State) points(units int64) float64 { return float64(units) / float64(s.g.unit) }

// Guide explains cards, moves and drawings to a human player.
func (g *Game) Guide() string {
	text := `A card is written Fight/Heal/Attack, such as 4/1/1, or removal. In a turn you may place
one card of your hand: place 4/1/1 (or just 4/1/1), place none. Then each card on your
field acts: heal adds its Heal to your health points (HP), attack subtracts its Attack
from the opponent's, battle 3/3/3 removes that card or your own, whichever has the lower
Fight, in a tie both, and nothing does nothing. A removal removes a card of the
opponent's field: remove 3/3/3. Of copies, 3/3/3#2 is the second. A player without
health points has lost.
In a drawing the second player's hand and field are on top, and the acting card is in
brackets; below them are its possible actions with their results.
`
	if g.own > 0 {
		text += "Own cards can be battled too: battle own 3/3/3.\n"
	}
	if g.rules.Order == FreeOrder {
		text += "You choose the card that acts next: use 3/3/3, or done to end the turn.\n"
	}
	if g.rules.Representative {
		text += "Three cards represent all cards in a player's hand and deck: fight, heal and attack.\n"
	}
	if g.rules.RealRoot {
		text += "In the first turn a card of the hand is placed.\n"
	}
	return text
}

// colors are the ANSI codes of the players, red and blue.
var colors = [2]string{"\x1b[31m", "\x1b[34m"}

// Draw shows both sides, the second player's on top, and below them what the acting
// card or the current player can do. Cards are written Fight/Heal/Attack; the acting
// one is in brackets.
func (s *State) Draw(color bool) string {
	var b strings.Builder
	for _, p := range [2]int{1, 0} {
		t := &s.sides[p]
		name := fmt.Sprintf("%-7s", s.g.SeatName(game.Player(p)))
		if color {
			name = colors[p] + name + "\x1b[0m"
		}
		heads := fmt.Sprintf("%s HP %s   deck %d   hand %s\n",
			name, s.number(t.hp), bits.OnesCount64(t.deck), s.listed(s.handNames(p)))
		field := fmt.Sprintf("        field %s\n", s.listed(s.fieldNames(p)))
		if p == 1 {
			b.WriteString(heads + field)
		} else {
			b.WriteString(field + heads)
		}
	}
	fmt.Fprintf(&b, "Turn %d of %d: %s\n",
		min(int(s.turn)+1, s.g.rules.MaxTurns), s.g.rules.MaxTurns, s.situation())
	return b.String()
}

// listed joins names by spaces; no names are a dash.
func (s *State) listed(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, " ")
}

// number formats a value of the game's unit in points.
func (s *State) number(units int64) string {
	return strconv.FormatFloat(s.points(units), 'g', 5, 64)
}

// handNames lists the cards in hand, or the representatives.
func (s *State) handNames(p int) []string {
	names := s.g.namesOf(s.sides[p].hand)
	if !s.g.rules.Representative || s.sides[p].left == 0 {
		return names
	}
	for k, name := range representativeNames {
		names = append(names, fmt.Sprintf("%s=%s", name, s.number(int64(s.average[p][k]))))
	}
	return names
}

// namesOf lists the cards of a hand or deck.
func (g *Game) namesOf(cards uint64) []string {
	var names []string
	for m := cards; m != 0; m &= m - 1 {
		names = append(names, g.cards[bits.TrailingZeros64(m)].String())
	}
	return names
}

// fieldNames lists the cards on a field, the acting one in brackets.
func (s *State) fieldNames(p int) []string {
	t := &s.sides[p]
	var names []string
	for i, cell := range t.field[:t.count] {
		name := s.g.cellName(int(cell))
		if s.phase == act && p == int(s.mover) && i == int(s.next) {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	return names
}

// situation says what the current player can do.
func (s *State) situation() string {
	g := s.g
	name := g.SeatName(game.Player(s.mover))
	switch s.phase {
	case over:
		if s.winner < 0 {
			return "the game is drawn"
		}
		return g.SeatName(game.Player(s.winner)) + " has won"
	case deal:
		return name + " is dealt a card"
	case draw:
		return name + " draws a card"
	case place:
		var names []string
		for m := s.placeable(); m != 0; m &= m - 1 {
			cell := bits.TrailingZeros64(m)
			name := g.cellName(cell)
			if g.scrap>>cell&1 != 0 && s.sides[1-s.mover].count == 0 {
				name += " (no card to take)"
			}
			names = append(names, name)
		}
		return name + " may place a card (Fight/Heal/Attack): " +
			strings.Join(append(names, wordNone), ", ")
	case target:
		return fmt.Sprintf("%s's Removal takes a card: %s", name, s.verbs(wordRemove))
	case choose:
		return fmt.Sprintf("%s chooses a card that acts: %s, %s", name, s.verbs(wordUse), wordDone)
	}
	return s.abilities(name)
}

// verbs lists the cards to choose from, as they are typed.
func (s *State) verbs(verb string) string {
	var words []string
	actions, _ := s.legal()
	for m := actions >> firstCell; m != 0; m &= m - 1 {
		words = append(words, verb+" "+s.g.cellName(bits.TrailingZeros64(m)))
	}
	return strings.Join(words, ", ")
}

// abilities lists what the acting card can do, as it is typed, and the results.
func (s *State) abilities(name string) string {
	g, p := s.g, int(s.mover)
	t, other := &s.sides[p], &s.sides[1-p]
	cell := t.field[s.next]
	c := s.worth(p, cell)
	self := g.cellName(int(cell))
	left, wins := other.hp-int64(c.attack), ""
	if left <= 0 {
		wins = ", and wins"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s's %s acts: %s (own HP %s), %s (%s's HP %s%s)", name, self,
		wordHeal, s.number(t.hp+int64(c.heal)), wordAttack, g.SeatName(game.Player(1-p)),
		s.number(left), wins)
	actions, own := s.legal()
	for i, cells := range [2]uint64{actions >> firstCell, own} {
		owner := [2]int{1 - p, p}[i]
		for m := cells; m != 0; m &= m - 1 {
			cell := bits.TrailingZeros64(m)
			result := "both fall"
			switch fight := s.worth(owner, g.base[cell]).fight; {
			case c.fight > fight:
				result = "it falls"
			case c.fight < fight:
				result = self + " falls"
			}
			fmt.Fprintf(&b, ", %s %s%s (%s)",
				wordBattle, [2]string{"", wordOwn + " "}[i], g.cellName(cell), result)
		}
	}
	if actions&(1<<Pass) != 0 {
		b.WriteString(", " + wordRest)
	}
	return b.String()
}
