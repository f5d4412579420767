package mcts

import "tengen/game"

// backup adds the result of a simulation to the nodes of its path, and updates
// the terms of the edges between them. It returns the length of the path.
func (t *Tree) backup(slot int) (depth int) {
	path := t.paths[slot]
	if t.proofs || t.balanced {
		return t.backupChanges(path)
	}
	parent := game.Nobody
	for _, i := range path {
		if t.overlap {
			t.flights[i].n--
		}
		mover := t.visit(i)
		if t.squared {
			t.square(i, parent, 1)
		}
		if parent >= 0 {
			t.score(i, parent)
		}
		parent = mover
	}
	return len(path) - 1
}

// backupChanges is backup where a visit changes the sums of nodes by more than its own values: for
// PUCT.Proofs, where all visits of a proven node have its value, and for PUCT.Balanced, where
// outcomes count by their probabilities. It goes up the path, and proves the nodes that it can. The
// sums of a node are those of its own evaluations and of its children, which at a chance node are
// weighted, unless it is proven.
func (t *Tree) backupChanges(path []int32) (depth int) {
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
		switch {
		case known:
			t.known(i)
		case t.proofs:
			nd.proven = t.proves(i, below)
		}
		nd.visits++
		if t.balanced && nd.kind == chance && below != 0 {
			t.weigh(i, below)
		}
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
				t.squares[i], visits = 0, float64(nd.visits)
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

// visit adds the result to node i and returns its player to move.
func (t *Tree) visit(i int32) game.Player {
	nd := &t.nodes[i]
	nd.visits++
	for p, v := range t.loop.Values {
		t.sums[int(i)*t.players+p] += v
	}
	return nd.mover
}

// square adds the squares of the result of a number of visits to node i, which follows a node of
// parent.
func (t *Tree) square(i int32, parent game.Player, visits float64) {
	if parent >= 0 {
		v := t.loop.Values[parent]
		t.squares[i] += float64(v * v * visits)
	}
}
