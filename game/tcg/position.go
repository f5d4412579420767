package tcg

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"tengen/game"
)

// wordHands marks a turn in which cards are placed from the hand.
const wordHands = "hands"

// phaseNames are the names of phases in positions.
var phaseNames = [...]string{
	deal: "deal", draw: "draw", place: "place", target: "target", choose: "choose", act: "act",
	over: "over",
}

// Position formats the state as a line of text, which ParsePosition parses:
//
//	turn 7 Second act 1 | 50 hand 6/6/6 field 4/1/1 deck 1/1/1 removal | 44 hand - field 2/1/1 deck -
//
// It begins with the number of completed turns, the player whose turn it is, and the
// phase: deal, draw, place, target, choose, act with the number of the card on the
// field, or over with the winner, First, Second or nobody. Except in field order the numbers
// of the cards that have acted follow ("acted 2 3"). Then come, for each player, the
// health, the hand, the field in its order, and the cards that may still be drawn. In
// a game of representative moves each player also has "left" and "average": the number
// of representatives that may still be placed, and their values in units of 1/4096; and
// with Rules.RealRoot the word "hands" ends the first part in the turn in which cards are
// placed from the hand.
func (s *State) Position() string {
	var b strings.Builder
	fmt.Fprintf(&b, "turn %d %s %s",
		s.turn, s.g.SeatName(game.Player(s.mover)), phaseNames[s.phase])
	switch s.phase {
	case act:
		fmt.Fprintf(&b, " %d", s.next+1)
	case over:
		winner := "nobody"
		if s.winner >= 0 {
			winner = s.g.SeatName(game.Player(s.winner))
		}
		b.WriteString(" " + winner)
	}
	if s.acted != 0 {
		b.WriteString(" acted")
		for m := s.acted; m != 0; m &= m - 1 {
			fmt.Fprintf(&b, " %d", bits.TrailingZeros64(m)+1)
		}
	}
	if s.hands {
		b.WriteString(" " + wordHands)
	}
	for p := range s.sides {
		t := &s.sides[p]
		var field []string
		for _, cell := range t.field[:t.count] {
			name, _, _ := strings.Cut(s.g.cellName(int(cell)), "#")
			field = append(field, name)
		}
		fmt.Fprintf(&b, " | %d hand %s field %s deck %s",
			t.hp, s.listed(s.g.namesOf(t.hand)), s.listed(field), s.listed(s.g.namesOf(t.deck)))
		if s.g.rules.Representative {
			a := &s.average[p]
			fmt.Fprintf(&b, " left %d average %d %d %d", t.left, a[0], a[1], a[2])
		}
	}
	return b.String()
}

// ParsePosition returns the state that text describes; see State.Position. In a game
// of representative moves, health is in units of 1/4096.
func (g *Game) ParsePosition(text string) (game.State, error) {
	parts := strings.Split(text, "|")
	if len(parts) != 3 {
		return nil, fmt.Errorf("position: three parts separated by | are wanted (the turn, the first player, the second), not %d", len(parts))
	}
	s := &State{g: g}
	for p := range s.sides {
		if err := s.readSide(p, strings.Fields(parts[1+p])); err != nil {
			return nil, fmt.Errorf("position: %s: %w", g.SeatName(game.Player(p)), err)
		}
	}
	if err := s.readTurn(strings.Fields(parts[0])); err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	return s, nil
}

// sideWords introduce the lists of a side.
var sideWords = []string{"hand", "field", "deck", "left", "average"}

// readSide parses "50 hand 6/6/6 field - deck 1/1/1".
func (s *State) readSide(p int, words []string) error {
	g := s.g
	wanted := sideWords[:3]
	if g.rules.Representative {
		wanted = sideWords
	}
	lists, last := map[string][]string{}, ""
	for _, w := range words {
		switch {
		case len(wanted) > 0 && w == wanted[0] && (last != "" || len(lists[""]) == 1):
			last, wanted = w, wanted[1:]
		case w == "-":
		default:
			lists[last] = append(lists[last], w)
		}
	}
	if len(wanted) > 0 || len(lists[""]) != 1 {
		return fmt.Errorf("%q is not of the form \"50 hand 6/6/6 field - deck 1/1/1\"",
			strings.Join(words, " "))
	}
	t := &s.sides[p]
	hp, err := strconv.ParseInt(lists[""][0], 10, 40)
	if err != nil {
		return fmt.Errorf("%q is no number of health points", lists[""][0])
	}
	t.hp = hp
	if g.rules.Representative {
		if err := s.readRepresentatives(p, lists["left"], lists["average"]); err != nil {
			return err
		}
	}
	var used [MostCards]int
	for _, zone := range sideWords[:3] {
		for _, word := range lists[zone] {
			cell, err := g.parseCell(word)
			if err != nil {
				return fmt.Errorf("%s: %w", zone, err)
			}
			if cell < g.n {
				cell = int(g.base[cell])
				if used[cell]++; used[cell] > bits.OnesCount64(g.run[cell]) {
					return fmt.Errorf("%s: the deck has %d of the card %s, not more",
						zone, bits.OnesCount64(g.run[cell]), word)
				}
			}
			switch {
			case zone == "field" &&
				(cell >= g.n && int(t.count) < g.n || cell < g.n && g.scrap>>cell&1 == 0):
				s.push(p, uint8(cell))
			case zone == "hand" && cell < g.n:
				s.toggleHand(p, g.oneMore(t.hand, cell))
			case zone == "deck" && cell < g.n:
				s.toggleDeck(p, g.oneMore(t.deck, cell))
			default:
				return fmt.Errorf("%s: a %s can't be there", zone, word)
			}
		}
	}
	return nil
}

