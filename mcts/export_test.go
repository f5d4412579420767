package mcts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unsafe"

	"tengen/game"
	"tengen/mcts/internal/planning"
)

// Sizes are those that Stats.Bytes counts with, and the true ones.
func Sizes() (counted, actual [4]uintptr) {
	return [4]uintptr{nodeBytes, edgeBytes, flightBytes, squaresBytes},
		[4]uintptr{
			unsafe.Sizeof(node{}), unsafe.Sizeof(edge{}),
			unsafe.Sizeof(flight{}), unsafe.Sizeof(float64(0)),
		}
}

// Rooms returns how many nodes with n edges each an arena of so many nodes with branch edges each
// has room for.
func Rooms(nodes, branch, n int, growing bool) int {
	a := arena{players: 1, growing: growing}
	for a.reserve(nodes, branch); a.room(n); {
		a.open(a.add(decision, 0, 0), n)
	}
	return len(a.nodes)
}

// BytesOf returns the memory of an arena of so many nodes with branch edges each, and as many times
// what a node takes.
func BytesOf(nodes, branch int, overlap, squared bool) (reserved, each int) {
	a := arena{players: 3, overlap: overlap, squared: squared}
	a.reserve(nodes, branch)
	return a.bytes(), nodes * a.bytesFor(branch)
}

// Foreseen is the number of edges foreseen.
func (t *Tree) Foreseen() int { return len(t.foreseen.edges) }

// Dump writes the tree below the root's action a, the whole one for
// game.NoAction: a line a node, indented by depth, with the action that leads
// there, its visits and mean utilities.
func (t *Tree) Dump(a game.Action) string {
	var b strings.Builder
	i := int32(0)
	if a != game.NoAction {
		i = t.childOf(a)
	}
	t.dump(&b, i, game.NoAction, 0)
	return b.String()
}

func (t *Tree) dump(b *strings.Builder, i int32, a game.Action, depth int) {
	nd := &t.nodes[i]
	fmt.Fprintf(b, "%s%d: %d", strings.Repeat(" ", depth), a, nd.visits)
	for _, sum := range t.of(i) {
		fmt.Fprintf(b, " %.6f", sum/float64(nd.visits))
	}
	b.WriteByte('\n')
	edges := slices.Clone(t.edgesOf(i))
	slices.SortFunc(edges, func(x, y edge) int { return int(x.action - y.action) })
	for _, e := range edges {
		if e.child != 0 {
			t.dump(b, e.child, e.action, depth+1)
		}
	}
}

