package kuhn

import (
	"fmt"
	"strings"

	"tengen/game"
)

// HistoryPlanes are those of passes and bets.
func (g *Game) HistoryPlanes() (from, to int) {
	return g.players + 1, g.players + 1 + 2*g.mostActs()
}

// HiddenFacts are the players' cards.
func (g *Game) HiddenFacts() []game.HiddenFact { return g.facts }

// listHiddenFacts returns the list of hidden facts.
func (g *Game) listHiddenFacts() (list []game.HiddenFact) {
	names := strings.Split(ranks[:g.players+1], "")
	for p := range game.Player(g.players) {
		list = append(list, game.HiddenFact{
			Name: fmt.Sprintf("player %d's card", p+1), Kind: "card", Seat: p,
			Classes: g.players + 1, ClassNames: names,
		})
	}
	return list
}

// HiddenFacts implements game.HiddenFactState.
func (s *State) HiddenFacts(seat game.Player, classes []int8) {
	for p := range s.g.players {
		classes[p] = game.NoClass
		if p != int(seat) {
			classes[p] = s.cards[p]
		}
	}
}

// HiddenFactPriors implements game.HiddenFactState: all cards but seat's own are equally likely.
func (s *State) HiddenFactPriors(seat game.Player, priors []float32) {
	cards := s.g.players + 1
	for p := range s.g.players {
		for c := range cards {
			priors[p*cards+c] = 0
			if p != int(seat) && c != int(s.cards[seat]) {
				priors[p*cards+c] = 1 / float32(cards-1)
			}
		}
	}
}
