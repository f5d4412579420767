package goban

import (
	"fmt"
	"strings"

	"tengen/game"
)

// colors gives each seat's name, its stone in plain text and its ANSI colour.
var colors = [maxPlayers]struct {
	name, stone string
	ansi        int
}{
	{"Black", "X", 16},
	{"White", "O", 231},
	{"Red", "#", 160},
	{"Blue", "@", 21},
}

// wood is the ANSI colour of the board, and lines that of its empty points.
const (
	wood  = 179
	lines = 94
)

// Draw returns the board with coordinates, and a line with each colour's stone and
// points and the player to move.
func (s *small) Draw(color bool) string { return s.draw(s.at, s.area(), color) }

// Draw returns the board with coordinates, and a line with each colour's stone and
// points and the player to move.
func (s *large) Draw(color bool) string { return s.draw(s.at, s.area(), color) }

func (s *common) draw(at func(p int) int, points [maxPlayers]int, color bool) string {
	var b strings.Builder
	letters := "   "
	for c := range s.Columns {
		letters += " " + columnLetters[c:c+1]
	}
	b.WriteString(letters + "\n")
	for row := range s.Rows {
		fmt.Fprintf(&b, "%2d ", s.Rows-row)
		if color {
			fmt.Fprintf(&b, "\x1b[48;5;%dm", wood)
		}
		for column := range s.Columns {
			b.WriteString(" " + mark(at(row*s.Columns+column), color))
		}
		if color {
			b.WriteString(" \x1b[0m")
		}
		fmt.Fprintf(&b, " %d\n", s.Rows-row)
	}
	b.WriteString(letters + "\n")
	scores := make([]float32, s.Rules.Players)
	s.scores(points, scores)
	for c, x := range scores {
		stone := mark(c, color)
		if color {
			stone = fmt.Sprintf("\x1b[48;5;%dm %s \x1b[0m", wood, stone)
		}
		fmt.Fprintf(&b, "%s %s %g  ", stone, colors[c].name, x)
	}
	if p := s.CurrentPlayer(); p == game.Nobody {
		b.WriteString("(the game is over)\n")
	} else {
		fmt.Fprintf(&b, "(%s to move)\n", colors[p].name)
	}
	return b.String()
}

// mark returns how a point is drawn: the stone of colour c, or an empty point if c is
// -1.
func mark(c int, color bool) string {
	switch {
	case c < 0 && color:
		return fmt.Sprintf("\x1b[38;5;%dm·", lines)
	case c < 0:
		return "."
	case color:
		return fmt.Sprintf("\x1b[38;5;%dm●", colors[c].ansi)
	}
	return colors[c].stone
}
