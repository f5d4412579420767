package connectfour

import "tengen/game"

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
		class := s.at(c/s.g.columns, c%s.g.columns)
		if class == game.Nobody {
			class = game.Player(s.g.players)
		}
		cells[c] = int8(class)
	}
}
