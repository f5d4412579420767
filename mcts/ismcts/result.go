package ismcts

import (
	"math"
	"math/rand/v2"

	"tengen/game"
	"tengen/mcts/internal/planning"
	"tengen/search"
)

// Stats describes the search since the last Start or Play. MaxDepth and
// MeanDepth count players' actions, without chance.
func (t *Tree) Stats() search.Stats {
	s := t.loop.Summary()
	s.Nodes = len(t.nodes)
	s.Bytes = cap(t.nodes)*24 + cap(t.edges)*24 +
		(cap(t.sums)+cap(t.nodeSums)+cap(t.edgeSquares))*8 +
		(cap(t.keeper.nodes)+cap(t.keeper.edges))*4 + t.sets.bytes()
	return s
}

// Children appends what is known about each legal action at the root, in
// ascending order of the actions: nothing before the first Advance.
func (t *Tree) Children(dst []search.Child) []search.Child {
	if len(t.nodes) == 0 {
		return dst
	}
	t.buf = t.root.LegalActions(t.buf[:0])
	var priors []float32
	if t.nodes[0].visits > 0 {
		priors = t.policy.priors(t, 0)
	}
	e := t.nodes[0].first
	for k, a := range t.buf {
		c := search.Child{Action: a}
		if priors != nil {
			c.Prior = priors[k]
		}
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		if e != 0 && t.edges[e].action == a {
			c.Visits = int(t.edges[e].visits)
			planning.Means(c.Value[:], t.sums[int(e)*t.players:][:t.players], t.edges[e].visits)
		}
		dst = append(dst, c)
	}
	if t.top != nil {
		t.top.improve(t, dst[len(dst)-len(t.buf):])
	}
	return dst
}

// Value writes the mean utility of each player over all visits of the root to
// dst[0:Players], 0 where there are none yet. With mcts.Gumbel it is the expected utility under
// the improved policy.
func (t *Tree) Value(dst []float32) {
	if len(t.nodes) == 0 {
		clear(dst[:t.players])
		return
	}
	if t.top != nil && t.top.value(t, dst) {
		return
	}
	planning.Means(dst, t.nodeSums[:t.players], t.nodes[0].visits)
}

// Best returns the root's best action, as mcts.Tree.Best does. It returns game.NoAction while
// Children gives nothing.
func (t *Tree) Best() game.Action {
	if t.top != nil {
		if a := t.top.best(t); a != game.NoAction {
			return a
		}
	}
	t.children = t.Children(t.children[:0])
	most := 0
	for i := range t.children {
		most = max(most, t.children[i].Visits)
	}
	best, bestBound := search.Child{Action: game.NoAction, Visits: -1}, math.Inf(-1)
	for i := range t.children {
		c := &t.children[i]
		bound := math.Inf(-1)
		if t.final.ByBound() {
			bound = t.bound(c.Action, int32(most))
		}
		if bound > bestBound || bound == bestBound && t.before(c, &best) {
			best, bestBound = *c, bound
		}
	}
	return best.Action
}

// before reports whether an action comes before another with the same bound.
func (t *Tree) before(c, best *search.Child) bool {
	u, v := c.Value[max(t.observer, 0)], best.Value[max(t.observer, 0)]
	return c.Visits > best.Visits ||
		c.Visits == best.Visits && (u > v || u == v && c.Prior > best.Prior)
}

// bound returns mcts.FinalSelection.Bound of an action at the root, whose actions have up to most
// visits.
func (t *Tree) bound(a game.Action, most int32) float64 {
	for e := t.nodes[0].first; e != 0; e = t.edges[e].next {
		if t.edges[e].action == a {
			return t.final.Bound(t.sums[int(e)*t.players+int(t.observer)], t.edgeSquares[e],
				t.edges[e].visits, most)
		}
	}
	return math.Inf(-1)
}

// Choose draws an action as mcts.Tree.Choose does.
func (t *Tree) Choose(temperature float64, rng *rand.Rand) game.Action {
	if temperature > 0 && t.top == nil {
		t.children = t.Children(t.children[:0])
		if a := planning.Draw(t.children, temperature, rng); a != game.NoAction {
			return a
		}
	}
	return t.Best()
}

// PrincipalVariation appends only Best: what follows depends on hidden information.
func (t *Tree) PrincipalVariation(dst []game.Action) []game.Action {
	if best := t.Best(); best != game.NoAction {
		dst = append(dst, best)
	}
	return dst
}
