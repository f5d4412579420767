package descent

import (
	"slices"

	"tengen/game"
)

// Child is what is known about one action at the root.
type Child struct {
	Action game.Action
	// Visits counts the iterations that took the action.
	Visits int
	// Completion, for the mover, is +1 for a resolved action that gets it the
	// greatest utility, -1 for one that gets it the least, else 0.
	Completion int
	Resolved   bool
	// Value [Players] holds until the next call that changes the tree.
	Value []float32
}

// Stats says what the search since the last Start or Play did.
type Stats struct {
	Iterations int    // ended as they should, neither by the clock nor for want of room
	Expanded   int    // states
	Evaluated  int    // states handed out
	Nodes      int    // states held now
	Depth      int    // deepest state met below the root, in decisions
	Capped     bool   // the search was cut short by MaxNodes
	Forgotten  uint64 // states dropped to make room since Start
}

// Stats describes the search since the last Start or Play.
func (t *Tree) Stats() Stats {
	s := t.stats
	s.Nodes = len(t.nodes)
	return s
}

// opens says whether the root is expanded.
func (t *Tree) opens() bool { return t.root >= 0 && t.nodes[t.root].is&expanded != 0 }

// soleAction is the sole legal action of the position.
func (t *Tree) soleAction() game.Action {
	t.legal = t.position.LegalActions(t.legal[:0])
	return t.legal[0]
}

// Children appends what is known about each legal action of the position, in
// ascending order: nothing before its expansion, or once the game is over. A
// sole legal action has the value of what it leads to, and the visits of all
// that follows.
func (t *Tree) Children(dst []Child) []Child {
	mover := t.position.CurrentPlayer()
	if mover < 0 || t.root < 0 {
		return dst
	}
	nd := &t.nodes[t.root]
	if t.lead > 0 {
		if nd.is&valued == 0 {
			return dst
		}
		c := t.childOf(t.soleAction(), t.root, mover)
		for _, e := range t.edgesOf(t.root) {
			c.Visits += int(e.visits)
		}
		return append(dst, c)
	}
	for _, e := range t.edgesOf(t.root) {
		c := t.childOf(e.action, e.child, mover)
		c.Visits = int(e.visits)
		dst = append(dst, c)
	}
	return dst
}

func (t *Tree) childOf(a game.Action, i int32, mover game.Player) Child {
	c := Child{Action: a, Value: t.of(i)}
	if nd := &t.nodes[i]; nd.is&resolved != 0 {
		c.Resolved = true
		c.Completion = nd.completion.of(mover)
	}
	return c
}

// Value writes the root's minimax value for each player to dst[0:Players], or
// its evaluation while it has not been expanded. It returns false, and writes
// nothing, where neither is known.
func (t *Tree) Value(dst []float32) bool {
	if t.root < 0 || t.nodes[t.root].is&valued == 0 {
		return false
	}
	copy(dst, t.of(t.root))
	return true
}

// Resolved says whether the root's value is final.
func (t *Tree) Resolved() bool { return t.root >= 0 && t.nodes[t.root].is&resolved != 0 }

// Best is the action that is best by completion, value and visits; the lowest
// among equals. It is game.NoAction before the root is expanded, and once the
// game is over.
func (t *Tree) Best() game.Action {
	if a, ok := t.decided(); ok {
		return a
	}
	k, _, _ := t.best(t.root)
	return t.edges[k].action
}

// decided is the action where there is nothing to choose: the sole legal one,
// or none.
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

// Safe is the action that is best by completion, visits and value: the one
// explored most (the safe decision of Cohen-Solal 2020). Where the root is
// resolved there is nothing to be careful about and it is Best.
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

// ordered is the root's edges, the best first, as Best means it. The root is
// expanded.
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

// Line appends the principal variation: from the position on the actions that
// Best would choose, as far as states have been expanded, and the sole legal
// actions between them.
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

// soleActions plays so many of them in t.next.
func (t *Tree) soleActions(dst []game.Action, n int) []game.Action {
	for range n {
		t.legal = t.next.LegalActions(t.legal[:0])
		dst = append(dst, t.legal[0])
		t.next.Apply(t.legal[0])
	}
	return dst
}
