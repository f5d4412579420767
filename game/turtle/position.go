package turtle

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// phaseNames are the names of phases in positions.
var phaseNames = [...]string{
	owners: "tiles", heap: "stack", deal: "deal", play: "play", draw: "draw", over: "over",
}

// Position formats the state as a line of text, with all hands and colours, which
// ParsePosition parses:
//
//	turn 7 player 2 play | 0:RG 3:BY 5:P | red: red++ red+*2 any- arrow | green: blue+*2 any+*3 | deck red+ arrow2
//
// It begins with the number of completed turns, the player whose turn it is and the
// phase: tiles, stack, deal, play, draw or over. Then come the occupied squares, each
// stack from below; then, for each player, its turtle and its hand; then the cards
// that may still be drawn. The rest of the deck has been discarded. With Rules.History a part
// for each player follows with what it has played:
//
//	last blue++ any+:red played red+*2 blue++*1 any+:red*1 passed any+:blue*1
func (s *base) Position() string {
	parts := []string{fmt.Sprintf("turn %d player %d %s", s.turn, s.mover+1, phaseNames[s.phase])}
	var squares []string
	for i := range s.g.goal + 1 {
		if stack := s.stack(i); len(stack) > 0 {
			word := fmt.Sprintf("%d:", i)
			for _, t := range stack {
				word += letters[t]
			}
			squares = append(squares, word)
		}
	}
	if len(squares) == 0 {
		squares = []string{"-"}
	}
	parts = append(parts, strings.Join(squares, " "))
	for p := range s.g.rules.Players {
		owner := "-"
		if s.owner[p] != NoTurtle {
			owner = s.owner[p].String()
		}
		parts = append(parts, owner+": "+listed(&s.hands[p], false))
	}
	parts = append(parts, "deck "+listed(&s.deck, false))
	if s.g.rules.History > 0 {
		for p := range s.g.rules.Players {
			parts = append(parts, s.past.text(s.g, p))
		}
	}
	return strings.Join(parts, " | ")
}

// ParsePosition returns the state that text describes; see Position. A text with
// question marks is what the current player knows; see ParseSeen.
func (g *Game) ParsePosition(text string) (game.State, error) {
	if strings.Contains(text, "?") {
		return g.ParseSeen(text)
	}
	parts := strings.Split(text, "|")
	players := g.rules.Players
	parts, history := g.splitHistory(parts)
	if len(parts) != players+3 {
		return nil, fmt.Errorf("position: %d parts separated by | are wanted (the turn, the squares, each player, the deck), not %d", players+3, len(parts))
	}
	s := &base{g: g}
	s.discards = g.full
	if err := s.readTurn(strings.Fields(parts[0])); err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	if err := s.readSquares(strings.Fields(parts[1])); err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	for p := range s.owner {
		s.owner[p] = NoTurtle
		if p >= players {
			continue
		}
		owner, hand, ok := strings.Cut(parts[2+p], ":")
		if !ok {
			return nil, fmt.Errorf("position: player %d: %q is not of the form \"red: red++ any-\"",
				p+1, strings.TrimSpace(parts[2+p]))
		}
		if owner = strings.TrimSpace(owner); owner != "-" {
			t, err := parseTurtle(owner)
			if err != nil {
				return nil, fmt.Errorf("position: player %d: %w", p+1, err)
			}
			s.owner[p] = t
		}
		if err := s.readPile(&s.hands[p], strings.Fields(hand)); err != nil {
			return nil, fmt.Errorf("position: player %d: %w", p+1, err)
		}
	}
	words := strings.Fields(parts[players+2])
	if len(words) == 0 || words[0] != "deck" {
		return nil, fmt.Errorf("position: the last part begins with the word deck")
	}
	if err := s.readPile(&s.deck, words[1:]); err != nil {
		return nil, fmt.Errorf("position: deck: %w", err)
	}
	for p, text := range history {
		if err := s.past.read(g, p, text); err != nil {
			return nil, fmt.Errorf("position: player %d: %w", p+1, err)
		}
	}
	if err := s.consistent(); err != nil {
		return nil, fmt.Errorf("position: %w", err)
	}
	return g.state(*s), nil
}

// readTurn parses "turn 7 player 2 play".
func (s *base) readTurn(words []string) error {
	const form = "the turn is written \"turn 7 player 2 play\", with one of tiles, stack, deal, play, draw, over"
	if len(words) != 5 || words[0] != "turn" || words[2] != "player" {
		return fmt.Errorf("%q: %s", strings.Join(words, " "), form)
	}
	turn, err := strconv.Atoi(words[1])
	if err != nil || turn < 0 || turn > s.g.rules.MaxTurns {
		return fmt.Errorf("turn %s: a whole number from 0 to %d is wanted",
			words[1], s.g.rules.MaxTurns)
	}
	player, err := strconv.Atoi(words[3])
	if err != nil || player < 1 || player > s.g.rules.Players {
		return fmt.Errorf("player %s: a whole number from 1 to %d is wanted",
			words[3], s.g.rules.Players)
	}
	s.turn, s.mover = uint16(turn), uint8(player-1)
	for i, name := range phaseNames {
		if name == words[4] {
			s.phase = phase(i)
			return nil
		}
	}
	return fmt.Errorf("%q: %s", words[4], form)
}

