package mcts

import (
	"math"

	"tengen/game"
)

// addNode appends a node. There must be room.
func (t *InfoSets) addNode(nd infoNode) int32 {
	t.nodes = append(t.nodes, nd)
	t.nodeSums = t.nodeSums[:len(t.nodes)*t.players]
	clear(t.nodeSums[(len(t.nodes)-1)*t.players:])
	return int32(len(t.nodes) - 1)
}

// descend walks from a determinization of the root to a new node, or to the end
// of the game. It leaves the way in t.path, and either a state to evaluate in
// t.work or the result in t.values.
func (t *InfoSets) descend() wait {
	t.work.CopyFrom(t.root)
	t.hidden.Determinize(t.rng, t.observer)
	if t.forest != nil {
		t.forest.begin(t)
	}
	t.path, t.trail = t.path[:0], t.trail[:0]
	for i := int32(0); ; {
		t.trail = append(t.trail, i)
		t.buf = t.work.LegalActions(t.buf[:0])
		var e int32
		if t.policy != nil {
			e = t.policy.choose(t, i)
		} else {
			e = t.choose(i)
		}
		if e == 0 {
			return evaluation
		}
		t.path = append(t.path, e)
		if t.forest != nil {
			t.forest.act(t.nodes[i].mover, t.edges[e].action)
		}
		t.work.Apply(t.edges[e].action)
		for t.work.CurrentPlayer() == game.Chance {
			t.work.Apply(t.work.(game.Chancer).Sample(t.rng))
		}
		if t.work.CurrentPlayer() == game.Nobody {
			t.work.Returns(t.scores)
			for p, u := range t.scores {
				t.values[p] = float64(u)
			}
			return nothing
		}
		var list *int32
		if i, list = t.find(e); i != 0 {
			continue
		}
		if len(t.nodes) == cap(t.nodes) {
			t.stats.Full = true
			return evaluation
		}
		i = t.addNode(infoNode{key: t.key, next: *list, mover: t.work.CurrentPlayer()})
		*list = i
		t.trail = append(t.trail, i)
		return expansion
	}
}

// find is the node of the state in t.work, to which edge e has led. Where it is 0,
// there is none yet: its key is then in t.key, and it belongs at the head of the list.
func (t *InfoSets) find(e int32) (i int32, list *int32) {
	if t.forest != nil {
		t.key, list = t.forest.look(t)
	} else {
		t.key, list = t.hidden.InformationStateKey(t.observer), &t.edges[e].child
	}
	for i = *list; i != 0 && t.nodes[i].key != t.key; {
		i = t.nodes[i].next
	}
	return i, list
}

// choose is the edge to follow from node i, where the actions in t.buf are legal,
// and counts those that were available. It is 0 where none of these has an edge and
// there is no room for one.
func (t *InfoSets) choose(i int32) (best int32) {
	nd := &t.nodes[i]
	untried, score := 0, math.Inf(-1)
	e := nd.first
	for _, a := range t.buf {
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		if e == 0 || t.edges[e].action != a {
			untried++
			continue
		}
		ed := &t.edges[e]
		n := float64(ed.visits)
		mean := t.sums[int(e)*t.players+int(nd.mover)] / n
		if s := mean + float64(t.c*math.Sqrt(t.ln(ed.available)/n)); s > score {
			best, score = e, s
		}
		ed.available++
	}
	if untried == 0 {
		return best
	}
	if len(t.edges) == cap(t.edges) {
		t.stats.Full = true
		return best
	}
	return t.insert(nd, t.rng.IntN(untried))
}

// insert adds an edge to node nd, available once: that of the legal action, among
// those that have none, before which there are k.
func (t *InfoSets) insert(nd *infoNode, k int) int32 {
	at := &nd.first // of the list, where the edge belongs
	for _, a := range t.buf {
		for *at != 0 && t.edges[*at].action < a {
			at = &t.edges[*at].next
		}
		if *at != 0 && t.edges[*at].action == a {
			continue
		}
		if k > 0 {
			k--
			continue
		}
		return t.addEdge(at, a)
	}
	panic("mcts: there are fewer actions without an edge than were counted")
}

// addEdge adds the edge of an action, available once, to a node's list at the place
// given. There must be room.
func (t *InfoSets) addEdge(at *int32, a game.Action) int32 {
	e := int32(len(t.edges))
	next := *at
	*at = e
	t.edges = append(t.edges, infoEdge{action: a, available: 1, next: next})
	t.sums = t.sums[:len(t.sums)+t.players]
	clear(t.sums[int(e)*t.players:])
	return e
}

// ln is the natural logarithm.
func (t *InfoSets) ln(n int32) float64 {
	if int(n) < len(t.logs) {
		return t.logs[n]
	}
	return math.Log(float64(n))
}

// backup adds the result to the nodes and edges of the way.
func (t *InfoSets) backup() {
	for _, i := range t.trail {
		t.nodes[i].visits++
		for p, v := range t.values {
			t.nodeSums[int(i)*t.players+p] += v
		}
	}
	for _, e := range t.path {
		t.edges[e].visits++
		for p, v := range t.values {
			t.sums[int(e)*t.players+p] += v
		}
	}
}

// finish backs up a simulation's result.
func (t *InfoSets) finish() {
	t.backup()
	t.left--
	t.depths += len(t.path)
	t.stats.Simulations++
	t.stats.MaxDepth = max(t.stats.MaxDepth, len(t.path))
}
