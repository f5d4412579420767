package tcg

import "testing"

func TestTieBreak(t *testing.T) {
	g := made(t, "tcg")
	for _, name := range g.TieBreaks() {
		rank := g.TieBreak(name)
		for a := range firstCell + 3 {
			preferred := a == Attack && name == tiesAttack || a == Heal && name == tiesHeal
			if (rank(a) == 0) != preferred {
				t.Errorf("%s: action %d has the rank %d", name, a, rank(a))
			}
		}
	}
	if g.TieBreak("random") != nil {
		t.Error("there is a preference of an unknown name")
	}
}
