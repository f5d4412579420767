package mcts

import (
	"math"

	"tengen/game"
	"tengen/mcts/internal/simulation"
)

// selectPath walks from the root to a new node or to the end of the game. It
// leaves its nodes in t.path, and either a state to evaluate in t.work or the
// result in t.loop.Values.
func (t *Tree) selectPath() simulation.Wait {
	if t.loop.Stats.Full {
		return t.selectFull()
	}
	t.work.CopyFrom(t.root)
	t.path = append(t.path[:0], 0)
	for i := int32(0); ; {
		nd := &t.nodes[i]
		e := nd.first
		switch nd.kind {
		case decision:
			e = t.policy.choose(t, i)
		case chance:
			e = t.outcome(i)
		}
		child := t.edges[e].child
		if child == 0 {
			t.work.Apply(t.edges[e].action)
			w := t.grow(e)
			if nd.kind == decision && t.edges[e].child != 0 {
				t.policy.tried(t, i)
			}
			return w
		}
		t.path = append(t.path, child)
		if t.nodes[child].kind == terminal {
			t.known(child)
			return simulation.Nothing
		}
		t.work.Apply(t.edges[e].action)
		i = child
	}
}

// selectFull is selectPath in a full tree: it follows the tried edges, and ends at the state of
// a leaf, or at the end of a walk outside the tree.
func (t *Tree) selectFull() simulation.Wait {
	t.work.CopyFrom(t.root)
	t.path = append(t.path[:0], 0)
	for i := int32(0); ; {
		nd := &t.nodes[i]
		if nd.kind == decision && nd.tried == 0 {
			return simulation.Leaf
		}
		e := nd.first
		switch nd.kind {
		case decision:
			best, _ := pick(t.terms[e:e+nd.tried], t.policy.width(nd.visits))
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
			return simulation.Nothing
		}
		i = child
	}
}

// pick returns the first of the terms with the greatest score mean + width·weight. The score is
// minus infinity if there are no terms.
func pick(terms []term, width float64) (best int32, score float64) {
	score = math.Inf(-1)
	for i := range terms {
		// The conversion prevents fused multiply-add, so that all processors choose the same.
		if s := terms[i].mean + float64(width*terms[i].weight); s > score {
			best, score = int32(i), s
		}
	}
	return best, score
}

// backup adds the result of a simulation to the nodes of its path, and updates
// the terms of the edges between them. It returns the length of the path.
func (t *Tree) backup() (depth int) {
	mover := t.visit(0)
	for _, i := range t.path[1:] {
		nd := &t.nodes[i]
		parent := mover
		mover = t.visit(i)
		if parent >= 0 {
			sum := t.sums[int(i)*t.players+int(parent)]
			t.terms[nd.in] = term{
				mean:   sum / float64(nd.visits),
				weight: t.policy.weight(t.edges[nd.in].prior, nd.visits),
			}
		}
	}
	return len(t.path) - 1
}

// visit adds the result to node i and returns its player to move.
func (t *Tree) visit(i int32) game.Player {
	nd := &t.nodes[i]
	nd.visits++
	for p, v := range t.loop.Values {
		t.sums[int(i)*t.players+p] += v
	}
	return nd.mover
}
