package connectfour

import "tengen/game"

// Symmetries are the identity and, on more than one column, the reflection of left and right.
func (g *Game) Symmetries() []game.Symmetry {
	list := []game.Symmetry{g.symmetry(func(c int) int { return c })}
	if g.Columns > 1 {
		list = append(list, g.symmetry(func(c int) int { return g.Columns - 1 - c }))
	}
	return list
}

// symmetry moves columns.
func (g *Game) symmetry(to func(column int) int) game.Symmetry {
	t := game.Symmetry{}
	for c := range g.Cells {
		t.Cells = append(t.Cells, c-c%g.Columns+to(c%g.Columns))
	}
	for c := range g.Columns {
		t.Actions = append(t.Actions, game.Action(to(c)))
	}
	for p := range 2 * g.Seats {
		t.Planes = append(t.Planes, p)
	}
	for p := range g.Seats {
		t.Players = append(t.Players, game.Player(p))
	}
	return t
}
