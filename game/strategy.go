package game

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

// Strategy is a rule of thumb by which a player chooses without search. Its
// functions draw from rng alone and allocate nothing. A Strategy is safe for
// concurrent use.
type Strategy struct {
	Name    string // "fast"
	Summary string // one line for help texts

	// Choose is the action that the mover of s, a player, plays. It leaves s as
	// it is, and depends on nothing that the mover can't see.
	Choose func(s State, rng *rand.Rand) Action
	// Rollout, if not nil, is a faster way to do what the function Rollout does.
	Rollout func(s State, epsilon float64, rng *rand.Rand)
}

// Strategic is a Game with strategies of its own. Their names differ, and none is
// "random".
type Strategic interface{ Strategies() []Strategy }

// Strategies lists by what rules of thumb g may be played: the game's own
// strategies, then "random", which plays uniformly over the legal actions.
func Strategies(g Game) []Strategy {
	var list []Strategy
	if s, ok := g.(Strategic); ok {
		list = append(list, s.Strategies()...)
	}
	return append(list, Strategy{Name: "random", Summary: "uniformly at random", Choose: randomAction})
}

// StrategyOf is the strategy of g with the name. An error lists the names that there are.
func StrategyOf(g Game, name string) (Strategy, error) {
	list := Strategies(g)
	names := make([]string, len(list))
	for i, q := range list {
		if q.Name == name {
			return q, nil
		}
		names[i] = q.Name
	}
	return Strategy{}, fmt.Errorf("%s has no strategy called %q; it has %s", g.Name(), name, strings.Join(names, ", "))
}

// Rollout plays s to its end. All players play by the strategy, but for a part
// epsilon of their actions, which are drawn uniformly among the legal ones.
func Rollout(s State, q *Strategy, epsilon float64, rng *rand.Rand) {
	if q.Rollout != nil {
		q.Rollout(s, epsilon, rng)
		return
	}
	for {
		switch s.CurrentPlayer() {
		case Nobody:
			return
		case Chance:
			s.Apply(s.(Chancer).Sample(rng))
		default:
			if epsilon > 0 && rng.Float64() < epsilon {
				s.Apply(randomAction(s, rng))
			} else {
				s.Apply(q.Choose(s, rng))
			}
		}
	}
}

// actionLists lends room for legal actions.
var actionLists = sync.Pool{New: func() any { return new([]Action) }}

// randomAction draws a legal action.
func randomAction(s State, rng *rand.Rand) Action {
	buf := actionLists.Get().(*[]Action)
	defer actionLists.Put(buf)
	*buf = s.LegalActions((*buf)[:0])
	return (*buf)[rng.IntN(len(*buf))]
}
