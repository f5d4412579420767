package mcts

import (
	"cmp"
	"math"

	"tengen/search"
)

// uct is the policy of UCT. Scale divides C instead of multiplying the
// utilities, which chooses the same edges.
type uct struct {
	c      float64   // C/Scale
	widths []float64 // c·sqrt(ln n) for small n
	reuse  bool
}

func newUCT(o UCT) *uct {
	u := &uct{c: o.C / cmp.Or(o.Scale, 1), widths: make([]float64, 1024), reuse: o.Reuse}
	for n := 1; n < len(u.widths); n++ {
		u.widths[n] = u.slowWidth(int32(n))
	}
	return u
}

func (u *uct) keeps() bool { return u.reuse }

func (u *uct) setNoise(bool) {}

func (u *uct) ready(*Tree) {}

// opened gives decision i its edges.
func (u *uct) opened(t *Tree, i int32) {
	edges, _ := t.open(i, len(t.buf))
	for k, a := range t.buf {
		edges[k] = edge{action: a}
	}
}

func (u *uct) expand(*Tree, int32, search.Evaluations, int) {}

// unvisited is 0: an edge that choose returns is visited before the next choice.
func (u *uct) unvisited(*Tree, int32) float64 { return 0 }

// choose returns a random untried edge while there is one.
func (u *uct) choose(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	if nd.tried < nd.edges {
		edges := t.edges[nd.first+nd.tried : nd.first+nd.edges]
		k := t.rng.IntN(len(edges))
		edges[0], edges[k] = edges[k], edges[0]
		return nd.first + nd.tried
	}
	best, _ := pick(t.terms[nd.first:nd.first+nd.edges], u.width(t, i))
	return nd.first + best
}

func (u *uct) follow(t *Tree, i int32) (e int32) {
	nd := &t.nodes[i]
	return nd.follow(pick(t.terms[nd.first:nd.first+nd.tried], u.width(t, i)))
}

func (u *uct) tried(t *Tree, i int32) { t.nodes[i].tried++ }

// width is C·sqrt(ln N(s)) / Scale.
func (u *uct) width(t *Tree, i int32) float64 {
	visits := t.started(i)
	if int(visits) < len(u.widths) {
		return u.widths[visits]
	}
	return u.slowWidth(visits)
}

func (u *uct) slowWidth(visits int32) float64 {
	return u.c * math.Sqrt(math.Log(float64(visits)))
}

// weight is 1 / sqrt(N(s,a)).
func (u *uct) weight(_ float32, visits int32) float64 {
	return 1 / math.Sqrt(float64(visits))
}
