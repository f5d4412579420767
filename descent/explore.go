package descent

import (
	"math/rand/v2"

	"tengen/game"
)

// Ordinal draws an action by the ordinal law (Cohen-Solal 2020): the k actions
// in order, the best by completion, value and visits first, number j from 0 on
// has the probability
//
//	P(j) = (greed + (1-greed)/(k-j)) · (1 - P(0) - … - P(j-1))
//
// so that greed 0 is uniform and 1 is Best. It returns game.NoAction if Best does.
func (t *Tree) Ordinal(greed float64, rng *rand.Rand) game.Action {
	if a, ok := t.decided(); ok {
		return a
	}
	order := t.ordered()
	k := len(order)
	for j, e := range order[:k-1] {
		if rng.Float64() < greed+(1-greed)/float64(k-j) {
			return t.edges[e].action
		}
	}
	return t.edges[order[k-1]].action
}
