package tcg

import (
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

// representativeUnit is the unit of values in a game of representative moves, to which
// averages are rounded. It is fine enough to distinguish any two averages of at most
// MostCards cards, and averages from whole numbers: they differ by at least 1/(40·39).
const representativeUnit = 4096

// abstraction derives the game of representative moves.
type abstraction struct{ original, derived *Game }

// Abstraction returns the game of representative moves (the paper, sections 3 and 5),
// or nil if g is one itself.
//
// In it a player places one of three representatives in place of a card from the hand:
// (F, 0, 0), (0, H, 0) or (0, 0, A). Each value is an average over hand and deck with
// the hand counted double, (2·Σhand + Σdeck) / number of cards, where a Removal counts
// as 5/0/0. Averages are those of the abstracted position, and as many representatives
// may be placed as there are cards in hand and deck. Nobody draws; hands do not
// change. Cards on a field keep their values. Of several equal representatives on a
// field the first is meant.
//
// A representative is realised as the card in hand with the greatest such value; in a
// tie, with the greatest total.
func (g *Game) Abstraction() game.Abstraction {
	if g.abstraction == nil {
		return nil
	}
	return g.abstraction
}

// RootAbstraction returns the game of representative moves in which the current turn
// keeps its own cards, or nil if g is a game of representative moves itself: cards are
// placed from the hand, and the representatives, averages of the position before,
// follow from the next turn on. Nobody draws. Its actions at the root are those of g.
func (g *Game) RootAbstraction() game.Abstraction {
	if g.rootAbstraction == nil {
		return nil
	}
	return g.rootAbstraction
}

// Game is the game of representative moves.
func (a *abstraction) Game() game.Game { return a.derived }

// Abstract makes dst the image of src.
func (a *abstraction) Abstract(dst, src game.State) {
	d, s := dst.(*State), src.(*State)
	d.position = s.position
	unit := a.derived.unit / a.original.unit
	for p := range d.sides {
		d.sides[p].hp *= int64(unit)
		d.sides[p].sum *= unit
	}
	d.represent()
	d.hands = d.g.rules.RealRoot
}

// represent sets the representatives of both players.
func (s *State) represent() {
	g := s.g
	for p := range s.sides {
		t := &s.sides[p]
		var sum values
		for times, cards := range [2]uint64{t.deck, t.hand} {
			for m := cards; m != 0; m &= m - 1 {
				v := &g.value[bits.TrailingZeros64(m)]
				sum.fight += v.fight * int32(times+1)
				sum.heal += v.heal * int32(times+1)
				sum.attack += v.attack * int32(times+1)
			}
		}
		left := int32(bits.OnesCount64(t.hand) + bits.OnesCount64(t.deck))
		t.left = uint8(left)
		s.average[p] = [3]int32{}
		if left > 0 {
			s.average[p] = [3]int32{
				rounded(sum.fight, left), rounded(sum.heal, left), rounded(sum.attack, left),
			}
		}
		s.averageKeys(p)
	}
}

// averageKeys adds a player's averages to the key.
func (s *State) averageKeys(p int) {
	for k, v := range s.average[p] {
		s.key ^= random.Mix(uint64(v)<<8 + uint64(p*3+k+1))
	}
}

// rounded returns sum / n, rounded to the nearest whole number.
func rounded(sum, n int32) int32 { return (sum + n/2) / n }

// Realise returns the action of src that an action of its image stands for.
func (a *abstraction) Realise(src game.State, action game.Action) game.Action {
	s := src.(*State)
	g := s.g
	if own := a.derived.own; own > 0 && action >= own {
		return action - own + g.own
	}
	k := int(action-firstCell) - g.n
	if k < 0 {
		return action
	}
	best, most := game.NoAction, int32(-1)
	for m := s.placeable(); m != 0; m &= m - 1 {
		cell := bits.TrailingZeros64(m)
		v := &g.value[cell]
		// Cells are in ascending order of total, so that the later one wins a tie.
		if value := [3]int32{v.fight, v.heal, v.attack}[k]; value >= most {
			best, most = firstCell+game.Action(cell), value
		}
	}
	if best < 0 { // an empty hand, or nothing but a Removal without a target
		return Pass
	}
	return best
}

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