// Check returns an error for an invariant of the tree that does not hold.
func (t *Tree) Check() error {
	seen := make([]int, len(t.nodes))
	blocks := int32(0)
	for i := range t.nodes {
		nd := &t.nodes[i]
		if nd.edges > 0 && nd.first != blocks {
			return fmt.Errorf("node %d has its edges at %d instead of %d", i, nd.first, blocks)
		}
		blocks += nd.edges
		if nd.tried > nd.edges {
			return fmt.Errorf("node %d has tried %d of %d edges", i, nd.tried, nd.edges)
		}
		for p, sum := range t.of(int32(i)) {
			if mean := sum / float64(nd.visits); nd.visits > 0 && !(mean > -1e-9 && mean < 1+1e-9) {
				return fmt.Errorf("node %d has mean utility %g for player %d", i, mean, p)
			}
		}
		below, mass, priors := int32(0), 0.0, 0.0
		for k := range nd.edges {
			e := t.edges[nd.first+k]
			priors += float64(e.prior)
			if (e.child != 0) != (k < nd.tried) && nd.kind == decision {
				return fmt.Errorf("edge %d of node %d has child %d, with %d tried",
					k, i, e.child, nd.tried)
			}
			if e.child == 0 {
				continue
			}
			mass += float64(e.prior)
			child := &t.nodes[e.child]
			below += child.visits
			seen[e.child]++
			if int(e.child) <= i || child.in != nd.first+k {
				return fmt.Errorf("node %d does not know that edge %d of node %d leads to it",
					e.child, k, i)
			}
			if e.below != child.first {
				return fmt.Errorf("edge %d of node %d has the edges below at %d, not at %d",
					k, i, e.below, child.first)
			}
			if nd.mover >= 0 {
				mean := t.of(e.child)[nd.mover] / float64(child.visits)
				if child.proven && mean == 0 {
					mean = lost
				}
				if e.mean != mean {
					return fmt.Errorf("edge %d of node %d has Q %g instead of %g",
						k, i, e.mean, mean)
				}
			}
		}
		own := nd.visits - below
		p := t.policy
		if w, ok := p.(watched); ok {
			p = w.policy
		}
		switch _, uct := p.(*uct); {
		case own < 0,
			nd.kind == decision && own < 1 && (!uct || i > 0) && nd.visits > 0,
			nd.kind == decision && own > 1 && !t.everFull() && !nd.proven,
			nd.kind == forced && own != 0 && !t.everFull() && !nd.proven,
			nd.kind == chance && own != 0 && !t.everFull():
			return fmt.Errorf("node %d has %d visits, its children %d", i, nd.visits, below)
		case !uct && nd.kind == decision && !nd.awaits:
			if math.Abs(priors-1) > 1e-5 || math.Abs(mass-nd.visitedMass) > 1e-9 {
				return fmt.Errorf("node %d has priors that sum to %g; those tried to %g, not %g",
					i, priors, mass, nd.visitedMass)
			}
		}
	}
	if int(blocks) != len(t.edges) {
		return fmt.Errorf("%d edges belong to nodes, of %d", blocks, len(t.edges))
	}
	for i, n := range seen {
		if i > 0 && n != 1 {
			return fmt.Errorf("%d edges lead to node %d", n, i)
		}
	}
	return nil
}

// everFull means that the tree may have been full in an earlier search.
func (t *Tree) everFull() bool { return t.bounded }

// Unscaled makes a search as NewPUCT does, without Q being rescaled to [0, 1].
func Unscaled(g game.Game, o PUCT, rng *rand.Rand) *Tree {
	t := NewPUCT(g, o, rng)
	x := o.Gumbel
	x.Unscaled = true
	r := t.top
	r.root = planning.NewRoot(x, g.Actions())
	r.policy.(*improved).o = x
	return t
}

// SetNow replaces the clock.
func (t *Tree) SetNow(now func() time.Time) { t.loop.Now = now }

// Turns is turns.
func Turns(random uint64, depth, n int) (first, step int) { return turns(random, depth, n) }

// Followed is an edge that a simulation follows from a decision.
type Followed struct {
	Proven bool
	Value  float64 // if it is proven
	Open   bool    // another edge is not proven, and could be followed
	Mean   float64 // the greatest mean of the visited edges that are not proven
}

// Watch calls f with each edge that the tree follows from a decision.
func (t *Tree) Watch(f func(Followed)) { t.policy = watched{t.policy, f} }

type watched struct {
	policy
	f func(Followed)
}

func (w watched) choose(t *Tree, i int32) int32 {
	e := w.policy.choose(t, i)
	w.f(t.followed(i, e))
	return e
}

func (w watched) follow(t *Tree, i int32) int32 {
	e := w.policy.follow(t, i)
	if e >= 0 {
		w.f(t.followed(i, e))
	}
	return e
}

func (t *Tree) followed(i, e int32) (f Followed) {
	mover := t.nodes[i].mover
	if f.Proven = t.proven(&t.edges[e]); f.Proven {
		_, f.Value = t.record(&t.edges[e], mover)
	}
	edges := t.edgesOf(i)
	for k := range edges {
		if t.proven(&edges[k]) {
			continue
		}
		f.Open = true
		if visits, mean := t.record(&edges[k], mover); visits > 0 {
			f.Mean = max(f.Mean, mean)
		}
	}
	return f
}
