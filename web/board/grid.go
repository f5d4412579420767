package board

import (
	"strconv"

	"tengen/game"
)

// The first column and row of a grid. Row names are to the left of it, column names
// below.
const (
	left   = 1.0
	top    = 0.6
	margin = 0.6 // to the right, and between the grid and the names
)

// grid returns the layout of a board of rows and columns, one unit apart.
func grid(rows, columns int, name string) Layout {
	return Layout{
		Width: left + float64(columns-1) + margin, Height: top + float64(rows-1) + left, Name: name,
	}
}

// place returns the position of a cell of a grid.
func place(cell, columns int) (x, y float64) {
	return left + float64(cell%columns), top + float64(cell/columns)
}

// spotOn returns the spot of the action with the number of its cell.
func spotOn(cell, columns int, name string) Spot {
	x, y := place(cell, columns)
	return Spot{Action: game.Action(cell), X: x, Y: y, R: 0.44, Name: name}
}

// coordinates returns the names of columns below a grid and of rows, counted from the
// bottom, to its left.
func coordinates(rows int, columns []string) []Shape {
	var list []Shape
	// Boards of all sizes have about the same size on the screen, and so should the names.
	size := min(0.36, max(0.12, 0.04*float64(max(rows, len(columns)))))
	for c, letter := range columns {
		list = append(list, Shape{
			Kind: Text, X: left + float64(c), Y: top + float64(rows-1) + 0.78, R: size,
			Text: letter,
		})
	}
	for r := range rows {
		list = append(list, Shape{
			Kind: Text, X: 0.22, Y: top + float64(r), R: size, Text: strconv.Itoa(rows - r),
		})
	}
	return list
}
