package game

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

// Strategy is a rule by which a player chooses actions without search. Its functions
// take randomness from rng only and do not allocate. A Strategy is safe for concurrent
// use.
type Strategy struct {
	Name    string // "fast"
	Summary string // one line for help texts

	// Choose returns the action that the current player of s plays. It does not change s,
	// and depends only on what that player can see.
	Choose func(s State, rng *rand.Rand) Action
	// Rollout, if not nil, is a faster equivalent of the function Rollout.
	Rollout func(s State, epsilon float64, rng *rand.Rand)
}

// Strategic is a Game with its own strategies. Their names are distinct, and none is
// "random".
type Strategic interface{ Strategies() []Strategy }

// Strategies lists the strategies for g: the game's own, then "random", which plays
// uniformly over the legal actions.
func Strategies(g Game) []Strategy {
	var list []Strategy
	if s, ok := g.(Strategic); ok {
		list = append(list, s.Strategies()...)
	}
	return append(list, Strategy{
		Name: "random", Summary: "uniformly at random", Choose: randomAction,
	})
}

// StrategyOf returns the strategy of g with the given name. The error for an unknown
// name lists the names.
func StrategyOf(g Game, name string) (Strategy, error) {
	list := Strategies(g)
	names := make([]string, len(list))
	for i, q := range list {
		if q.Name == name {
			return q, nil
		}
		names[i] = q.Name
	}
	return Strategy{},
		fmt.Errorf("%s has no strategy called %q; it has %s",
			g.Name(), name, strings.Join(names, ", "))
}

// Rollout plays s to its end. Each action of each player is drawn uniformly among the
// legal ones with probability epsilon, and chosen by the strategy otherwise.
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

// actionLists is a pool of buffers for legal actions.
var actionLists = sync.Pool{New: func() any { return new([]Action) }}

// randomAction draws a legal action uniformly.
func randomAction(s State, rng *rand.Rand) Action {
	buf := actionLists.Get().(*[]Action)
	defer actionLists.Put(buf)
	*buf = s.LegalActions((*buf)[:0])
	return (*buf)[rng.IntN(len(*buf))]
}
