package backgammon

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// pointName is a point of the player's own count.
func pointName(p int) string {
	switch {
	case p == bar:
		return "bar"
	case p <= 0:
		return "off"
	}
	return strconv.Itoa(p)
}

// ActionName is 24/18, bar/20* for a move that hits, 4/off, pass, or 6-5 for a roll. Points are
// counted by the player who moves.
func (g *Game) ActionName(x game.State, a game.Action) string {
	if large, small, ok := Dice(a); ok {
		return fmt.Sprintf("%d-%d", large, small)
	}
	if a == Pass {
		return "pass"
	}
	s, ok := x.(*State)
	if !ok || a < 0 || a > Pass || s.large == 0 || s.over {
		return strconv.Itoa(int(a))
	}
	point, die, _ := s.decode(a)
	if point == 0 {
		return strconv.Itoa(int(a)) // no point of this player
	}
	name := pointName(point) + "/" + pointName(point-die)
	if to := point - die; to > 0 && s.sides[1-s.mover].n[bar-to] == 1 {
		name += "*"
	}
	return name
}

// ParseAction parses the names of ActionName, also without *, and rolls as 65.
func (g *Game) ParseAction(x game.State, text string) (game.Action, error) {
	s, _ := x.(*State)
	word := strings.ToLower(strings.TrimSpace(text))
	fail := func(want string) (game.Action, error) {
		return game.NoAction, fmt.Errorf("%q is no action here: %s is wanted", text, want)
	}
	if s == nil || s.large == 0 {
		digits := strings.Replace(word, "-", "", 1)
		if len(digits) == 2 && digits[0] >= '1' && digits[0] <= '6' && digits[1] >= '1' &&
			digits[1] <= '6' && len(word) <= 3 && word[0] != '-' && word[len(word)-1] != '-' {
			return Roll(int(digits[0]-'0'), int(digits[1]-'0')), nil
		}
		return fail("a roll, such as 6-5,")
	}
	if word == "pass" {
		return Pass, nil
	}
	dice := fmt.Sprintf("%d-%d", s.large, s.small)
	from, to, ok := strings.Cut(strings.TrimSuffix(word, "*"), "/")
	p, ok2 := parsePoint(from)
	q, ok3 := parsePoint(to)
	if !ok || !ok2 || !ok3 || p < 1 || q >= p {
		return fail("a move of one checker, such as 24/18, bar/20 or 4/off,")
	}
	var first game.Action = game.NoAction
	for _, smaller := range []bool{false, true} {
		die := int(s.large)
		if smaller {
			die = int(s.small)
		}
		if max(0, p-die) != q {
			continue
		}
		a := cell(s.mover, p, smaller)
		if s.isLegal(p, smaller) {
			return a, nil
		}
		if first == game.NoAction {
			first = a
		}
	}
	if first == game.NoAction {
		return fail("a move of one checker by one of the dice " + dice)
	}
	return first, nil
}

// isLegal reports whether a checker can be moved from point p by one of the dice.
func (s *State) isLegal(p int, smaller bool) bool {
	if s.left == 0 {
		return false
	}
	large, small := s.legal()
	if smaller {
		large = small
	}
	return large>>p&1 != 0
}

// parsePoint parses a point, bar or off.
func parsePoint(word string) (p int, ok bool) {
	switch word {
	case "bar":
		return bar, true
	case "off":
		return 0, true
	}
	p, err := strconv.Atoi(word)
	return p, err == nil && p >= 1 && p <= points && word == strconv.Itoa(p)
}

// Guide explains the game to a person.
func (g *Game) Guide() string {
	return `A move is one checker by one die: 24/18, bar/20, 4/off. Points are counted by the player to
move, from its own 24 down to 1; the board shows that count. A turn goes on until all dice are used
that can be used. With doubles, checkers are moved from the higher points first; otherwise
the larger die is used first, unless only the other order leads to the position: where
you miss a move, play the larger die first. * is a hit. The larger die must be played if only one can be.
`
}
