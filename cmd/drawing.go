package cmd

import (
	"fmt"
	"regexp"
	"strings"

	"tengen/game"
	"tengen/game/goban"
)

// drawing is a board of Go as text.
type drawing struct {
	rows, columns int
	players       int // as many colours as are spoken of, two at least
	stones        []game.Player
	mover         game.Player
}

var (
	// A row, with or without its number at either end: " 5  . . X O . 5".
	rowPattern = regexp.MustCompile(`^\s*(?:\d+\s+)?([.+XO#@](?:\s*[.+XO#@])*)(?:\s+\d+)?\s*$`)
	// The line of the columns' letters.
	lettersPattern = regexp.MustCompile(`^\s*[A-Ta-t](?:\s+[A-Ta-t])*\s*$`)
	// Whose turn it is: "(Black to move)" or "to move: Black".
	turnPattern = regexp.MustCompile(`(?i)\b(\w+) to move\b|\bto move:\s*(\w+)`)
	// What the stones mean, with each colour's points: "X Black 3  O White 2".
	legendPattern = regexp.MustCompile(`([XO#@]) (\w+) -?\d+(?:\.\d+)?`)
)

// readDrawing reads a board as `tengen play` draws it: rows of . X O # and @, with
// or without coordinates, and whose turn it is.
func readDrawing(text string) (*drawing, error) {
	g, err := goban.New(goban.Rules{Rows: 1, Columns: 1, Players: 4}) // for the names of all colours
	if err != nil {
		return nil, err
	}
	d := &drawing{players: 2, mover: game.Nobody}
	over := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		switch row := rowPattern.FindStringSubmatch(line); {
		case row != nil:
			n := 0
			for _, mark := range strings.Join(strings.Fields(row[1]), "") {
				d.put(game.Player(strings.IndexRune(stoneMarks(g), mark)))
				n++
			}
			if d.rows > 0 && n != d.columns {
				return nil, fmt.Errorf("line %d: a row of %d points, after rows of %d", i+1, n, d.columns)
			}
			d.rows, d.columns = d.rows+1, n
		case strings.TrimSpace(line) == "" || lettersPattern.MatchString(line):
		default:
			known := false
			for _, entry := range legendPattern.FindAllStringSubmatch(line, -1) {
				p := colorNamed(g, entry[2])
				if p == game.Nobody || goban.Mark(p) != entry[1] {
					return nil, fmt.Errorf("line %d: %s is no colour's stone %s; X is Black, O White, # Red and @ Blue", i+1, entry[2], entry[1])
				}
				d.players, known = max(d.players, int(p)+1), true
			}
			if turn := turnPattern.FindStringSubmatch(line); turn != nil {
				if d.mover = colorNamed(g, turn[1]+turn[2]); d.mover == game.Nobody {
					return nil, fmt.Errorf("line %d: no colour is called %q: Black, White, Red or Blue is wanted", i+1, turn[1]+turn[2])
				}
				d.players, known = max(d.players, int(d.mover)+1), true
			}
			if strings.Contains(line, "the game is over") {
				over, known = true, true
			}
			if !known {
				return nil, fmt.Errorf(`line %d: %q is no row of a board, such as "5 . . X O . 5", nor "to move: Black"`, i+1, strings.TrimSpace(line))
			}
		}
	}
	switch {
	case d.rows == 0:
		return nil, fmt.Errorf("no board is in it: rows of . X O # and @ are wanted")
	case over:
		return nil, fmt.Errorf("the game is over: nobody is to move")
	case d.mover == game.Nobody:
		return nil, fmt.Errorf(`it does not say whose turn it is: a line such as "to move: Black" is wanted`)
	}
	return d, nil
}

// put adds the next point; anything but a colour is an empty one.
func (d *drawing) put(c game.Player) {
	if c < 0 {
		c = game.Nobody
	}
	d.stones = append(d.stones, c)
	d.players = max(d.players, int(c)+1)
}

// stoneMarks are the marks of g's colours, in order of the seats.
func stoneMarks(g game.Game) string {
	marks := ""
	for p := range g.Players() {
		marks += goban.Mark(game.Player(p))
	}
	return marks
}

// colorNamed is the seat of that name, in any case; game.Nobody if there is none.
func colorNamed(g game.Game, name string) game.Player {
	for p := range g.Players() {
		if strings.EqualFold(game.SeatName(g, game.Player(p)), name) {
			return game.Player(p)
		}
	}
	return game.Nobody
}
