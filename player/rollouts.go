package player

import (
	"fmt"

	"tengen/game"
	"tengen/internal/spec"
	"tengen/search"
)

// Rollouts say how a state is played to the end of the game: by the game's own playouts, or by a
// strategy.
type Rollouts struct {
	Strategy *game.Strategy // nil: the game's own playouts
	// Epsilon is the fraction of a strategy's actions that are drawn uniformly (game.Rollout).
	Epsilon float64
}

// evaluator returns an evaluator that plays them.
func (r Rollouts) evaluator(g game.Game) *search.Playouts {
	if r.Strategy == nil {
		return search.NewPlayouts(g, nil)
	}
	return search.NewRollouts(g, r.Strategy, r.Epsilon, nil)
}

// key returns ",rollout=…,epsilon=…" for a player's name, "" for the game's own playouts.
func (r Rollouts) key() string {
	if r.Strategy == nil {
		return ""
	}
	return fmt.Sprintf(",rollout=%s,epsilon=%g", r.Strategy.Name, r.Epsilon)
}

// defaultEpsilon is the fraction of a rollout's actions that are drawn uniformly.
const defaultEpsilon = 0.1

var (
	rolloutParam = spec.Param{Key: "rollout", Help: "the game's strategy that plays the playouts, such as random; default: the game's own playouts"}
	epsilonParam = spec.Param{Key: "epsilon", Help: "for rollout: fraction of actions that are drawn uniformly; default: 0.1"}
)

// readRollouts reads rolloutParam and epsilonParam.
func readRollouts(g game.Game, v *spec.Values) (r Rollouts, err error) {
	switch {
	case v.Given("rollout"):
		q, err := game.StrategyOf(g, v.String("rollout"))
		if err != nil {
			return r, fmt.Errorf("rollout=%s: %w", v.String("rollout"), err)
		}
		r = Rollouts{&q, defaultEpsilon}
		if v.Given("epsilon") {
			r.Epsilon = v.Float("epsilon", 0, 1)
		}
	case v.Given("epsilon"):
		v.Fail("epsilon", "is for rollout=STRATEGY only")
	}
	return r, nil
}
