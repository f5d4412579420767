package mnk

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// ActionName is the cell's column as a letter and its row, counted from the bottom, as
// a number: "a1" is the lower left corner.
func (g *Game) ActionName(_ game.State, a game.Action) string {
	row, column := int(a)/g.Columns, int(a)%g.Columns
	return string(rune('a'+column)) + strconv.Itoa(g.Rows-row)
}

// Guide explains the rules to a person.
func (g *Game) Guide() string {
	return fmt.Sprintf(`A move is an empty cell, column and row, such as a1. The first with %d of its own in a row,
upright, across or diagonally, wins; on a full board without one nobody does.
`, g.InRow)
}

// ParseAction parses a cell's name, in either case.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if len(word) >= 2 && word[1] >= '1' && word[1] <= '9' {
		column := int(word[0]) - 'a'
		row, err := strconv.Atoi(word[1:])
		if err == nil && column >= 0 && column < g.Columns && row <= g.Rows {
			return game.Action((g.Rows-row)*g.Columns + column), nil
		}
	}
	return game.NoAction,
		fmt.Errorf("%q is no cell of this board: a column a to %c and a row 1 to %d are wanted, such as a1", text, 'a'+g.Columns-1, g.Rows)
}

// Draw returns the board with the names of its rows and columns.
func (s *State) Draw(color bool) string { return s.g.Text(s.at, true, color) }

// at returns the player whose stone is on a cell, or Nobody.
func (s *State) at(cell int) game.Player {
	for p := range s.g.Seats {
		if s.stones[p][cell>>6]>>(cell&63)&1 != 0 {
			return game.Player(p)
		}
	}
	return game.Nobody
}
