package ismcts

import (
	"cmp"
	"math"

	"tengen/mcts"
	"tengen/search"
)

// uct is the policy of UCT with the availability bound: of the actions that are legal in the
// current state, one without an edge is selected, drawn uniformly; else the one with the
// greatest
//
//	Scale·Q(s,a) + C·sqrt(ln A(s,a) / N(s,a))
//
// where A(s,a) counts the visits of the node in which a was legal, and Q is the
// mean utility of the node's player (max^n).
type uct struct {
	c    float64   // C/Scale
	logs []float64 // ln n for small n
}

func newUCT(o mcts.UCT) *uct {
	u := &uct{c: o.C / cmp.Or(o.Scale, 1), logs: make([]float64, 1024)}
	for i := 1; i < len(u.logs); i++ {
		u.logs[i] = math.Log(float64(i))
	}
	return u
}

func (u *uct) evaluatesRoot() bool { return false }

// reserve counts one edge for each simulation.
func (u *uct) reserve(t *Tree, nodes int) (edges int) { return nodes + t.actions + 1 }

func (u *uct) ready(*Tree)                                  {}
func (u *uct) expand(*Tree, int32, search.Evaluations, int) {}
func (u *uct) priors(*Tree, int32) []float32                { return nil }
func (u *uct) move(*Tree, int32, int32)                     {}
func (u *uct) setNoise(bool)                                {}

func (u *uct) choose(t *Tree, i int32) (best int32) {
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
		if s := mean + float64(u.c*math.Sqrt(u.ln(ed.available)/n)); s > score {
			best, score = e, s
		}
		ed.available++
	}
	if untried == 0 {
		return best
	}
	if !t.edgeRoom(1) {
		t.loop.Stats.Full = true
		return best
	}
	return insert(t, nd, t.rng.IntN(untried))
}

// insert adds an edge to node nd: that of the k-th legal action without one.
func insert(t *Tree, nd *node, k int) int32 {
	at := &nd.first // in the list, where the edge belongs
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

// ln returns the natural logarithm.
func (u *uct) ln(n int32) float64 {
	if int(n) < len(u.logs) {
		return u.logs[n]
	}
	return math.Log(float64(n))
}
