package descent

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tengen/game"
)

// Completion returns the completion of a child of the root, for the player to move: +1 for an
// exact action with the greatest utility, -1 for one with the least, else 0.
func (t *Tree) Completion(a game.Action) int {
	i := t.root
	for _, e := range t.edgesOf(t.root) {
		if t.lead == 0 && e.action == a {
			i = e.child
		}
	}
	if t.nodes[i].is&resolved == 0 {
		return 0
	}
	return t.nodes[i].completion.of(t.position.CurrentPlayer())
}

// SetClock replaces the clock.
func (t *Tree) SetClock(now func() time.Time) { t.timer.Now = now }

// Dump writes the tree below the root: a line for each state, the first time that a walk in
// preorder meets it, indented by depth, with the action that leads there, the action's visits,
// whether the state is expanded and resolved, its completion for each player and its values.
// Other edges that lead to it have a line without a state.
func (t *Tree) Dump() string {
	var b strings.Builder
	if t.root >= 0 {
		t.dump(&b, map[int32]bool{}, t.root, game.NoAction, 0, 0)
	}
	return b.String()
}

func (t *Tree) dump(
	b *strings.Builder, seen map[int32]bool, i int32, a game.Action, visits int32, depth int,
) {
	fmt.Fprintf(b, "%s%d: %d", strings.Repeat(" ", depth), a, visits)
	if seen[i] {
		b.WriteString(" again\n")
		return
	}
	seen[i] = true
	nd := &t.nodes[i]
	completion := make([]int, t.players)
	if nd.is&resolved != 0 {
		for p := range completion {
			completion[p] = nd.completion.of(game.Player(p))
		}
	}
	fmt.Fprintln(b, nd.is&expanded != 0, nd.is&resolved != 0, completion, t.of(i))
	for _, e := range t.edgesOf(i) {
		t.dump(b, seen, e.child, e.action, e.visits, depth+1)
	}
}

// Held counts the states that are expanded, and the finished games.
func (t *Tree) Held() (expandedStates, finished int) {
	for _, nd := range t.nodes {
		if nd.is&expanded != 0 {
			expandedStates++
		}
		if nd.is&over != 0 {
			finished++
		}
	}
	return expandedStates, finished
}

// Settled returns the values of the resolved states, by their keys.
func (t *Tree) Settled() map[uint64][]float32 {
	list := map[uint64][]float32{}
	for i, nd := range t.nodes {
		if nd.is&resolved != 0 {
			list[nd.key] = slices.Clone(t.of(int32(i)))
		}
	}
	return list
}

// Changeable counts the resolved states whose value would change if it were computed from their
// children again.
func (t *Tree) Changeable() (n int) {
	for i, nd := range t.nodes {
		if nd.is&expanded != 0 && nd.is&resolved != 0 {
			k, _, _ := t.best(int32(i))
			if !slices.Equal(t.of(int32(i)), t.of(t.edges[k].child)) {
				n++
			}
		}
	}
	return n
}

// Stale reports whether the value of the root is not that of its best child, although it is not
// resolved.
func (t *Tree) Stale() bool {
	if !t.opens() || t.nodes[t.root].is&resolved != 0 {
		return false
	}
	k, _, _ := t.best(t.root)
	return !slices.Equal(t.of(t.root), t.of(t.edges[k].child))
}

// Distinct is the number of states held.
func (t *Tree) Distinct() int {
	keys := map[uint64]bool{}
	for _, nd := range t.nodes {
		keys[nd.key] = true
	}
	return len(keys)
}

// Room returns whether a tree of so many nodes and edges may expand its position, and whether it is
// crowded.
func (t *Tree) Room(nodes, edges int) (allowed, crowded bool) {
	t.nodes, t.edges = make([]node, nodes), make([]edge, edges)
	t.work.CopyFrom(t.position)
	return t.allowed(), t.crowded()
}

// Edges is the number of edges held.
func (t *Tree) Edges() int { return len(t.edges) }

// Invariant returns an error if the arrays are inconsistent.
func (t *Tree) Invariant() error {
	if len(t.values) != len(t.nodes)*t.players {
		return fmt.Errorf("%d values for %d nodes", len(t.values), len(t.nodes))
	}
	at := int32(0)
	for _, i := range t.blocks {
		nd := &t.nodes[i]
		if nd.is&expanded == 0 || nd.first != at || nd.edges < 2 {
			return fmt.Errorf("node %d, %+v, has a block that begins at %d", i, *nd, at)
		}
		at += nd.edges
		for _, e := range t.edgesOf(i) {
			if e.child < 0 || int(e.child) >= len(t.nodes) || t.nodes[e.child].is&valued == 0 {
				return fmt.Errorf("node %d has the edge %+v", i, e)
			}
		}
	}
	if int(at) != len(t.edges) {
		return fmt.Errorf("the blocks have %d of %d edges", at, len(t.edges))
	}
	for i := range t.nodes {
		nd := &t.nodes[i]
		if j := t.find(nd.key); int(j) != i {
			return fmt.Errorf("the key of node %d finds node %d", i, j)
		}
		if (nd.is&expanded != 0) != slices.Contains(t.blocks, int32(i)) {
			return fmt.Errorf("node %d, %+v, and its block do not agree", i, *nd)
		}
	}
	if t.table.n != len(t.nodes) {
		return fmt.Errorf("the table counts %d of %d nodes", t.table.n, len(t.nodes))
	}
	return nil
}

// SetIterations changes the budget of the current search and of later ones. It
// panics where Check would return an error.
func (t *Tree) SetIterations(n int) {
	o := t.options
	o.Iterations = n
	if err := o.checkBudget(); err != nil {
		panic("descent: " + err.Error())
	}
	t.options = o
}
