package mcts

import (
	"math"

	"tengen/game"
	"tengen/mcts/internal/simulation"
)

// selectSlot walks from the root as selectPath does, and leaves the path in the slot. A
// simulation that does not end at once is under way.
func (t *Tree) selectSlot(slot int) simulation.Wait {
	t.path = t.paths[slot]
	w := t.selectPath()
	t.paths[slot] = t.path
	if t.overlap {
		t.underWay(t.path, 1)
	}
	return w
}

// selectPath walks from the root to a new node or to the end of the game. It
// leaves its nodes in t.path, and either a state to evaluate in t.work or the
// result in t.loop.Values. It ends with a collision at a node that awaits its evaluation.
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
			var q float64
			if t.overlap && nd.kind == decision {
				q = t.policy.unvisited(t, i)
			}
			t.work.Apply(t.edges[e].action)
			w := t.grow(e)
			if child = t.edges[e].child; nd.kind == decision && child != 0 {
				t.policy.tried(t, i)
				if t.overlap {
					t.flights[child].q = float32(q)
				}
			}
			return w
		}
		t.path = append(t.path, child)
		switch {
		case t.nodes[child].kind == terminal, t.nodes[child].proven:
			t.known(child)
			return simulation.Nothing
		case t.nodes[child].awaits:
			return simulation.Collision
		}
		t.work.Apply(t.edges[e].action)
		i = child
	}
}

// selectFull is selectPath in a full tree: it follows the tried edges, and ends at the state of
// a leaf, at one from which all of these are proven losses, or at the end of a walk outside the tree.
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
			if e = t.policy.follow(t, i); e < 0 {
				return simulation.Leaf
			}
		case chance:
			e = t.outcome(i)
		}
		t.work.Apply(t.edges[e].action)
		child := t.edges[e].child
		if child == 0 {
			return t.walk()
		}
		t.path = append(t.path, child)
		if t.nodes[child].kind == terminal || t.nodes[child].proven {
			t.known(child)
			return simulation.Nothing
		}
		i = child
	}
}

// pick returns the first of the terms with the greatest score mean + width·weight. The score is
// minus infinity if all of them are lost, or there are none.
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

// underWay adds n to the simulations under way through the nodes of a path.
func (t *Tree) underWay(path []int32, n int32) {
	parent := game.Nobody
	for _, i := range path {
		t.flights[i].n += n
		if parent >= 0 {
			t.score(i, parent)
		}
		parent = t.nodes[i].mover
	}
}

// drop takes a simulation that collided from those under way.
func (t *Tree) drop(slot int) { t.underWay(t.paths[slot], -1) }

// score updates the term of the edge that leads to node i from a decision of parent. Visits
// under way count in its weight, and in its mean only by PUCT.VirtualLoss, which does not raise a first-play urgency below 0.
// What is proven needs no exploration, and a proven loss no visits.
func (t *Tree) score(i int32, parent game.Player) {
	nd := &t.nodes[i]
	sum, visits := t.sums[int(i)*t.players+int(parent)], float64(nd.visits)
	started := nd.visits
	if t.overlap {
		f := t.flights[i]
		started += f.n
		if nd.visits == 0 {
			sum, visits = float64(f.q), 1
		}
		if sum > 0 {
			visits += float64(t.virtual * float64(f.n))
		}
	}
	x := term{mean: sum / visits}
	switch {
	case !nd.proven:
		x.weight = t.policy.weight(t.edges[nd.in].prior, started)
	case sum <= 0:
		x.mean = lost
	}
	t.terms[nd.in] = x
}