// readRepresentatives parses the number of representatives and their values.
func (s *State) readRepresentatives(p int, left, average []string) error {
	t := &s.sides[p]
	if len(left) != 1 || len(average) != 3 {
		return fmt.Errorf("left with one number and average with three are wanted")
	}
	for i, word := range append(left, average...) {
		n, err := strconv.ParseUint(word, 10, 31)
		if err != nil || i == 0 && int(n) > s.g.n || n > 2*MostValue*representativeUnit {
			return fmt.Errorf("%q is no number of representatives, or no value of one", word)
		}
		if i == 0 {
			t.left = uint8(n)
		} else {
			s.average[p][i-1] = int32(n)
		}
	}
	s.averageKeys(p)
	return nil
}

// readTurn parses "turn 7 Second act 1".
func (s *State) readTurn(words []string) error {
	const form = "the turn is written \"turn 7 Second act 1\", with one of deal, draw, place, target, choose, act, over"
	if len(words) < 4 || words[0] != "turn" {
		return fmt.Errorf("%q: %s", strings.Join(words, " "), form)
	}
	g := s.g
	turn, err := strconv.Atoi(words[1])
	if err != nil || turn < 0 || turn > g.rules.MaxTurns {
		return fmt.Errorf("%q is no turn: a whole number from 0 to %d is wanted",
			words[1], g.rules.MaxTurns)
	}
	s.turn = uint16(turn)
	mover := seat(words[2])
	if mover < 0 {
		return fmt.Errorf("%q is neither First nor Second", words[2])
	}
	s.mover = uint8(mover)
	at := -1
	for i, name := range phaseNames {
		if name == words[3] {
			at = i
		}
	}
	if at < 0 {
		return fmt.Errorf("%q: %s", words[3], form)
	}
	s.phase = phase(at)
	words = words[4:]
	switch s.phase {
	case act:
		n, rest, err := s.ordinal(words)
		if err != nil {
			return err
		}
		s.next, words = uint8(n), rest
	case over:
		if len(words) == 0 || seat(words[0]) < 0 && words[0] != "nobody" {
			return fmt.Errorf("the winner is wanted after over: First, Second or nobody")
		}
		s.winner, words = int8(seat(words[0])), words[1:]
	}
	if n := len(words); n > 0 && words[n-1] == wordHands && g.rules.RealRoot && s.phase != over {
		s.hands, words = true, words[:n-1]
	}
	if len(words) > 0 && words[0] == "acted" && g.rules.Order != FieldOrder &&
		(s.phase == choose || s.phase == act) {
		for words = words[1:]; len(words) > 0; {
			n, rest, err := s.ordinal(words)
			if err != nil {
				return err
			}
			s.acted |= 1 << n
			words = rest
		}
	}
	if len(words) > 0 {
		return fmt.Errorf("%q is too much: %s", strings.Join(words, " "), form)
	}
	return s.consistent()
}

// seat returns the seat with the given name, or -1.
func seat(word string) int {
	switch strings.ToLower(word) {
	case "first":
		return 0
	case "second":
		return 1
	}
	return -1
}

// ordinal parses the number of one of the current player's cards on the field.
func (s *State) ordinal(words []string) (int, []string, error) {
	count := int(s.sides[s.mover].count)
	if len(words) > 0 {
		if n, err := strconv.Atoi(words[0]); err == nil && n >= 1 && n <= count {
			return n - 1, words[1:], nil
		}
	}
	return 0, nil,
		fmt.Errorf("the number of a card is wanted, 1 to %d, the number that %s has on the field",
			count, s.g.SeatName(game.Player(s.mover)))
}

// consistent returns an error if play can't continue from here.
func (s *State) consistent() error {
	g := s.g
	t, other := &s.sides[s.mover], &s.sides[s.mover^1]
	free := g.rules.Order == FreeOrder
	switch {
	case s.phase != over && (t.hp <= 0 || other.hp <= 0):
		return fmt.Errorf("a player without health points has lost: the game should be over")
	case s.phase != over && int(s.turn) >= g.rules.MaxTurns:
		return fmt.Errorf("after %d turns the game should be over", g.rules.MaxTurns)
	case s.phase <= draw && (t.deck == 0 || g.rules.Representative):
		return fmt.Errorf("%s: there is nothing to draw", phaseNames[s.phase])
	case s.phase == deal && !s.dealing():
		return fmt.Errorf("deal: the first player's hand is dealt, then the second's, at the beginning of the game")
	case s.phase == target && other.count == 0:
		return fmt.Errorf("target: the opponent has no card on the field")
	case s.phase == choose && (!free || bits.OnesCount64(s.acted) >= int(t.count)):
		return fmt.Errorf("choose: a card that has not acted, in a game of free order, is wanted")
	case s.phase == act && s.acted>>s.next&1 != 0:
		return fmt.Errorf("act: that card has acted")
	}
	return nil
}

// dealing reports whether the hands are possible during the deal.
func (s *State) dealing() bool {
	hand := s.g.rules.Deck.Hand
	first, second := bits.OnesCount64(s.sides[0].hand), bits.OnesCount64(s.sides[1].hand)
	if s.turn > 0 || s.sides[0].count > 0 || s.sides[1].count > 0 || s.g.opening != 0 {
		return false
	}
	return s.mover == 0 && first < hand && second == 0 ||
		s.mover == 1 && first == hand && second < hand
}
