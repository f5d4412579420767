package search

import (
	"math/rand/v2"

	"tengen/game"
)

// Dealer draws the determinizations of a search of a game with imperfect information in place of
// the game's own Determinize, which draws them uniformly.
type Dealer interface {
	// Deal redraws everything that seat can't see in s, a state of game.ImperfectInformation,
	// consistently with what seat has seen. What is drawn depends on nothing that seat can't see.
	Deal(s game.State, seat game.Player, rng *rand.Rand)
}
