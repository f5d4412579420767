package leduc

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// names are those of the actions.
var names = [actions]string{"fold", "call", "raise"}

// ActionName is fold, call or raise; outcomes of chance are deal:J.
func (g *Game) ActionName(_ game.State, a game.Action) string {
	switch {
	case a >= 0 && a < actions:
		return names[a]
	case a >= actions && int(a) < actions+len(ranks):
		return "deal:" + ranks[a-actions:][:1]
	}
	return strconv.Itoa(int(a)) // no valid action
}

// ParseAction parses the names of ActionName, in either case, and check and bet.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	switch word := strings.ToLower(strings.TrimSpace(text)); word {
	case "fold":
		return Fold, nil
	case "call", "check":
		return Call, nil
	case "raise", "bet":
		return Raise, nil
	default:
		for r := range len(ranks) {
			if word == strings.ToLower(g.ActionName(nil, Deal(r))) {
				return Deal(r), nil
			}
		}
	}
	return game.NoAction,
		fmt.Errorf("%q is no action: fold, call (check) or raise (bet) is wanted", text)
}

// Guide explains the game to a person.
func (g *Game) Guide() string {
	return `call (or check), raise (or bet) and fold are the moves. A raise is 2 chips before the card in
the middle is dealt, and 4 afterwards; there are at most two in each round. The cards are two
each of J, Q and K. Whoever has a pair with the card in the middle wins the pot, else the
higher card; equal cards share it. [ ] is a card that you can't see.
`
}

// Draw shows the bets and all cards.
func (s *State) Draw(color bool) string { return s.draw(color, func(int) bool { return true }) }

// DrawFor shows the bets, the card face up and seat's own card. Once the game is over it shows all
// cards.
func (s *State) DrawFor(seat game.Player, color bool) string {
	return s.draw(color, func(p int) bool {
		return p == int(seat) || p == players || s.CurrentPlayer() == game.Nobody
	})
}

// draw shows the cards for which seen is true.
func (s *State) draw(color bool, seen func(i int) bool) string {
	card := func(i int) string {
		switch {
		case i >= int(s.dealt):
			return "   "
		case !seen(i):
			return "[ ]"
		case color:
			return "\x1b[1m " + ranks[s.cards[i]:][:1] + " \x1b[0m"
		}
		return " " + ranks[s.cards[i]:][:1] + " "
	}
	var b strings.Builder
	mover := s.CurrentPlayer()
	for p := range players {
		turn := " "
		if p == int(mover) {
			turn = "*"
		}
		fmt.Fprintf(&b, "%s player %d  %s  paid %-2d", turn, p+1, card(p), s.paid[p])
		for r := range rounds {
			var words []string
			for i := p; i < int(s.acts[r]); i += players {
				words = append(words, names[s.did[r][i]])
			}
			if len(words) == 0 {
				break
			}
			fmt.Fprintf(&b, "  round %d: %-11s", r+1, strings.Join(words, ", "))
		}
		drawn := strings.TrimRight(b.String(), " ")
		b.Reset()
		b.WriteString(drawn + "\n")
	}
	fmt.Fprintf(&b, "%s\n",
		strings.TrimRight(fmt.Sprintf("  middle    %s  pot %d",
			card(players), s.paid[0]+s.paid[1]), " "))
	switch {
	case mover == game.Chance && s.dealt < players:
		fmt.Fprintf(&b, "player %d is dealt a card\n", s.dealt+1)
	case mover == game.Chance:
		b.WriteString("a card is dealt face up\n")
	case mover != game.Nobody:
		var options []string
		for _, a := range s.LegalActions(nil) {
			options = append(options, names[a])
		}
		fmt.Fprintf(&b, "player %d: %s\n", mover+1, strings.Join(options, ", "))
	case s.winner() == game.Nobody:
		b.WriteString("the players share the pot\n")
	default:
		fmt.Fprintf(&b, "player %d has won %d\n", s.winner()+1, s.chips(int(s.winner())))
	}
	return b.String()
}
