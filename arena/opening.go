package arena

import (
	"tengen/game"
	"tengen/player"
)

// Draws says whether a player is known to draw its moves, from what it is begun
// with, often enough for its games to differ: random players, UCT, whose
// playouts are random, and networks with a temperature.
func Draws(p player.Player) bool {
	switch p := p.(type) {
	case player.Random, player.UCT:
		return true
	case *player.AlphaZero:
		return p.Temperature > 0 && p.Plies > 0
	}
	return false
}

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
		if !Draws(p) {
			return openingWithoutDraws
		}
	}
	return 0
}
