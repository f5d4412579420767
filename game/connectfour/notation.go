package connectfour

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// ActionName is the column's letter.
func (g *Game) ActionName(_ game.State, a game.Action) string { return string(rune('a' + a)) }

// ParseAction parses a column's letter, in either case, or its number from 1.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	for a := range game.Action(g.Columns) {
		if word == g.ActionName(nil, a) || word == strconv.Itoa(int(a)+1) {
			return a, nil
		}
	}
	return game.NoAction,
		fmt.Errorf("%q is no column of this board: a letter a to %c or a number 1 to %d is wanted",
			text, 'a'+g.Columns-1, g.Columns)
}

// Guide explains the game to a person.
func (g *Game) Guide() string {
	return fmt.Sprintf(`A move is a column, such as a or 1: your stone falls on the stones that are in it. %d in a row,
upright, across or diagonally, win.
`, g.InRow)
}

// Draw returns the board with the names of its columns.
func (s *State) Draw(color bool) string { return s.g.Text(s.at, false, color) }
