package turtle

import "tengen/game"

// CellTargets is whether the column's turtle ended on the row's square.
func (g *Game) CellTargets() []game.CellTarget {
	return []game.CellTarget{{Name: "square", Classes: 2}}
}

// SeatTargets is how far each player's own turtle came: its square / the goal.
func (g *Game) SeatTargets() []string { return []string{"square"} }

// AuxiliaryTargets implements game.AuxiliaryTargetState.
func (s *base) AuxiliaryTargets(cells []int8, seats []float32) {
	squares := int8(s.g.goal + 1)
	cells = cells[:rows*Turtles]
	for i := range cells {
		cells[i] = 0
		if int8(i/Turtles) >= squares {
			cells[i] = game.NoClass
		}
	}
	for t := range Turtle(Turtles) {
		cells[s.square(t)*Turtles+int(t)] = 1
	}
	for p := range s.g.rules.Players {
		seats[p] = float32(s.square(s.owner[p])) / float32(s.g.goal)
	}
}
