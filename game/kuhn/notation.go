package kuhn

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// ActionName is pass or bet; outcomes of chance are deal:J.
func (g *Game) ActionName(_ game.State, a game.Action) string {
	switch {
	case a == Pass:
		return "pass"
	case a == Bet:
		return "bet"
	case a >= actions && int(a) < actions+g.players+1:
		return "deal:" + ranks[a-actions:][:1]
	}
	return strconv.Itoa(int(a)) // no valid action
}

// ParseAction parses the names of ActionName, in either case, and check, fold, call and raise.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	switch word := strings.ToLower(strings.TrimSpace(text)); word {
	case "pass", "check", "fold":
		return Pass, nil
	case "bet", "call", "raise":
		return Bet, nil
	default:
		for c := range g.players + 1 {
			if word == strings.ToLower(g.ActionName(nil, Deal(c))) {
				return Deal(c), nil
			}
		}
	}
	return game.NoAction,
		fmt.Errorf("%q is no action: pass (check, fold) or bet (call) is wanted", text)
}

// Guide explains the game to a person.
func (g *Game) Guide() string {
	return `pass (or check, fold) and bet (or call) are the moves. Everybody has put in one chip. Once
somebody has bet one more, each of the others calls with a bet, or folds with a pass.
The highest card wins the pot: of those who have bet, or of all if nobody has.
` + "The cards are, from the lowest, " + strings.Join(strings.Split(ranks[:g.players+1], ""), " ") + ". [ ] is a card that you can't see.\n"
}

// Draw shows the bets and all cards.
func (s *State) Draw(color bool) string { return s.draw(color, func(int) bool { return true }) }

// DrawFor shows the bets and seat's own card. Once the game is over it shows all cards.
func (s *State) DrawFor(seat game.Player, color bool) string {
	return s.draw(color, func(p int) bool {
		return p == int(seat) || s.CurrentPlayer() == game.Nobody
	})
}

// draw shows the cards of the players for whom seen is true.
func (s *State) draw(color bool, seen func(p int) bool) string {
	var b strings.Builder
	mover := s.CurrentPlayer()
	for p := range s.g.players {
		turn, card := " ", "   "
		if p == int(mover) {
			turn = "*"
		}
		if p < int(s.dealt) {
			card = "[ ]"
			if seen(p) {
				card = " " + ranks[s.cards[p]:][:1] + " "
				if color {
					card = "\x1b[1m" + card + "\x1b[0m"
				}
			}
		}
		var words []string
		for i := p; i < int(s.acts); i += s.g.players {
			words = append(words, s.word(i))
		}
		line := fmt.Sprintf("%s player %d  %s  paid %d  %s",
			turn, p+1, card, s.paid(p), strings.Join(words, ", "))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	fmt.Fprintf(&b, "pot %d\n", s.pot())
	switch mover {
	case game.Chance:
		fmt.Fprintf(&b, "player %d is dealt a card\n", s.dealt+1)
	case game.Nobody:
		fmt.Fprintf(&b, "player %d has won %d\n", s.winner()+1, s.chips(s.winner()))
	default:
		options := "passes or bets"
		if s.bets != 0 {
			options = "folds (pass) or calls (bet)"
		}
		fmt.Fprintf(&b, "player %d %s\n", mover+1, options)
	}
	return b.String()
}

// word describes act i.
func (s *State) word(i int) string {
	first := s.firstBet()
	switch bet := s.bets>>i&1 != 0; {
	case i == first:
		return "bets"
	case bet:
		return "calls"
	case i > first:
		return "folds"
	}
	return "passes"
}
