package backgammon

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// Words of a position.
const (
	wordOpen = "to open"
	wordRoll = "to roll"
	wordPlay = "to play"
	wordWon  = "has won"
)

// Position formats the state as a line of text, which ParsePosition parses:
//
//	turn 3 | White to play 6-5 | White 24*2 13*5 8*3 6*5 | Black bar 24 13*5 8*3 6*5
//
// It begins with the number of completed turns and whose turn it is: to open, before the first
// roll, to roll, to play a roll, or has won. Then come each player's points, by its own count, and
// the checkers on them; the others have been borne off. In the middle of a turn follows, after the
// roll, what restricts the rest of it:
//
//	2 left from 8       with doubles: the moves left, and the point of the last move
//	after 6 from 13*    with different dice: the one used, and the point of the move; * it hit
func (s *State) Position() string {
	var what string
	switch {
	case s.over:
		what = wordWon
	case s.opening:
		what = wordOpen
	case s.large == 0:
		what = wordRoll
	default:
		what = fmt.Sprintf("%s %d-%d", wordPlay, s.large, s.small)
		switch {
		case s.last != 0 && s.large != s.small:
			die := s.large
			if s.early {
				die = s.small
			}
			what += fmt.Sprintf(" after %d from %s", die, pointName(int(s.last)))
			if s.hit {
				what += "*"
			}
		case s.last != 0:
			what += fmt.Sprintf(" %d left from %s", s.left, pointName(int(s.last)))
		}
	}
	text := fmt.Sprintf("turn %d | %s %s", s.turns, s.g.SeatName(game.Player(s.mover)), what)
	for p := range s.sides {
		text += " | " + s.g.SeatName(game.Player(p))
		for i := bar; i > 0; i-- {
			switch n := s.sides[p].n[i]; {
			case n == 1:
				text += " " + pointName(i)
			case n > 1:
				text += fmt.Sprintf(" %s*%d", pointName(i), n)
			}
		}
	}
	return text
}

// ParsePosition returns the state that text describes; see Position.
func (g *Game) ParsePosition(text string) (game.State, error) {
	s := &State{g: g}
	fail := func(format string, args ...any) (game.State, error) {
		return nil, fmt.Errorf("position %.200q: %s", text, fmt.Sprintf(format, args...))
	}
	parts := strings.Split(text, "|")
	if len(parts) != 2+players {
		return fail("four parts divided by | are wanted, as in %q",
			g.NewState().(*State).Position())
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	turn, ok := strings.CutPrefix(parts[0], "turn ")
	n, err := strconv.ParseInt(turn, 10, 31)
	if !ok || err != nil || n < 0 {
		return fail("%q: turn and a number is wanted", parts[0])
	}
	s.turns = int32(n)
	for p := range s.sides {
		if err := g.parseSide(&s.sides[p], game.SeatName(g, game.Player(p)),
			parts[2+p]); err != nil {
			return fail("%v", err)
		}
	}
	if s.sides[0].one&onBoard&flip(s.sides[1].one&onBoard) != 0 {
		return fail("both players have checkers on one point")
	}
	name, what, _ := strings.Cut(parts[1], " ")
	switch name {
	case g.SeatName(0):
	case g.SeatName(1):
		s.mover = 1
	default:
		return fail("%q: %s or %s is wanted", name, g.SeatName(0), g.SeatName(1))
	}
	off := [players]bool{}
	for p := range off {
		off[p] = s.sides[p].one == 0
	}
	if off[1-s.mover] || off[s.mover] != (what == wordWon) {
		return fail("%q: a player has won who has borne off all checkers, and no other", parts[1])
	}
	switch rest, play := strings.CutPrefix(what, wordPlay+" "); {
	case what == wordWon:
		s.over = true
	case what == wordRoll:
	case what == wordOpen:
		if s.opening = true; s.mover != 0 || s.sides != [players]side{g.start, g.start} {
			return fail("only White opens, and from the first position")
		}
	case play:
		if err := s.parsePlay(rest); err != nil {
			return fail("%v", err)
		}
	default:
		return fail("%q: %s, %s, %s and a roll, or %s is wanted",
			what, wordOpen, wordRoll, wordPlay, wordWon)
	}
	return s, nil
}

// parseSide parses "White 24*2 13".
func (g *Game) parseSide(x *side, name, text string) error {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != name {
		return fmt.Errorf("%q: the points of %s are wanted", text, name)
	}
	total := 0
	for _, word := range words[1:] {
		at, count, many := strings.Cut(word, "*")
		p, ok := parsePoint(at)
		n := 1
		if many {
			var err error
			if n, err = strconv.Atoi(count); err != nil || n < 1 || n > g.checkers {
				ok = false
			}
		}
		if !ok || p < 1 || x.n[p] > 0 {
			return fmt.Errorf("%q: a point such as 13 or bar is wanted, each once, with the number of checkers as in 13*5", word)
		}
		if total += n; total > g.checkers {
			return fmt.Errorf("%s has more than %d checkers", name, g.checkers)
		}
		for range n {
			x.put(p)
		}
	}
	x.n[0] = int8(g.checkers - total)
	return nil
}

// parsePlay parses what follows "to play".
func (s *State) parsePlay(text string) error {
	roll, rest, _ := strings.Cut(text, " ")
	a, err := s.g.ParseAction(nil, roll)
	if err != nil {
		return err
	}
	large, small, _ := Dice(a)
	s.large, s.small = int8(large), int8(small)
	own, other := &s.sides[s.mover], &s.sides[1-s.mover]
	s.left = int8(own.moves(other.blocked(), large, small))
	wrong := fmt.Errorf(
		"%q: after a die from a point, or with doubles 2 left from a point is wanted", rest)
	words := strings.Fields(rest)
	switch {
	case rest == "":
		return nil
	case large == small && len(words) == 4 && words[1] == "left" && words[2] == "from":
		n, err := strconv.Atoi(words[0])
		p, ok := parsePoint(words[3])
		if err != nil || !ok || n < 1 || n > 3 || p < 1 {
			return wrong
		}
		s.left, s.last = int8(n), int8(p)
	case large != small && len(words) == 4 && words[0] == "after" && words[2] == "from":
		die, err := strconv.Atoi(words[1])
		at, hit := strings.CutSuffix(words[3], "*")
		p, ok := parsePoint(at)
		if err != nil || !ok || die != large && die != small || p < 1 {
			return wrong
		}
		to := max(0, p-die)
		if own.n[to] == 0 || hit && (to == 0 || other.n[bar] == 0) {
			return wrong
		}
		s.left, s.last, s.early, s.hit = 1, int8(p), die == small, hit
	default:
		return wrong
	}
	large2, small2 := s.legal()
	if large2|small2 == 0 ||
		s.last != 0 && large == small &&
			own.most(other.blocked(), large, int(s.left), 1<<(s.last+1)-1) != int(s.left) {
		return fmt.Errorf("%q: no move can follow", rest)
	}
	return nil
}
