package mcts

import (
	"cmp"

	"tengen/search"
)

// proves reports whether the value of node i follows from finished games, now that the visit at
// hand has gone on to node below, 0 for none, whose values t.loop.Values are. It then leaves those
// of node i there.
//
// A player who can win, with a utility of 1, does, whatever the other actions are worth. Otherwise
// the values of all actions must be proven. Of several actions that are best for the player, the
// lowest counts.
func (t *Tree) proves(i, below int32) bool {
	nd := &t.nodes[i]
	switch {
	case nd.kind == terminal:
		return true
	case below == 0 || !t.nodes[below].proven || nd.kind == chance:
		return false
	case nd.kind == forced || t.loop.Values[nd.mover] >= 1:
		return true
	case nd.tried < nd.edges:
		return false
	}
	var best *edge
	most := 0.0
	edges := t.edgesOf(i)
	for k := range edges {
		e := &edges[k]
		if !t.nodes[e.child].proven {
			return false
		}
		if _, v := t.record(e, nd.mover); best == nil || v > most ||
			v == most && e.action < best.action {
			best, most = e, v
		}
	}
	t.known(best.child)
	return true
}

// proven reports whether the value of an edge is proven.
func (t *Tree) proven(e *edge) bool { return e.child != 0 && t.nodes[e.child].proven }

// prefer returns the better of the edges of node i: of those that are proven, the one with the
// greatest value, or open, the best of the others, nil if there are none. A proven value is
// preferred to an equal mean, but for a proven loss, which is no better than anything else. An
// action without visits is preferred to a proven loss only.
func (t *Tree) prefer(i int32, open *edge) *edge {
	mover := t.nodes[i].mover
	edges := t.edgesOf(i)
	var best *edge
	value := 0.0
	for k := range edges {
		e := &edges[k]
		if !t.proven(e) {
			continue
		}
		if _, v := t.record(e, mover); best == nil || v > value ||
			v == value && t.more(i, mover, e, best) {
			best, value = e, v
		}
	}
	if open == nil || best == nil {
		return cmp.Or(best, open)
	}
	if visits, mean := t.record(open, mover); value > 0 && (visits == 0 || value >= mean) {
		return best
	}
	return open
}

// settle completes the children of the root, which are in the order of its edges, by what is
// proven: visits of actions that are known to be worse than the best one do not count in a policy
// target.
func (t *Tree) settle(children []search.Child) {
	nd := &t.nodes[0]
	for k := range children {
		children[k].Exact = t.proven(&t.edges[nd.first+int32(k)])
	}
	best := t.best(0)
	if best == nil || nd.kind != decision {
		return
	}
	_, value := t.record(best, nd.mover)
	for k := range children {
		if c := &children[k]; c.Visits > 0 && t.worse(&t.edges[nd.first+int32(k)], value) {
			c.Pruned = c.Visits
		}
	}
}

// worse reports whether an edge of the root is known to be worse than the best one, which has the
// given value: it is a proven loss, or the root is proven and this edge is not proven to be as
// good.
func (t *Tree) worse(e *edge, value float64) bool {
	_, v := t.record(e, t.nodes[0].mover)
	if t.nodes[0].proven {
		return !t.proven(e) || v < value
	}
	return t.proven(e) && v == 0
}
