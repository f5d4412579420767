package leduc

import (
	"fmt"
	"strings"

	"tengen/game"
)

// HistoryPlanes are those of acts.
func (g *Game) HistoryPlanes() (from, to int) { return planeActs, planeMover }

// HiddenFacts are the players' cards.
func (g *Game) HiddenFacts() []game.HiddenFact { return g.facts }

// listHiddenFacts returns the list of hidden facts.
func listHiddenFacts() (list []game.HiddenFact) {
	for p := range game.Player(players) {
		list = append(list, game.HiddenFact{
			Name: fmt.Sprintf("player %d's card", p+1), Kind: "card", Seat: p, Classes: len(ranks),
			ClassNames: strings.Split(ranks, ""),
		})
	}
	return list
}

// HiddenFacts implements game.HiddenFactState.
func (s *State) HiddenFacts(seat game.Player, classes []int8) {
	for p := range players {
		classes[p] = game.NoClass
		if p != int(seat) {
			classes[p] = s.cards[p]
		}
	}
}

// HiddenFactPriors implements game.HiddenFactState: by the cards of each rank that seat does not
// see.
func (s *State) HiddenFactPriors(seat game.Player, priors []float32) {
	n, total := s.left(seat)
	for p := range players {
		for r := range len(ranks) {
			priors[p*len(ranks)+r] = 0
			if p != int(seat) {
				priors[p*len(ranks)+r] = float32(n[r]) / float32(total)
			}
		}
	}
}
