package mcts

import (
	"tengen/game"
	"tengen/mcts/internal/simulation"
)

// grow adds the child to which edge e leads, whose state is t.work, and those that follow while
// no player has a choice. If there is no room for a node the tree is full, and the simulation
// continues outside it.
func (t *Tree) grow(e int32) simulation.Wait {
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
			return simulation.Nothing
		case decision:
			t.policy.opened(t, i)
			return simulation.Expansion
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
	edges, terms := t.open(i, 1)
	edges[0], terms[0] = edge{action: t.buf[0], prior: 1}, term{}
	t.nodes[i].tried, t.nodes[i].visitedMass = 1, 1
	return t.nodes[i].first
}

// openChance makes room for n outcomes, none of which has been sampled.
func (t *Tree) openChance(i int32, n int) {
	edges, _ := t.open(i, n)
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
	t.edges[e], t.terms[e] = edge{action: a}, term{}
	nd.tried++
	return e
}

// walk advances t.work, outside the tree, to a state in which a player has a choice, or to the
// end of the game.
func (t *Tree) walk() simulation.Wait {
	for {
		switch t.work.CurrentPlayer() {
		case game.Nobody:
			t.loop.Ended()
			return simulation.Nothing
		case game.Chance:
			t.work.Apply(t.work.(game.Chancer).Sample(t.rng))
		default:
			t.buf = t.work.LegalActions(t.buf[:0])
			if len(t.buf) > 1 {
				return simulation.Leaf
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
