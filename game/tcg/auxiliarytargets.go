package tcg

import (
	"math/bits"

	"tengen/game"
)

// CellTargets is, for each player, whether the card is on its field in the end.
func (g *Game) CellTargets() []game.CellTarget {
	return []game.CellTarget{
		{Name: "field of the first player", Classes: 2},
		{Name: "field of the second player", Classes: 2},
	}
}

// SeatTargets is the health left, scaled as in observations.
func (g *Game) SeatTargets() []string { return []string{"health"} }

// AuxiliaryTargets implements game.AuxiliaryTargetState. Of several copies on a field the first
// cells are set, as in observations.
func (s *State) AuxiliaryTargets(cells []int8, seats []float32) {
	g := s.g
	size := g.shape.H * g.shape.W
	for p := range s.sides {
		plane := cells[p*size : (p+1)*size]
		for i := range plane {
			plane[i] = game.NoClass
		}
		for c := range g.cells {
			plane[int(firstCell)+c] = 0
		}
		t := &s.sides[p]
		var all uint64
		for _, cell := range t.field[:t.count] {
			bit := uint64(1) << cell
			if g.alone&bit == 0 {
				bit = g.oneMore(all, int(cell))
			}
			all |= bit
			plane[int(firstCell)+bits.TrailingZeros64(bit)] = 1
		}
		health := max(0, float32(t.hp)/float32(g.unit))
		seats[p] = health / (health + float32(g.rules.Deck.HP))
	}
}
