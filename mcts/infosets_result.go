package mcts

import "tengen/game"

// Stats describes the search since the last Start. MaxDepth and MeanDepth count
// players' actions, without chance.
func (t *InfoSets) Stats() Stats {
	s := t.stats
	s.Nodes = len(t.nodes)
	s.Bytes = cap(t.nodes)*24 + cap(t.edges)*20 + (cap(t.sums)+cap(t.nodeSums))*8
	if t.forest != nil {
		s.Bytes += 4 * len(t.forest.heads)
	}
	if s.Simulations > 0 {
		s.MeanDepth = float64(t.depths) / float64(s.Simulations)
	}
	return s
}

// Children appends what is known about each legal action at the root, in
// ascending order of the actions: nothing before the first Advance.
func (t *InfoSets) Children(dst []Child) []Child {
	if len(t.nodes) == 0 {
		return dst
	}
	t.buf = t.root.LegalActions(t.buf[:0])
	e := t.nodes[0].first
	known := t.policy != nil && t.nodes[0].visits > 0
	if known {
		t.policy.prior(t, 0)
	}
	for k, a := range t.buf {
		c := Child{Action: a}
		if known {
			c.Prior = t.policy.priors[k]
		}
		for e != 0 && t.edges[e].action < a {
			e = t.edges[e].next
		}
		if e != 0 && t.edges[e].action == a {
			ed := &t.edges[e]
			c.Visits = int(ed.visits)
			for p := range t.players {
				if ed.visits > 0 {
					c.Value[p] = float32(t.sums[int(e)*t.players+p] / float64(ed.visits))
				}
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// Value writes the mean utility of each player over all visits of the root to
// dst[0:Players], 0 where there are none yet.
func (t *InfoSets) Value(dst []float32) {
	for p := range t.players {
		dst[p] = 0
		if len(t.nodes) > 0 && t.nodes[0].visits > 0 {
			dst[p] = float32(t.nodeSums[p] / float64(t.nodes[0].visits))
		}
	}
}

// Best is the root's most visited action; among equals the one with the greater
// mean utility for the mover, then with the greater prior, then the lowest. It is
// game.NoAction while Children gives nothing.
func (t *InfoSets) Best() game.Action {
	t.children = t.Children(t.children[:0])
	best := Child{Action: game.NoAction, Visits: -1}
	for i := range t.children {
		c := &t.children[i]
		u, v := c.Value[max(t.observer, 0)], best.Value[max(t.observer, 0)]
		if c.Visits > best.Visits || c.Visits == best.Visits && (u > v || u == v && c.Prior > best.Prior) {
			best = *c
		}
	}
	return best.Action
}
