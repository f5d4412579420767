package backgammon

import "tengen/game"

// Symmetries are the identity and the exchange of the players, which turns the board around.
func (g *Game) Symmetries() []game.Symmetry {
	return []game.Symmetry{symmetry(false), symmetry(true)}
}

func symmetry(exchange bool) game.Symmetry {
	t := game.Symmetry{Cells: make([]int, actions), Planes: make([]int, planes), Players: []game.Player{0, 1}, Actions: make([]game.Action, actions)}
	for i := range t.Cells {
		t.Cells[i] = i
	}
	for i := range t.Planes {
		t.Planes[i] = i
	}
	if exchange {
		t.Players = []game.Player{1, 0}
		for i := range t.Cells {
			die, quarter, column := i/half, i%half/columns, i%columns
			if column < home {
				column = home - 1 - column
			}
			t.Cells[i] = die*half + (quarters-1-quarter)*columns + column
		}
		for i := range perPlayer {
			t.Planes[i], t.Planes[perPlayer+i] = perPlayer+i, i
		}
	}
	for i, j := range t.Cells {
		t.Actions[i] = game.Action(j)
	}
	return t
}
