package arena

import (
	"tengen/game"
	"tengen/player"
)

// openingWithoutDraws is the default number of opening decisions for deterministic players.
const openingWithoutDraws = 2

// DefaultOpening returns the default number of decisions drawn at the start of each game: 0 if
// the game has chance moves or all players draw, since their games differ anyway; else 2.
func DefaultOpening(g game.Game, players []player.Player) int {
	if game.HasChance(g) {
		return 0
	}
	for _, p := range players {
		if !player.Draws(p) {
			return openingWithoutDraws
		}
	}
	return 0
}
