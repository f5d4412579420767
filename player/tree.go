package player

import (
	"math/rand/v2"
	"time"

	"tengen/clock"
	"tengen/game"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// Tree is a Monte Carlo tree search: of states (mcts.Tree), or of information
// sets (ismcts.Tree) in games with imperfect information.
type Tree interface {
	search.Search
	search.Result
	SetRand(rng *rand.Rand)
	SetSimulations(n int)
	SetTime(d time.Duration)
	SetDeadline(d clock.Deadline)
	SetNoise(on bool)
	Choose(temperature float64, rng *rand.Rand) game.Action
}

// follower returns what makes a position the root of a tree of information sets that is kept from
// one decision to the next; nil for a tree that is not.
func follower(tree Tree, reuse bool) func(s game.State) {
	sets, ok := tree.(interface {
		Keep() bool
		Follow(s game.State) (kept bool)
	})
	if !ok || !reuse || !sets.Keep() {
		return nil
	}
	return func(s game.State) { sets.Follow(s) }
}

// NewUCT makes a tree that is searched by UCT. observers are for games with
// imperfect information. The tree draws from no source until SetRand.
func NewUCT(g game.Game, o mcts.UCT, observers ismcts.Observers) Tree {
	if hides(g) {
		return ismcts.NewUCT(g, o, observers, nil)
	}
	return mcts.NewUCT(g, o, nil)
}

// NewPUCT makes a tree that is searched by PUCT, as NewUCT does.
func NewPUCT(g game.Game, o mcts.PUCT, observers ismcts.Observers) Tree {
	if hides(g) {
		return ismcts.NewPUCT(g, o, observers, nil)
	}
	return mcts.NewPUCT(g, o, nil)
}

// hides reports whether g has imperfect information.
func hides(g game.Game) bool {
	_, hidden := g.NewState().(game.ImperfectInformation)
	return hidden
}
