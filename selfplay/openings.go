package selfplay

import (
	"fmt"
	"math/rand/v2"

	"tengen/game"
)

// Openings lets games begin with random moves.
type Openings struct {
	Game game.Game
	// Plies is the greatest number of moves, outcomes of chance included; 0: none.
	Plies int
}

// openingTries is how often an opening is drawn anew that ends the game.
const openingTries = 8

// draw returns the moves with which a game begins: a number of them, uniform from 0 to Plies, each
// uniform among the legal ones, after which the game is not over. Outcomes of chance follow their
// probabilities.
func (o Openings) draw(rng *rand.Rand) (actions []game.Action) {
	if o.Plies == 0 {
		return nil
	}
	s, legal := o.Game.NewState(), []game.Action(nil)
	first := o.Game.NewState()
	for range openingTries {
		s.CopyFrom(first)
		actions = actions[:0]
		for range rng.IntN(o.Plies + 1) {
			a := game.NoAction
			switch s.CurrentPlayer() {
			case game.Nobody:
			case game.Chance:
				a = s.(game.Chancer).Sample(rng)
			default:
				legal = s.LegalActions(legal[:0])
				a = legal[rng.IntN(len(legal))]
			}
			if a == game.NoAction {
				break
			}
			s.Apply(a)
			actions = append(actions, a)
		}
		if s.CurrentPlayer() != game.Nobody {
			return actions
		}
	}
	return nil
}

// open plays the opening of the game that has just begun. Agents are told of its moves as of any.
func (x *slot) open(opening []game.Action) {
	for _, a := range opening {
		if err := x.game.Play(a); err != nil {
			panic(fmt.Sprintf("selfplay: game %d: its opening is not legal: %v",
				x.record.Number, err))
		}
	}
	x.record.Prefix = len(opening)
	if x.network != nil {
		x.network.opened()
	}
}
