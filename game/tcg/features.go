package tcg

import "tengen/game"

var featureNames = []string{
	"own fight", "own heal", "own attack", "own health",
	"their fight", "their heal", "their attack", "their health",
	"removal",
}

// FeatureNames names the immediate effects of an action: changes of the values on the
// current player's field and of its health, those of the opponent, and whether a
// Removal is placed.
func (g *Game) FeatureNames() []string { return featureNames }

// Describe writes the effects of action a of state.
func (g *Game) Describe(dst []float32, state game.State, a game.Action) {
	s := state.(*State)
	clear(dst[:len(featureNames)])
	p := int(s.mover)
	unit := 1 / float32(g.unit)
	change := func(at int, v values, sign float32) {
		dst[at] += sign * unit * float32(v.fight)
		dst[at+1] += sign * unit * float32(v.heal)
		dst[at+2] += sign * unit * float32(v.attack)
	}
	const own, theirs = 0, 4
	switch {
	case a == Pass || s.phase == choose:
	case s.phase == place:
		cell := int(a - firstCell)
		if cell < g.n && g.scrap>>cell&1 != 0 {
			dst[8] = 1
			return
		}
		change(own, s.worth(p, g.base[cell]), 1)
	case s.phase == target:
		other := 1 - p
		change(theirs, s.worth(other, g.base[a-firstCell]), -1)
	default:
		c := s.worth(p, s.sides[p].field[s.next])
		switch {
		case a == Heal:
			dst[own+3] = unit * float32(c.heal)
		case a == Attack:
			dst[theirs+3] = -unit * float32(c.attack)
		default:
			at, owner, cell := theirs, 1-p, a-firstCell
			if g.own > 0 && a >= g.own {
				at, owner, cell = own, p, a-g.own
			}
			t := s.worth(owner, g.base[cell])
			if c.fight >= t.fight {
				change(at, t, -1)
			}
			if c.fight <= t.fight {
				change(own, c, -1)
			}
		}
	}
}
