package goban

import (
	"slices"

	"tengen/game"
)

// symmetries lists the rotations and reflections of a board, without duplicates on a
// single row or point. Colours are not exchanged: they move in a fixed order, and komi
// may differ. A pass stays a pass.
func symmetries(rows, columns, actions, players int) []game.Symmetry {
	planes := make([]int, 2*players)
	for i := range planes {
		planes[i] = i
	}
	seats := make([]game.Player, players)
	for i := range seats {
		seats[i] = game.Player(i)
	}
	var list []game.Symmetry
	for kind := range 8 {
		transpose, flipRows, flipColumns := kind&4 != 0, kind&2 != 0, kind&1 != 0
		if transpose && rows != columns {
			continue
		}
		cells := make([]int, rows*columns)
		for r := range rows {
			for c := range columns {
				i, j := r, c
				if transpose {
					i, j = j, i
				}
				if flipRows {
					i = rows - 1 - i
				}
				if flipColumns {
					j = columns - 1 - j
				}
				cells[r*columns+c] = i*columns + j
			}
		}
		if slices.ContainsFunc(list, func(t game.Symmetry) bool {
			return slices.Equal(t.Cells, cells)
		}) {
			continue
		}
		moves := make([]game.Action, actions)
		for a := range moves {
			moves[a] = game.Action(a)
			if a < len(cells) {
				moves[a] = game.Action(cells[a])
			}
		}
		list = append(list, game.Symmetry{
			Cells: cells, Planes: planes, Actions: moves, Players: seats,
		})
	}
	return list
}
