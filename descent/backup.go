package descent

import "tengen/game"

// record holds the values by which children are compared, for the player of their parent.
type record struct {
	completion int
	value      float32
	visits     int32
}

// before compares by completion, value and visits, the more the better.
func (a record) before(b record) bool {
	switch {
	case a.completion > b.completion:
		return true
	case a.completion < b.completion:
		return false
	case a.value > b.value:
		return true
	case a.value < b.value:
		return false
	}
	return a.visits > b.visits
}

// safer compares by completion, visits and value.
func (a record) safer(b record) bool {
	switch {
	case a.completion > b.completion:
		return true
	case a.completion < b.completion:
		return false
	case a.visits > b.visits:
		return true
	case a.visits < b.visits:
		return false
	}
	return a.value > b.value
}

// record returns that of edge e of a node with the given mover.
func (t *Tree) record(e *edge, mover int) record {
	r := record{value: t.values[int(e.child)*t.players+mover], visits: e.visits}
	if child := &t.nodes[e.child]; child.is&resolved != 0 {
		r.completion = child.completion.of(game.Player(mover))
	}
	return r
}

// best returns the edge of node i, which is expanded, whose record is before all
// others, the first among equals. settled says whether all children are resolved.
func (t *Tree) best(i int32) (best int32, r record, settled bool) {
	nd := &t.nodes[i]
	mover := int(nd.mover)
	settled = true
	for k, end := nd.first, nd.first+nd.edges; k < end; k++ {
		e := &t.edges[k]
		settled = settled && t.nodes[e.child].is&resolved != 0
		if other := t.record(e, mover); k == nd.first || other.before(r) {
			best, r = k, other
		}
	}
	return best, r, settled
}

// refresh gives node i, which is expanded, the value of its best child, and
// resolves it if its children do. A node that is resolved stays as it is, since
// its parents depend on its choice among equals.
func (t *Tree) refresh(i int32) {
	nd := &t.nodes[i]
	if nd.is&resolved != 0 {
		return
	}
	k, r, settled := t.best(i)
	child := t.edges[k].child
	copy(t.of(i), t.of(child))
	if settled || r.completion == 1 {
		nd.is |= resolved
		nd.completion = t.nodes[child].completion
	}
}

// explore returns the edge to follow from node i, which is not resolved after its
// refresh: the greatest value among children that are not resolved,
// then the fewest visits, then at random. (The completion of such children is 0.)
func (t *Tree) explore(i int32) int32 {
	nd := &t.nodes[i]
	mover := int(nd.mover)
	var (
		best   int32
		value  float32
		visits int32
		equals int
	)
	end := nd.first + nd.edges
	for k := nd.first; k < end; k++ {
		e := &t.edges[k]
		if t.nodes[e.child].is&resolved != 0 {
			continue
		}
		v := t.values[int(e.child)*t.players+mover]
		switch {
		case equals == 0 || v > value || v == value && e.visits < visits:
			best, value, visits, equals = k, v, e.visits, 1
		case v == value && e.visits == visits:
			equals++
		}
	}
	if equals > 1 && t.rng != nil {
		for n := t.rng.IntN(equals); n > 0; n-- {
			for best++; ; best++ {
				e := &t.edges[best]
				if t.nodes[e.child].is&resolved == 0 && e.visits == visits &&
					t.values[int(e.child)*t.players+mover] == value {
					break
				}
			}
		}
	}
	return best
}
