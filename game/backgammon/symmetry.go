package backgammon

import "tengen/game"

// Symmetries are the identity and the exchange of the players, which turns the board around.
func (g *Game) Symmetries() []game.Symmetry {
	return []game.Symmetry{symmetry(false), symmetry(true)}
}

func symmetry(exchange bool) game.Symmetry {
	t := game.Symmetry{
		Cells: []int{0}, Planes: make([]int, planes), Players: []game.Player{0, 1},
		Actions: make([]game.Action, actions),
	}
	for i := range t.Planes {
		t.Planes[i] = i
	}
	for i := range t.Actions {
		t.Actions[i] = game.Action(i)
	}
	if !exchange {
		return t
	}
	t.Players = []game.Player{1, 0}
	for i := range t.Actions {
		die, quarter, column := i/half, i%half/columns, i%columns
		if column < home {
			column = home - 1 - column
		}
		t.Actions[i] = game.Action(die*half + (quarters-1-quarter)*columns + column)
		t.Planes[planeLegal+i] = planeLegal + int(t.Actions[i])
	}
	for i := range perPlayer {
		t.Planes[i], t.Planes[perPlayer+i] = perPlayer+i, i
	}
	return t
}
