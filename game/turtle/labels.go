package turtle

import "tengen/game"

// CellLabels is whether the column's turtle ended on the row's square.
func (g *Game) CellLabels() []game.CellLabel {
	return []game.CellLabel{{Name: "square", Classes: 2}}
}

// SeatLabels is how far each player's own turtle came: its square / the goal.
func (g *Game) SeatLabels() []string { return []string{"square"} }

// Labels implements game.LabeledState.
func (s *base) Labels(cells []int8, seats []float32) {
	squares := int8(s.g.goal + 1)
	cells = cells[:rows*Turtles]
	for i := range cells {
		cells[i] = 0
		if int8(i/Turtles) >= squares {
			cells[i] = game.NoLabel
		}
	}
	for t := range Turtle(Turtles) {
		cells[s.square(t)*Turtles+int(t)] = 1
	}
	for p := range s.g.rules.Players {
		seats[p] = float32(s.square(s.owner[p])) / float32(s.g.goal)
	}
}
