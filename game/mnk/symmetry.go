package mnk

import (
	"slices"

	"tengen/game"
)

// Symmetries are the rotations and reflections of the board: eight of a square, four
// of a rectangle, fewer where some coincide (a board of one row has two).
func (g *Game) Symmetries() []game.Symmetry {
	var list []game.Symmetry
	for i := range 8 {
		flipRows, flipColumns, transpose := i&1 != 0, i&2 != 0, i&4 != 0
		if transpose && g.rows != g.columns {
			break
		}
		cells := make([]int, g.cells)
		for c := range cells {
			row, column := c/g.columns, c%g.columns
			if flipRows {
				row = g.rows - 1 - row
			}
			if flipColumns {
				column = g.columns - 1 - column
			}
			if transpose {
				row, column = column, row
			}
			cells[c] = row*g.columns + column
		}
		known := func(t game.Symmetry) bool { return slices.Equal(t.Cells, cells) }
		if !slices.ContainsFunc(list, known) {
			list = append(list, g.symmetry(cells))
		}
	}
	return list
}

// symmetry permutes cells and the corresponding actions.
func (g *Game) symmetry(cells []int) game.Symmetry {
	t := game.Symmetry{Cells: cells}
	for _, c := range cells {
		t.Actions = append(t.Actions, game.Action(c))
	}
	for p := range 2 * g.players {
		t.Planes = append(t.Planes, p)
	}
	for p := range g.players {
		t.Players = append(t.Players, game.Player(p))
	}
	return t
}
