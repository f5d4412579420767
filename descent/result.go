package descent

import (
	"math/rand/v2"
	"slices"

	"tengen/game"
	"tengen/search"
)

// Stats describes the search since the last Start or Play. Simulations are the
// iterations that were completed, neither ended by the clock nor for want of
// room; MaxDepth counts decisions.
func (t *Tree) Stats() search.Stats {
	s := t.stats
	s.Nodes, s.Exact = len(t.nodes), t.Resolved()
	return s
}

// opens reports whether the root is expanded.
func (t *Tree) opens() bool { return t.root >= 0 && t.nodes[t.root].is&expanded != 0 }

// soleAction returns the sole legal action of the position.
func (t *Tree) soleAction() game.Action {
	t.legal = t.position.LegalActions(t.legal[:0])
	return t.legal[0]
}

// Children appends what is known about each legal action of the position, in
// ascending order: nothing before its expansion, or once the game is over. A
// sole legal action has the value of the decision that it leads to, and the
// visits of all that follows.
func (t *Tree) Children(dst []search.Child) []search.Child {
	if t.position.CurrentPlayer() < 0 || t.root < 0 {
		return dst
	}
	nd := &t.nodes[t.root]
	if t.lead > 0 {
		if nd.is&valued == 0 {
			return dst
		}
		c := t.childOf(t.soleAction(), t.root)
		for _, e := range t.edgesOf(t.root) {
			c.Visits += int(e.visits)
		}
		return append(dst, c)
	}
	for _, e := range t.edgesOf(t.root) {
		c := t.childOf(e.action, e.child)
		c.Visits = int(e.visits)
		dst = append(dst, c)
	}
	return dst
}

func (t *Tree) childOf(a game.Action, i int32) search.Child {
	c := search.Child{Action: a, Exact: t.nodes[i].is&resolved != 0}
	copy(c.Value[:], t.of(i))
	return c
}

// Value writes the root's minimax value for each player to dst[0:Players], or its evaluation
// while it has not been expanded, or 0 if neither is known.
func (t *Tree) Value(dst []float32) {
	if t.root < 0 || t.nodes[t.root].is&valued == 0 {
		clear(dst[:t.players])
		return
	}
	copy(dst, t.of(t.root))
}

// Resolved reports whether the root's value is final.
func (t *Tree) Resolved() bool { return t.root >= 0 && t.nodes[t.root].is&resolved != 0 }

// Best returns the action that is best by completion, value and visits; the
// lowest among equals. It returns game.NoAction before the root is expanded, and
// once the game is over.
func (t *Tree) Best() game.Action {
	if a, ok := t.decided(); ok {
		return a
	}
	k, _, _ := t.best(t.root)
	return t.edges[k].action
}

// decided returns the action if there is no choice: the sole legal one, or none.
func (t *Tree) decided() (a game.Action, ok bool) {
	switch {
	case t.position.CurrentPlayer() < 0:
		return game.NoAction, true
	case t.lead > 0:
		return t.soleAction(), true
	case !t.opens():
		return game.NoAction, true
	}
	return game.NoAction, false
}

// Safe returns the action that is best by completion, visits and value: the one explored most
// (the safe decision of Cohen-Solal 2020). If the root is resolved it returns Best.
func (t *Tree) Safe() game.Action {
	if a, ok := t.decided(); ok {
		return a
	}
	if t.Resolved() {
		return t.Best()
	}
	mover := int(t.nodes[t.root].mover)
	edges := t.edgesOf(t.root)
	best, r := 0, t.record(&edges[0], mover)
	for k := range edges {
		if other := t.record(&edges[k], mover); other.safer(r) {
			best, r = k, other
		}
	}
	return edges[best].action
}

// ordered returns the root's edges in the order of Best, the best first. The root is expanded.
func (t *Tree) ordered() []int32 {
	nd := &t.nodes[t.root]
	mover := int(nd.mover)
	t.order = t.order[:0]
	for k := range nd.edges {
		t.order = append(t.order, nd.first+k)
	}
	slices.SortStableFunc(t.order, func(a, b int32) int {
		x, y := t.record(&t.edges[a], mover), t.record(&t.edges[b], mover)
		switch {
		case x.before(y):
			return -1
		case y.before(x):
			return 1
		}
		return 0
	})
	return t.order
}

// PrincipalVariation appends the actions that Best would choose, from the
// position on, as far as states have been expanded, and the sole legal actions
// between them.
func (t *Tree) PrincipalVariation(dst []game.Action) []game.Action {
	if t.root < 0 {
		return dst
	}
	t.next.CopyFrom(t.position)
	dst = t.soleActions(dst, t.lead)
	for i := t.root; t.nodes[i].is&expanded != 0; {
		k, _, _ := t.best(i)
		e := &t.edges[k]
		dst = append(dst, e.action)
		t.next.Apply(e.action)
		dst = t.soleActions(dst, int(e.forced))
		i = e.child
	}
	return dst
}

// soleActions appends the next n sole legal actions of t.next, and applies them.
func (t *Tree) soleActions(dst []game.Action, n int) []game.Action {
	for range n {
		t.legal = t.next.LegalActions(t.legal[:0])
		dst = append(dst, t.legal[0])
		t.next.Apply(t.legal[0])
	}
	return dst
}

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
