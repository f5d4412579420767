package mnk

import (
	"math/bits"

	"tengen/game"
)

// CellLabels is the player whose stone is on the cell in the end; the last class is an empty cell.
func (g *Game) CellLabels() []game.CellLabel {
	return []game.CellLabel{{Name: "stone", Classes: g.players + 1, Seats: true}}
}

// SeatLabels lists none.
func (g *Game) SeatLabels() []string { return nil }

// Labels implements game.LabeledState.
func (s *State) Labels(cells []int8, _ []float32) {
	cells = cells[:s.g.cells]
	for c := range cells {
		cells[c] = int8(s.g.players)
	}
	for p := range s.g.players {
		for w, word := range s.stones[p] {
			for m := word; m != 0; m &= m - 1 {
				cells[64*w+bits.TrailingZeros64(m)] = int8(p)
			}
		}
	}
}
