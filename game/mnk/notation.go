package mnk

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// marks are the players' stones, which also name the seats.
const marks = "XO#"

// SeatName is X, O or #.
func (g *Game) SeatName(p game.Player) string { return marks[p : p+1] }

// ActionName is the cell's column as a letter and its row, counted from the bottom, as
// a number: "a1" is the lower left corner.
func (g *Game) ActionName(_ game.State, a game.Action) string {
	row, column := int(a)/g.columns, int(a)%g.columns
	return string(rune('a'+column)) + strconv.Itoa(g.rows-row)
}

// ParseAction parses a cell's name, in either case.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if len(word) >= 2 && word[1] >= '1' && word[1] <= '9' {
		column := int(word[0]) - 'a'
		row, err := strconv.Atoi(word[1:])
		if err == nil && column >= 0 && column < g.columns && row <= g.rows {
			return game.Action((g.rows-row)*g.columns + column), nil
		}
	}
	return game.NoAction, fmt.Errorf("%q is no cell of this board: a column a to %c and a row 1 to %d are wanted, such as a1", text, 'a'+g.columns-1, g.rows)
}

// colors are the ANSI codes of the players' stones: red, blue, green.
var colors = [mostPlayers]string{"\x1b[31m", "\x1b[34m", "\x1b[32m"}

// Draw returns the board with the names of its rows and columns.
func (s *State) Draw(color bool) string {
	g := s.g
	var b strings.Builder
	for row := range g.rows {
		fmt.Fprintf(&b, "%2d", g.rows-row)
		for column := range g.columns {
			b.WriteByte(' ')
			switch p := s.at(row*g.columns + column); {
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
	b.WriteString("  ")
	for column := range g.columns {
		b.WriteByte(' ')
		b.WriteByte(byte('a' + column))
	}
	b.WriteByte('\n')
	return b.String()
}

// at returns the player whose stone is on a cell, or Nobody.
func (s *State) at(cell int) game.Player {
	for p := range s.g.players {
		if s.stones[p][cell>>6]>>(cell&63)&1 != 0 {
			return game.Player(p)
		}
	}
	return game.Nobody
}
