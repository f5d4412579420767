package mcts

import "tengen/game"

// grow adds the child to which edge e leads, whose state is t.work, and goes on
// from it while no player has a choice. Where there is no room for a node the
// tree is frozen, and the state is walked on to what can be evaluated.
func (t *Tree) grow(e int32) wait {
	for {
		mover := t.work.CurrentPlayer()
		k, n := t.classify(mover)
		if !t.room(n) {
			t.frozen = true
			return t.walk()
		}
		i := t.add(k, mover, e)
		t.edges[e].child = i
		t.path = append(t.path, i)
		switch k {
		case terminal:
			t.ended()
			return nothing
		case decision:
			t.variant.opened(t, i)
			return expansion
		case forced:
			e = t.openForced(i)
		case chance:
			t.openChance(i, n)
			e = t.outcome(i)
		}
		t.work.Apply(t.edges[e].action)
	}
}

// settle makes a copy of the root state the tree's root.
func (t *Tree) settle() {
	t.work.CopyFrom(t.root)
	mover := t.work.CurrentPlayer()
	k, n := t.classify(mover)
	if !t.room(n) {
		t.reserve(max(cap(t.nodes), 1), max(n, t.branch))
	}
	t.add(k, mover, 0)
	switch k {
	case forced:
		t.openForced(0)
	case chance:
		t.openChance(0, n)
	}
}

// classify says what sort of node t.work is and how many edges it takes. It
// leaves the legal actions of a player in t.buf.
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
	t.nodes[i].tried, t.nodes[i].mass = 1, 1
	return t.nodes[i].first
}

// openChance makes room for n outcomes, none of them met yet.
func (t *Tree) openChance(i int32, n int) {
	edges, _ := t.open(i, n)
	for k := range edges {
		edges[k] = edge{action: game.NoAction}
	}
}

// outcome samples an outcome of the chance node i, whose state is t.work, and
// returns its edge, which it makes if the outcome is new here.
func (t *Tree) outcome(i int32) (e int32) {
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

// walk plays t.work on, outside the tree, to a state in which a player has a
// choice, or to the end.
func (t *Tree) walk() wait {
	for {
		switch t.work.CurrentPlayer() {
		case game.Nobody:
			t.ended()
			return nothing
		case game.Chance:
			t.work.Apply(t.work.(game.Chancer).Sample(t.rng))
		default:
			t.buf = t.work.LegalActions(t.buf[:0])
			if len(t.buf) > 1 {
				return evaluation
			}
			t.work.Apply(t.buf[0])
		}
	}
}

// ended takes the result of t.work, a finished game.
func (t *Tree) ended() {
	t.work.Returns(t.scores)
	for p, u := range t.scores {
		t.values[p] = float64(u)
	}
}

// known takes the result of terminal node i without playing to it. The
// utilities are float32 and all visits gave the same, so the sum is exact in a
// float64, and so is the quotient.
func (t *Tree) known(i int32) {
	n := float64(t.nodes[i].visits)
	for p, sum := range t.of(i) {
		t.values[p] = sum / n
	}
}
