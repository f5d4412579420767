package arena

import (
	"tengen/game"
	"tengen/player"
)

// hasChance says whether chance takes part in a game.
func hasChance(g game.Game) bool {
	s, ok := g.(game.Stochastic)
	return ok && s.HasChance()
}

// openingWithoutDraws is how many decisions are drawn by default for players who
// draw nothing.
const openingWithoutDraws = 2

// DefaultOpening is the number of decisions to draw at the start of each game
// where nobody says: none where chance takes part in the game, or all players
// draw, since their games differ anyway; 2 for other players.
func DefaultOpening(g game.Game, players []player.Player) int {
	if hasChance(g) {
		return 0
	}
	for _, p := range players {
		if !player.Draws(p) {
			return openingWithoutDraws
		}
	}
	return 0
}
