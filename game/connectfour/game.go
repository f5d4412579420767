package connectfour

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/game"
	"tengen/game/mnk"
)

const (
	mostRows    = 15
	mostColumns = 16
	wordBits    = 64
)

func init() {
	game.Register(game.Family{
		Name:    "connect-four",
		Summary: "drop stones into columns in turn; the first row of a given length wins",
		Params: []game.Param{
			{Key: "rows", Default: "6", Help: "1 to 15; (rows+1)·columns is at most 64"},
			{Key: "columns", Default: "7", Help: "1 to 16"},
			mnk.InRowParam("4"),
			mnk.PlayersParam(),
		},
		New: func(v *game.Values) (game.Game, error) {
			height, width := v.Int("rows", 1, mostRows), v.Int("columns", 1, mostColumns)
			inRow, players := v.Int("in_row", 1, mostColumns), v.Int("players", 2, mnk.MostPlayers)
			if (height+1)*width > wordBits {
				v.Fail("columns",
					fmt.Sprintf("at most %d fit with %d rows", wordBits/(height+1), height))
			}
			mnk.CheckInRow(v, height, width, inRow)
			if err := v.Err(); err != nil {
				return nil, err
			}
			return newGame(height, width, inRow, players), nil
		},
	})
}

// Game is Connect Four on one board, with its length of row and number of players.
type Game struct {
	mnk.Board

	bottom  uint64        // the lowest cell of each column
	board   uint64        // all cells
	lines   [4]uint       // distances between neighbours in a line: up, right, and both diagonals
	doubles []uint        // lines are found in these steps; see row
	cellOf  [wordBits]int // the observation's cell of a bit
}

func newGame(height, width, inRow, players int) *Game {
	g := &Game{Board: mnk.NewBoard(height, width, inRow, players)}
	column := uint(height + 1) // bits
	for c := range width {
		g.bottom |= 1 << (uint(c) * column)
		for r := range height {
			g.cellOf[uint(c)*column+uint(r)] = (height-1-r)*width + c
		}
	}
	g.board = g.bottom * (1<<height - 1)
	g.lines = [4]uint{1, column, column - 1, column + 1}
	// Runs of n stones are joined to runs of 2·n, and to in_row in the end.
	for n := 1; n < inRow; {
		step := min(n, inRow-n)
		g.doubles = append(g.doubles, uint(step))
		n += step
	}
	return g
}

// Name lists every key.
func (g *Game) Name() string { return g.Named("connect-four") }

// Actions is the number of columns.
func (g *Game) Actions() int { return g.Columns }

// NewState returns the empty board.
func (g *Game) NewState() game.State { return &State{g: g, winner: game.Nobody} }

// Symmetries are the identity and, on more than one column, the reflection of left and right.
func (g *Game) Symmetries() []game.Symmetry {
	list := []game.Symmetry{g.symmetry(func(c int) int { return c })}
	if g.Columns > 1 {
		list = append(list, g.symmetry(func(c int) int { return g.Columns - 1 - c }))
	}
	return list
}

// symmetry moves columns.
func (g *Game) symmetry(to func(column int) int) game.Symmetry {
	t := game.Symmetry{}
	for c := range g.Cells {
		t.Cells = append(t.Cells, c-c%g.Columns+to(c%g.Columns))
	}
	for c := range g.Columns {
		t.Actions = append(t.Actions, game.Action(to(c)))
	}
	for p := range 2 * g.Seats {
		t.Planes = append(t.Planes, p)
	}
	for p := range g.Seats {
		t.Players = append(t.Players, game.Player(p))
	}
	return t
}

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
