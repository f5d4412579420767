package descent

import (
	"slices"

	"tengen/game"
)

// Subtree holds the states that were searched below one root, in preorder: each
// state once, below the first of its parents.
type Subtree struct {
	// Ply is the number of actions since Start up to the root, a decision.
	Ply int
	// Depths is each state's depth below the root, in decisions; 0 for the root.
	Depths []int32
	// Actions[i] leads to state i from its parent, the last state before it that is
	// less deep by one; sole legal actions after it are implied. Actions[0] is
	// game.NoAction.
	Actions []game.Action
	Values  []float32 // [len(Actions), Players] minimax values
}

// root is a node that was searched, and was new then.
type root struct {
	node int32
	ply  int
}

// visit is a step of a walk over the tree: an expanded node, and the number of its
// edges that have been followed.
type visit struct {
	node int32
	done int32
}

// Subtrees returns all states that were searched since Start and not forgotten:
// those expanded and finished games, but not those that have only been evaluated.
// There is a Subtree for each root that was not known from searches before.
//
// Values are updated first, children before parents, since searches at later
// positions improve states below earlier roots, and paths that join improve each
// other. A value is then that of the best child, but a resolved state keeps the
// value by which it was resolved.
func (t *Tree) Subtrees() []Subtree {
	t.update()
	return t.collect()
}

// OnForget makes the tree call f before it drops states to make room, with these
// states as Subtrees would return them. f must not change the tree.
func (t *Tree) OnForget(f func([]Subtree)) { t.onForget = f }

// unmark makes room for the marks of all nodes and clears them.
func (t *Tree) unmark() {
	t.marks = slices.Grow(t.marks[:0], len(t.nodes))[:len(t.nodes)]
	clear(t.marks)
}

// update refreshes all nodes below the roots, children first.
func (t *Tree) update() {
	t.unmark()
	for _, r := range t.roots {
		t.walk(r.node, t.refresh)
	}
}

// walk marks the nodes below i that have no mark, i included, and calls leave for
// each that is expanded, children first.
func (t *Tree) walk(i int32, leave func(i int32)) {
	if t.marks[i] {
		return
	}
	t.marks[i] = true
	if t.nodes[i].is&expanded == 0 {
		return
	}
	t.stack = append(t.stack[:0], visit{node: i})
	for len(t.stack) > 0 {
		top := &t.stack[len(t.stack)-1]
		nd := &t.nodes[top.node]
		if top.done == nd.edges {
			leave(top.node)
			t.stack = t.stack[:len(t.stack)-1]
			continue
		}
		child := t.edges[nd.first+top.done].child
		top.done++
		if !t.marks[child] {
			t.marks[child] = true
			if t.nodes[child].is&expanded != 0 {
				t.stack = append(t.stack, visit{node: child})
			}
		}
	}
}

// collect returns the subtrees of all roots.
func (t *Tree) collect() []Subtree {
	t.unmark()
	return t.unmarked()
}

// unmarked returns the subtrees of the nodes without a mark, and marks them.
func (t *Tree) unmarked() []Subtree {
	var list []Subtree
	for _, r := range t.roots {
		if t.marks[r.node] || t.nodes[r.node].is&expanded == 0 {
			continue
		}
		s := Subtree{Ply: r.ply}
		t.stack = t.stack[:0]
		t.include(&s, r.node, game.NoAction)
		for len(t.stack) > 0 {
			top := &t.stack[len(t.stack)-1]
			nd := &t.nodes[top.node]
			if top.done == nd.edges {
				t.stack = t.stack[:len(t.stack)-1]
				continue
			}
			e := &t.edges[nd.first+top.done]
			top.done++
			if !t.marks[e.child] && t.nodes[e.child].is&(expanded|over) != 0 {
				t.include(&s, e.child, e.action)
			}
		}
		list = append(list, s)
	}
	return list
}

// include appends node i to s, and pushes it to the stack if it is expanded.
func (t *Tree) include(s *Subtree, i int32, a game.Action) {
	t.marks[i] = true
	s.Depths = append(s.Depths, int32(len(t.stack)))
	s.Actions = append(s.Actions, a)
	s.Values = append(s.Values, t.of(i)...)
	if t.nodes[i].is&expanded != 0 {
		t.stack = append(t.stack, visit{node: i})
	}
}
