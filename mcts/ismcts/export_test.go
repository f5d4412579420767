package ismcts

import (
	"fmt"
	"strings"

	"tengen/game"
	"tengen/search"
)

// Located returns the dump of the node from which Follow would go on at s, "" if there is none.
func (t *Tree) Located(s game.State) string {
	i := t.locate(s)
	if i == 0 {
		return ""
	}
	return t.dump(i)
}

// Candidates returns the visits of all nodes below the root at which the searching player sees s.
func (t *Tree) Candidates(s game.State) (visits []int32) {
	key := s.(game.ImperfectInformation).InformationStateKey(t.observer)
	var walk func(i int32)
	walk = func(i int32) {
		for e := t.nodes[i].first; e != 0; e = t.edges[e].next {
			for c := t.edges[e].child; c != 0; c = t.nodes[c].next {
				if t.nodes[c].key == key {
					visits = append(visits, t.nodes[c].visits)
				}
				walk(c)
			}
		}
	}
	walk(0)
	return visits
}

// Visits returns the visits of the root.
func (t *Tree) Visits() int32 { return t.nodes[0].visits }

// Dump writes the tree.
func (t *Tree) Dump() string { return t.dump(0) }

// dump writes the tree below node i in a form that does not depend on places.
func (t *Tree) dump(i int32) string {
	var b strings.Builder
	var write func(i int32, indent string)
	write = func(i int32, indent string) {
		nd := &t.nodes[i]
		fmt.Fprintf(&b, "%s%x mover %d visits %d awaits %v sums %v", indent, nd.key, nd.mover,
			nd.visits, nd.awaits, t.nodeSums[int(i)*t.players:][:t.players])
		if p, ok := t.policy.(*puct); ok && !nd.awaits {
			fmt.Fprintf(&b, " logits %v", p.logits[int(i)*t.actions:][:t.actions])
		}
		b.WriteByte('\n')
		for e := nd.first; e != 0; e = t.edges[e].next {
			ed := &t.edges[e]
			fmt.Fprintf(&b, "%s %d: visits %d available %d unseen %d sums %v", indent, ed.action,
				ed.visits, ed.available, ed.unseen, t.sums[int(e)*t.players:][:t.players])
			if t.squared {
				fmt.Fprintf(&b, " squares %v", t.edgeSquares[e])
			}
			b.WriteByte('\n')
			for c := ed.child; c != 0; c = t.nodes[c].next {
				write(c, indent+"  ")
			}
		}
	}
	write(i, "")
	return b.String()
}

// Before reports whether Best prefers an action to another with the same bound.
func (t *Tree) Before(c, best *search.Child) bool { return t.before(c, best) }
