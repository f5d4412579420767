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
		if transpose && g.Rows != g.Columns {
			break
		}
		cells := make([]int, g.Cells)
		for c := range cells {
			row, column := c/g.Columns, c%g.Columns
			if flipRows {
				row = g.Rows - 1 - row
			}
			if flipColumns {
				column = g.Columns - 1 - column
			}
			if transpose {
				row, column = column, row
			}
			cells[c] = row*g.Columns + column
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
	for p := range 2 * g.Seats {
		t.Planes = append(t.Planes, p)
	}
	for p := range g.Seats {
		t.Players = append(t.Players, game.Player(p))
	}
	return t
}
