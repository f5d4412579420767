package mcts

import (
	"cmp"

	"tengen/game"
	"tengen/search"
)

// backupProofs is backup for PUCT.Proofs. It goes up the path, and proves the nodes that it can. All visits of a proven node have
// its value, so that the sums of a node are those of its own evaluations and of its children, unless it is proven.
func (t *Tree) backupProofs(path []int32) (depth int) {
	// values are those of the visit at the node at hand; change is what its sums change by.
	values, change := t.loop.Values, t.change
	copy(change, values)
	below := int32(0)
	for k := len(path) - 1; k >= 0; k-- {
		i := path[k]
		nd, sums := &t.nodes[i], t.of(i)
		if t.overlap {
			t.flights[i].n--
		}
		known := nd.proven
		if known {
			t.known(i)
		} else {
			nd.proven = t.proves(i, below)
		}
		nd.visits++
		for p, v := range values {
			sum := sums[p] + change[p]
			if nd.proven {
				sum = v * float64(nd.visits)
				change[p] = sum - sums[p]
			}
			sums[p] = sum
		}
		parent := game.Nobody
		if k > 0 {
			parent = t.nodes[path[k-1]].mover
		}
		if t.squared {
			visits := float64(1)
			if nd.proven && !known {
				t.squares[i], visits = squares{}, float64(nd.visits)
			}
			t.square(i, parent, visits)
		}
		if parent >= 0 {
			t.score(i, parent)
		}
		below = i
	}
	if t.nodes[0].proven {
		t.loop.End()
	}
	return len(path) - 1
}

// proves reports whether the value of node i follows from finished games, now that the visit at hand has gone on to node
// below, 0 for none, whose values t.loop.Values are. It then leaves those of node i there.
//
// A player who can win, with a utility of 1, does, whatever the other actions are worth. Otherwise the values
// of all actions must be proven. Of several actions that are best for the player, the lowest counts.
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
		if _, v := t.record(e, nd.mover); best == nil || v > most || v == most && e.action < best.action {
			best, most = e, v
		}
	}
	t.known(best.child)
	return true
}

// proven reports whether the value of an edge is proven.
func (t *Tree) proven(e *edge) bool { return e.child != 0 && t.nodes[e.child].proven }

// prefer returns the better of the edges of node i: of those that are proven, the one with the greatest value, or open, the best of the
// others, nil if there are none. A proven value is preferred to an equal mean. An action without visits is preferred to
// a proven loss only.
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
		if _, v := t.record(e, mover); best == nil || v > value || v == value && t.more(i, mover, e, best) {
			best, value = e, v
		}
	}
	if open == nil || best == nil {
		return cmp.Or(best, open)
	}
	switch visits, mean := t.record(open, mover); {
	case visits == 0 && value > 0, visits > 0 && value >= mean:
		return best
	}
	return open
}

// settle completes the children of the root, which are in the order of its edges, by what is proven: visits of
// actions that are known to be worse than the best one do not count in a policy target.
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

// worse reports whether an edge of the root is known to be worse than the best one, which has the given value: it is
// a proven loss, or the root is proven and this edge is not proven to be as good.
func (t *Tree) worse(e *edge, value float64) bool {
	_, v := t.record(e, t.nodes[0].mover)
	if t.nodes[0].proven {
		return !t.proven(e) || v < value
	}
	return t.proven(e) && v == 0 && value > 0
}
