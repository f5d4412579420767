package board

import (
	"strconv"

	"tengen/game"
)

// Where a grid begins: its first column and row. Names of rows stand to the
// left of it, those of columns below.
const (
	left   = 1.0
	top    = 0.6
	margin = 0.6 // to the right, and between the grid and the names
)

// grid is the layout of a board of rows and columns, one unit apart.
func grid(rows, columns int, name string) Layout {
	return Layout{Width: left + float64(columns-1) + margin, Height: top + float64(rows-1) + left, Name: name}
}

// place is where a cell of a grid is.
func place(cell, columns int) (x, y float64) {
	return left + float64(cell%columns), top + float64(cell/columns)
}

// spotOn is the spot of the action with the number of its cell.
func spotOn(cell, columns int, name string) Spot {
	x, y := place(cell, columns)
	return Spot{Action: game.Action(cell), X: x, Y: y, R: 0.44, Name: name}
}

// coordinates are the names of columns below a grid and of rows, counted from
// the bottom, to its left.
func coordinates(rows int, columns []string) []Shape {
	var list []Shape
	// On the screen boards of all sizes are alike, and so should the names be.
	size := min(0.36, max(0.12, 0.04*float64(max(rows, len(columns)))))
	for c, letter := range columns {
		list = append(list, Shape{Kind: Text, X: left + float64(c), Y: top + float64(rows-1) + 0.78, R: size, Text: letter})
	}
	for r := range rows {
		list = append(list, Shape{Kind: Text, X: 0.22, Y: top + float64(r), R: size, Text: strconv.Itoa(rows - r)})
	}
	return list
}
