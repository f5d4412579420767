package goban

import (
	"fmt"
	"regexp"
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

// drawing is a position read from a drawing.
type drawing struct {
	rows, columns int
	players       int // the number of colours mentioned, at least 2
	stones        []game.Player
	mover         game.Player
}

var (
	// A row, with or without its number at either end: " 5  . . X O . 5".
	rowPattern = regexp.MustCompile(`^\s*(?:\d+\s+)?([.+XO#@](?:\s*[.+XO#@])*)(?:\s+\d+)?\s*$`)
	// The line of the columns' letters.
	lettersPattern = regexp.MustCompile(`^\s*[A-Ta-t](?:\s+[A-Ta-t])*\s*$`)
	// The player to move: "(Black to move)" or "to move: Black".
	turnPattern = regexp.MustCompile(`(?i)\b(\w+) to move\b|\bto move:\s*(\w+)`)
	// The stones of the colours, with each colour's points: "X Black 3  O White 2".
	legendPattern = regexp.MustCompile(`([XO#@]) (\w+) -?\d+(?:\.\d+)?`)
)

// readDrawing reads rows of . X O # and @ with or without coordinates, and the player to move.
func readDrawing(text string) (*drawing, error) {
	d := &drawing{players: 2, mover: game.Nobody}
	over := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		switch row := rowPattern.FindStringSubmatch(line); {
		case row != nil:
			n := 0
			for _, mark := range strings.Join(strings.Fields(row[1]), "") {
				d.put(game.Player(strings.IndexRune(stones, mark)))
				n++
			}
			if d.rows > 0 && n != d.columns {
				return nil, fmt.Errorf("line %d: a row of %d points, after rows of %d",
					i+1, n, d.columns)
			}
			d.rows, d.columns = d.rows+1, n
		case strings.TrimSpace(line) == "" || lettersPattern.MatchString(line):
		default:
			known := false
			for _, entry := range legendPattern.FindAllStringSubmatch(line, -1) {
				p := colorNamed(entry[2])
				if p == game.Nobody || colors[p].stone != entry[1] {
					return nil, fmt.Errorf("line %d: %s is no colour's stone %s; X is Black, O White, # Red and @ Blue", i+1, entry[2], entry[1])
				}
				d.players, known = max(d.players, int(p)+1), true
			}
			if turn := turnPattern.FindStringSubmatch(line); turn != nil {
				if d.mover = colorNamed(turn[1] + turn[2]); d.mover == game.Nobody {
					return nil,
						fmt.Errorf(
							"line %d: no colour is called %q: Black, White, Red or Blue is wanted",
							i+1, turn[1]+turn[2])
				}
				d.players, known = max(d.players, int(d.mover)+1), true
			}
			if strings.Contains(line, "the game is over") {
				over, known = true, true
			}
			if !known {
				return nil, fmt.Errorf(`line %d: %.60q is no row of a board, such as "5 . . X O . 5", nor "to move: Black"`, i+1, strings.TrimSpace(line))
			}
		}
	}
	switch {
	case d.rows == 0:
		return nil, fmt.Errorf("no board is in it: rows of . X O # and @ are wanted")
	case over:
		return nil, fmt.Errorf("the game is over: nobody is to move")
	case d.mover == game.Nobody:
		return nil,
			fmt.Errorf(
				`it does not say whose turn it is: a line such as "to move: Black" is wanted`)
	}
	return d, nil
}

// put adds the next point. It is empty if c is no colour.
func (d *drawing) put(c game.Player) {
	if c < 0 {
		c = game.Nobody
	}
	d.stones = append(d.stones, c)
	d.players = max(d.players, int(c)+1)
}

// stones are the stones of the colours in plain text, in the order of the seats.
const stones = "XO#@"

// colorNamed returns the colour with a name, in any case, or game.Nobody.
func colorNamed(name string) game.Player {
	for p := range colors {
		if strings.EqualFold(colors[p].name, name) {
			return game.Player(p)
		}
	}
	return game.Nobody
}

// drawn returns the game that a drawing fits: with free passes if two colours play.
func drawn(text string) (game.Game, error) {
	d, err := readDrawing(text)
	if err != nil {
		return nil, err
	}
	r := Rules{Rows: d.rows, Columns: d.columns, Players: d.players}
	if r.Players == 2 {
		r.Pass = Free
	}
	return New(r)
}

// ParseDrawing returns the position of a drawing, as Draw writes it without colours.
// Coordinates, the line of stones and points, and colours without stones may be left
// out; the player to move may also be written "to move: Black". The state has no
// history; see SetUp.
func (g *goGame) ParseDrawing(text string) (game.State, error) {
	d, err := readDrawing(text)
	if err != nil {
		return nil, err
	}
	if g.Rows != d.rows || g.Columns != d.columns || g.Rules.Players < d.players {
		return nil,
			fmt.Errorf(
				"drawn is a board of %d rows and %d columns with %d colours, which is none of %s",
				d.rows, d.columns, d.players, g.name)
	}
	return SetUp(g, d.stones, d.mover)
}
