package connectfour

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// marks are the players' stones, which also name the seats.
const marks = "XO#"

// colors are the ANSI codes of the players' stones: red, blue, green.
var colors = [mostPlayers]string{"\x1b[31m", "\x1b[34m", "\x1b[32m"}

// SeatName is X, O or #.
func (g *Game) SeatName(p game.Player) string { return marks[p : p+1] }

// ActionName is the column's letter.
func (g *Game) ActionName(_ game.State, a game.Action) string { return string(rune('a' + a)) }

// ParseAction parses a column's letter, in either case, or its number from 1.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	for a := range game.Action(g.columns) {
		if word == g.ActionName(nil, a) || word == strconv.Itoa(int(a)+1) {
			return a, nil
		}
	}
	return game.NoAction, fmt.Errorf("%q is no column of this board: a letter a to %c or a number 1 to %d is wanted", text, 'a'+g.columns-1, g.columns)
}

// Guide explains the game to a person.
func (g *Game) Guide() string {
	return fmt.Sprintf(`A move is a column, such as a or 1: your stone falls on the stones that are in it. %d in a row,
upright, across or diagonally, win.
`, g.inRow)
}

// Draw returns the board with the names of its columns.
func (s *State) Draw(color bool) string {
	g := s.g
	var b strings.Builder
	for row := range g.rows {
		for column := range g.columns {
			b.WriteByte(' ')
			switch p := s.at(row, column); {
			case p == game.Nobody:
				b.WriteByte('.')
			case color:
				b.WriteString(colors[p] + marks[p:p+1] + "\x1b[0m")
			default:
				b.WriteByte(marks[p])
			}
		}
		b.WriteByte('\n')
	}
	for column := range g.columns {
		b.WriteByte(' ')
		b.WriteByte(byte('a' + column))
	}
	b.WriteByte('\n')
	return b.String()
}
