package mcts

import (
	"tengen/game"
	"tengen/mcts/internal/planning"
)

// selectSlot walks from the root as selectPath does, and leaves the path in the slot. A
// simulation that does not end at once is under way.
func (t *Tree) selectSlot(slot int) planning.Wait {
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
func (t *Tree) selectPath() planning.Wait {
	if t.loop.Stats.Full {
		return t.selectFull()
	}
	foreseen := t.foreseen.take()
	t.work.CopyFrom(t.root)
	t.path = append(t.path[:0], 0)
	for i := int32(0); ; {
		nd := &t.nodes[i]
		e := nd.first
		switch {
		case len(foreseen) > 0:
			e, foreseen = foreseen[0], foreseen[1:]
		case nd.kind == decision:
			e = t.policy.choose(t, i)
		case nd.kind == chance:
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
			return planning.Nothing
		case t.nodes[child].awaits:
			return planning.Collision
		}
		t.work.Apply(t.edges[e].action)
		i = child
	}
}

// selectFull is selectPath in a full tree: it follows the tried edges, and ends at the state of
// a leaf, at one from which all of these are proven losses, or at the end of a walk outside the
// tree.
func (t *Tree) selectFull() planning.Wait {
	t.work.CopyFrom(t.root)
	t.path = append(t.path[:0], 0)
	for i := int32(0); ; {
		nd := &t.nodes[i]
		if nd.kind == decision && nd.tried == 0 {
			return planning.Leaf
		}
		e := nd.first
		switch nd.kind {
		case decision:
			if e = t.policy.follow(t, i); e < 0 {
				return planning.Leaf
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
			return planning.Nothing
		}
		i = child
	}
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

// grow adds the child to which edge e leads, whose state is t.work, and those that follow while
// no player has a choice. If there is no room for a node the tree is full, and the simulation
// continues outside it.
func (t *Tree) grow(e int32) planning.Wait {
	for {
		mover := t.work.CurrentPlayer()
		k, n := t.classify(mover)
		if !t.room(n) {
			t.loop.Stats.Full = true
			return t.walk()
		}
		i := t.add(k, mover, e)
		t.edges[e].child = i
		t.path = append(t.path, i)
		switch k {
		case terminal:
			t.loop.Ended()
			return planning.Nothing
		case decision:
			t.policy.opened(t, i)
			return planning.Expansion
		case forced:
			e = t.openForced(i)
		case chance:
			t.openChance(i, n)
			e = t.outcome(i)
		}
		t.work.Apply(t.edges[e].action)
	}
}

// addRoot adds the root.
func (t *Tree) addRoot() {
	t.work.CopyFrom(t.root)
	mover := t.work.CurrentPlayer()
	k, n := t.classify(mover)
	if !t.room(n) {
		t.reserve(max(t.maxNodes, 1), max(n, t.branch))
	}
	t.add(k, mover, 0)
	switch k {
	case forced:
		t.openForced(0)
	case chance:
		t.openChance(0, n)
	}
}

// classify returns the kind of the node of t.work, and the number of its edges.
// It leaves the legal actions of a player in t.buf.
func (t *Tree) classify(mover game.Player) (k kind, edges int) {
	switch mover {
	case game.Nobody:
		return terminal, 0
	case game.Chance:
		t.outc = t.work.(game.Chancer).Outcomes(t.outc[:0])
		return chance, len(t.outc)
	}
	t.buf = t.work.LegalActions(t.buf[:0])
	if len(t.buf) == 1 {
		return forced, 1
	}
	return decision, len(t.buf)
}

func (t *Tree) openForced(i int32) (e int32) {
	t.open(i, 1)[0] = edge{action: t.buf[0], prior: 1}
	t.nodes[i].tried, t.nodes[i].visitedMass = 1, 1
	return t.nodes[i].first
}

// openChance makes room for n outcomes, none of which has been sampled.
func (t *Tree) openChance(i int32, n int) {
	edges := t.open(i, n)
	for k := range edges {
		edges[k] = edge{action: game.NoAction}
	}
}

// outcome samples an outcome of the chance node i, whose state is t.work, or takes its turn
// (PUCT.Balanced), and returns its edge. It adds the edge if the outcome is new.
func (t *Tree) outcome(i int32) (e int32) {
	if t.balanced && !t.loop.Stats.Full {
		return t.balance(i)
	}
	nd := &t.nodes[i]
	a := t.work.(game.Chancer).Sample(t.rng)
	end := nd.first + nd.tried
	for e = nd.first; e < end; e++ {
		if t.edges[e].action == a {
			return e
		}
	}
	t.edges[e] = edge{action: a}
	nd.tried++
	return e
}

// walk advances t.work, outside the tree, to a state in which a player has a choice, or to the
// end of the game.
func (t *Tree) walk() planning.Wait {
	for {
		switch t.work.CurrentPlayer() {
		case game.Nobody:
			t.loop.Ended()
			return planning.Nothing
		case game.Chance:
			t.work.Apply(t.work.(game.Chancer).Sample(t.rng))
		default:
			t.buf = t.work.LegalActions(t.buf[:0])
			if len(t.buf) > 1 {
				return planning.Leaf
			}
			t.work.Apply(t.buf[0])
		}
	}
}

// known writes the values of node i, which is terminal or proven, to t.loop.Values, from its
// earlier visits. They are float32 and equal in all visits, so their sum is exact in float64, and
// so is the quotient.
func (t *Tree) known(i int32) {
	n := float64(t.nodes[i].visits)
	for p, sum := range t.of(i) {
		t.loop.Values[p] = sum / n
	}
}

// backup adds the result of a simulation to the nodes of its path, and updates
// the scores of the edges between them. It returns the length of the path.
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
