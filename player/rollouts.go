package player

import (
	"fmt"

	"tengen/game"
	"tengen/internal/notation"
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
	rolloutParam = notation.Param{Key: "rollout", Help: "the game's strategy that plays the playouts, such as random; default: the game's own playouts"}
	epsilonParam = notation.Param{
		Key:  "epsilon",
		Help: "for rollout: fraction of actions that are drawn uniformly; default: 0.1",
	}
)

// readRollouts reads rolloutParam and epsilonParam.
func readRollouts(g game.Game, v *notation.Values) (r Rollouts, err error) {
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

// Playouts are playouts beside a network's evaluations (mcts.Tree.SetPlayouts). The zero value is
// none.
type Playouts struct {
	Rollouts Rollouts
	Number   int     // of each position that is evaluated
	Weight   float64 // of their mean result; the network's utilities have the rest
}

const (
	mostPlayouts  = 1000
	defaultWeight = 0.5
)

// playoutParams are the keys of Playouts.
var playoutParams = []notation.Param{
	{Key: "playouts", Default: "0", Help: "playouts from each position that the network evaluates; their mean result is mixed with the network's values"},
	{Key: "playout_weight", Help: "with playouts: weight of their mean, above 0 and at most 1; the network's values have the rest; default: 0.5"},
	{Key: "rollout", Help: "with playouts: the game's strategy that plays them, such as random; default: the game's own playouts"},
	{Key: "epsilon", Help: epsilonParam.Help},
}

// readPlayouts reads playoutParams.
func readPlayouts(g game.Game, v *notation.Values) (p Playouts, err error) {
	if p.Number = v.Int("playouts", 0, mostPlayouts); p.Number == 0 {
		for _, key := range []string{"playout_weight", "rollout", "epsilon"} {
			if v.Given(key) {
				v.Fail(key, "it is for players with playouts=N")
			}
		}
		return Playouts{}, nil
	}
	if p.Weight = defaultWeight; v.Given("playout_weight") {
		if p.Weight = v.Float("playout_weight", 0, 1); p.Weight == 0 {
			v.Fail("playout_weight", "a number above 0 is wanted")
		}
	}
	p.Rollouts, err = readRollouts(g, v)
	return p, err
}

// key returns ",playouts=…" for a player's name, "" for none.
func (p Playouts) key() string {
	if p.Number == 0 {
		return ""
	}
	return fmt.Sprintf(",playouts=%d,playout_weight=%g", p.Number, p.Weight) + p.Rollouts.key()
}

// add lets tree mix playouts, and returns what plays them; nil for none. They draw from no source
// until SetRand.
func (p Playouts) add(g game.Game, tree Tree) *search.Playouts {
	if p.Number == 0 {
		return nil
	}
	from := p.Rollouts.evaluator(g)
	tree.(interface {
		SetPlayouts(from *search.Playouts, n int, weight float64)
	}).SetPlayouts(from, p.Number, p.Weight)
	return from
}
