package mcts

import (
	"math"

	"tengen/game"
)

// descend walks from the root to a new node or to the end of the game. It
// leaves the way in t.path, and either a state to evaluate in t.work or the
// result in t.values.
func (t *Tree) descend() wait {
	if t.frozen {
		return t.descendFrozen()
	}
	t.work.CopyFrom(t.root)
	t.path = append(t.path[:0], 0)
	for i := int32(0); ; {
		nd := &t.nodes[i]
		e := nd.first
		switch nd.kind {
		case decision:
			e = t.variant.choose(t, i)
		case chance:
			e = t.outcome(i)
		}
		child := t.edges[e].child
		if child == 0 {
			t.work.Apply(t.edges[e].action)
			w := t.grow(e)
			if nd.kind == decision && t.edges[e].child != 0 {
				t.variant.tried(t, i)
			}
			return w
		}
		t.path = append(t.path, child)
		if t.nodes[child].kind == terminal {
			t.known(child)
			return nothing
		}
		t.work.Apply(t.edges[e].action)
		i = child
	}
}

// descendFrozen is descend in a tree that takes no more nodes: it stays among
// the edges tried, and ends at a leaf's own state, or at what a walk outside
// the tree reaches.
func (t *Tree) descendFrozen() wait {
	t.work.CopyFrom(t.root)
	t.path = append(t.path[:0], 0)
	for i := int32(0); ; {
		nd := &t.nodes[i]
		if nd.kind == decision && nd.tried == 0 {
			return evaluation
		}
		e := nd.first
		switch nd.kind {
		case decision:
			best, _ := pick(t.terms[e:e+nd.tried], t.variant.width(nd.visits))
			e += best
		case chance:
			e = t.outcome(i)
		}
		t.work.Apply(t.edges[e].action)
		child := t.edges[e].child
		if child == 0 {
			return t.walk()
		}
		t.path = append(t.path, child)
		if t.nodes[child].kind == terminal {
			t.known(child)
			return nothing
		}
		i = child
	}
}

// pick is the first of the greatest scores mean + width·weight, and minus
// infinity where there are no terms.
func pick(terms []term, width float64) (best int32, score float64) {
	score = math.Inf(-1)
	for i := range terms {
		// The conversion keeps the product from being fused with the sum,
		// which some processors do, so that all choose alike.
		if s := terms[i].mean + float64(width*terms[i].weight); s > score {
			best, score = int32(i), s
		}
	}
	return best, score
}

// backup adds a simulation's result to the nodes of its path, and scores the
// edges between them anew.
func (t *Tree) backup() {
	mover := t.visit(0)
	for _, i := range t.path[1:] {
		nd := &t.nodes[i]
		parent := mover
		mover = t.visit(i)
		if parent >= 0 {
			sum := t.sums[int(i)*t.players+int(parent)]
			t.terms[nd.in] = term{
				mean:   sum / float64(nd.visits),
				weight: t.variant.weight(t.edges[nd.in].prior, nd.visits),
			}
		}
	}
}

// visit adds the result to node i and returns its mover.
func (t *Tree) visit(i int32) game.Player {
	nd := &t.nodes[i]
	nd.visits++
	for p, v := range t.values {
		t.sums[int(i)*t.players+p] += v
	}
	return nd.mover
}
