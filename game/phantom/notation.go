package phantom

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
)

// marks are the players' stones, which also name the seats; colors are their ANSI codes.
const marks = "XO"

var colors = [players]string{"\x1b[31m", "\x1b[34m"}

// SeatName is X or O.
func (g *Game) SeatName(p game.Player) string { return marks[p : p+1] }

// ActionName is the cell's column as a letter and its row, counted from the bottom, as a number.
func (g *Game) ActionName(_ game.State, a game.Action) string {
	row, column := int(a)/g.columns, int(a)%g.columns
	return string(rune('a'+column)) + strconv.Itoa(g.rows-row)
}

// ParseAction parses a cell's name, in either case.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	for a := range game.Action(g.cells) {
		if word == g.ActionName(nil, a) {
			return a, nil
		}
	}
	return game.NoAction,
		fmt.Errorf("%q is no cell of this board: a column a to %c and a row 1 to %d are wanted, such as a1", text, 'a'+g.columns-1, g.rows)
}

// Guide explains the game to a person.
func (g *Game) Guide() string {
	return fmt.Sprintf(`A move is a cell, such as a1. You see your own stones, and those of the other player that you have
run into. If the cell that you name is taken, you learn that, and move again. The other player does
not see this, nor do you see the other's attempts. %d in a row win.
`, g.inRow)
}

// Draw returns the board with all stones.
func (s *State) Draw(color bool) string { return s.draw(color, s.all()) }

// DrawFor returns the board with the stones that seat knows, none if seat is game.Nobody. Once the
// game is over it shows all stones.
func (s *State) DrawFor(seat game.Player, color bool) string {
	switch {
	case s.CurrentPlayer() == game.Nobody:
		return s.Draw(color)
	case seat < 0:
		return s.draw(color, 0)
	}
	return s.draw(color, s.known[seat])
}

// draw shows the stones on the given cells.
func (s *State) draw(color bool, seen cellSet) string {
	g := s.g
	var b strings.Builder
	for row := range g.rows {
		fmt.Fprintf(&b, "%2d", g.rows-row)
		for column := range g.columns {
			mark, cell := ".", row*g.columns+column
			for p, stones := range s.stones {
				if (stones & seen).has(cell) {
					mark = marks[p : p+1]
					if color {
						mark = colors[p] + mark + "\x1b[0m"
					}
				}
			}
			b.WriteString(" " + mark)
		}
		b.WriteByte('\n')
	}
	b.WriteString("  ")
	for column := range g.columns {
		b.WriteString(" " + string(rune('a'+column)))
	}
	b.WriteByte('\n')
	switch p := s.CurrentPlayer(); {
	case p >= 0:
		fmt.Fprintf(&b, "%s is to move\n", g.SeatName(p))
	case s.winner != game.Nobody:
		fmt.Fprintf(&b, "%s has won\n", g.SeatName(s.winner))
	default:
		b.WriteString("a draw\n")
	}
	return b.String()
}
