package leduc

import (
	"fmt"
	"strings"

	"tengen/game"
)

// HistoryPlanes are those of acts.
func (g *Game) HistoryPlanes() (from, to int) { return planeActs, planeMover }

// Secrets are the players' cards.
func (g *Game) Secrets() []game.Secret { return g.secrets }

// listSecrets returns the list of secrets.
func listSecrets() (list []game.Secret) {
	for p := range game.Player(players) {
		list = append(list, game.Secret{
			Name: fmt.Sprintf("player %d's card", p+1), Kind: "card", Seat: p, Classes: len(ranks),
			ClassNames: strings.Split(ranks, ""),
		})
	}
	return list
}

// Secrets implements game.SecretState.
func (s *State) Secrets(seat game.Player, classes []int8) {
	for p := range players {
		classes[p] = game.NoLabel
		if p != int(seat) {
			classes[p] = s.cards[p]
		}
	}
}

// SecretPriors implements game.SecretState: by the cards of each rank that seat does not see.
func (s *State) SecretPriors(seat game.Player, priors []float32) {
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