// readSquares parses "0:RG 3:BY 5:P".
func (s *base) readSquares(words []string) error {
	var met herd
	for _, word := range words {
		if word == "-" {
			continue
		}
		number, stack, ok := strings.Cut(word, ":")
		square, err := strconv.Atoi(number)
		if !ok || err != nil || square < 0 || square > s.g.goal {
			return fmt.Errorf(
				"%q is not of the form 3:BY, a square from 0 to %d and its stack from below",
				word, s.g.goal)
		}
		for _, letter := range strings.Split(stack, "") {
			t, err := parseTurtle(letter)
			switch {
			case err != nil:
				return err
			case met>>t&1 != 0:
				return fmt.Errorf("%s stands in two places", t)
			}
			met |= 1 << t
			bit := herd(1) << t
			if square > 0 || s.g.stacked {
				s.carried |= bit * spread5[s.at(square)]
			}
			s.carried |= alone[bit]
			s.on |= uint64(bit) << (5 * square)
			s.squares |= uint32(square) << (4 * t)
		}
	}
	if met != allTurtles && (!s.g.stacked || s.phase > heap) {
		return fmt.Errorf("all five turtles are wanted on the squares")
	}
	return nil
}

// readPile moves cards such as "red+*2 any-" from the discards to a pile.
func (s *base) readPile(p *pile, words []string) error {
	for _, word := range words {
		if word == "-" {
			continue
		}
		name, times, several := strings.Cut(word, "*")
		c, err := ParseCard(name)
		if err != nil {
			return err
		}
		n := 1
		if several {
			if n, err = strconv.Atoi(times); err != nil || n < 1 {
				return fmt.Errorf("%q: a number of cards is wanted after *", word)
			}
		}
		for range n {
			if s.discards.count[c] == 0 {
				return fmt.Errorf("%s: the deck has %d of it, not more", word, s.g.full.count[c])
			}
			s.discards.remove(c)
			p.add(c)
		}
	}
	return nil
}

// consistent returns an error if play can't continue from here, and finds the winners
// of a finished game.
func (s *base) consistent() error {
	players, hand := s.g.rules.Players, s.g.rules.Hand
	var met herd
	for p, t := range s.owner[:players] {
		dealt := s.phase > owners || p < int(s.mover)
		if dealt != (t != NoTurtle) {
			return fmt.Errorf("player %d has turtle %s, which is impossible in this phase", p+1, t)
		}
		if dealt {
			if met>>t&1 != 0 {
				return fmt.Errorf("two players have the %s turtle", t)
			}
			met |= 1 << t
		}
		n := int(s.hands[p].n)
		ok := false
		switch {
		case s.phase <= heap || s.phase == deal && p > int(s.mover):
			ok = n == 0
		case s.phase == deal && p == int(s.mover):
			ok = n < hand
		case p == int(s.mover) && (s.phase == draw || s.phase == over):
			ok = n == hand-1
		default:
			ok = n == hand
		}
		if !ok {
			return fmt.Errorf("player %d has %d cards, which is impossible in this phase", p+1, n)
		}
	}
	home := s.at(0) == allTurtles
	ended := s.at(s.g.goal) != 0 || int(s.turn) >= s.g.rules.MaxTurns
	early := s.phase < play
	switch {
	case early && (s.turn > 0 || s.discards.n > 0 || s.phase > heap && !home ||
		s.firstSquare() > 0):
		return fmt.Errorf("%s: this phase is at the beginning, with all turtles on the start",
			phaseNames[s.phase])
	case s.phase == heap && (!s.g.stacked || home || s.mover > 0) ||
		s.phase == owners && s.g.stacked && s.on != 0:
		return fmt.Errorf("%s: turtles are stacked at the beginning, after the tiles are dealt, on a stacked start", phaseNames[s.phase])
	case ended != (s.phase == over):
		return fmt.Errorf("the game is over when a turtle has reached the goal, or after %d turns, and not before", s.g.rules.MaxTurns)
	case s.phase == draw && s.deck.n == 0:
		return fmt.Errorf("draw: there is nothing to draw")
	}
	if s.phase == over {
		if stack := s.stack(s.g.goal); len(stack) > 0 {
			s.finish(stack[0])
		} else {
			s.best()
		}
	}
	return nil
}
