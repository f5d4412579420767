package tcg

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"tengen/game"
)

// colors are the ANSI codes of the players, red and blue.
var colors = [2]string{"\x1b[31m", "\x1b[34m"}

// Draw shows both sides of the table, the second player's above, and below them
// what the card or player in turn can do. Cards are written Fight/Heal/Attack;
// the one that acts stands in brackets.
func (s *State) Draw(color bool) string {
	var b strings.Builder
	for _, p := range [2]int{1, 0} {
		t := &s.sides[p]
		name := fmt.Sprintf("%-7s", s.g.SeatName(game.Player(p)))
		if color {
			name = colors[p] + name + "\x1b[0m"
		}
		heads := fmt.Sprintf("%s HP %s   deck %d   hand %s\n", name, s.number(t.hp), bits.OnesCount64(t.deck), s.listed(s.handNames(p)))
		field := fmt.Sprintf("        field %s\n", s.listed(s.fieldNames(p)))
		if p == 1 {
			b.WriteString(heads + field)
		} else {
			b.WriteString(field + heads)
		}
	}
	fmt.Fprintf(&b, "Turn %d of %d: %s\n", min(int(s.turn)+1, s.g.rules.MaxTurns), s.g.rules.MaxTurns, s.situation())
	return b.String()
}

// listed is names with spaces between, or a dash.
func (s *State) listed(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, " ")
}

// number writes a value of the game's unit in points.
func (s *State) number(units int64) string {
	return strconv.FormatFloat(float64(units)/float64(s.g.unit), 'g', 5, 64)
}

// handNames are the cards in hand, or the representatives that stand for them.
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

// fieldNames are the cards on a field, the acting one in brackets.
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

// situation says what the mover can do.
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
			names = append(names, g.cellName(bits.TrailingZeros64(m)))
		}
		return name + " may place a card: " + strings.Join(append(names, wordNone), ", ")
	case target:
		return name + " removes one of " + s.listed(s.fieldNames(1-int(s.mover)))
	case choose:
		return name + " chooses a card that acts, or is " + wordDone
	}
	return s.abilities(name)
}

// abilities says what the acting card can do.
func (s *State) abilities(name string) string {
	g, p := s.g, int(s.mover)
	t, other := &s.sides[p], &s.sides[1-p]
	cell := t.field[s.next]
	c := s.worth(p, cell)
	var b strings.Builder
	fmt.Fprintf(&b, "%s's %s may heal (HP %s), attack (HP %s)", name, g.cellName(int(cell)),
		s.number(t.hp+int64(c.heal)), s.number(other.hp-int64(c.attack)))
	actions, own := s.legal()
	for i, cells := range [2]uint64{actions >> firstCell, own} {
		owner := [2]int{1 - p, p}[i]
		for m := cells; m != 0; m &= m - 1 {
			cell := bits.TrailingZeros64(m)
			result := "both fall"
			switch fight := s.worth(owner, g.base[cell]).fight; {
			case c.fight > fight:
				result = "which falls"
			case c.fight < fight:
				result = "and fall"
			}
			fmt.Fprintf(&b, ", battle %s%s (%s)", [2]string{"", wordOwn + " "}[i], g.cellName(cell), result)
		}
	}
	return b.String()
}
