package connectfour

import (
	"fmt"

	"tengen/game"
	"tengen/game/rows"
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
			rows.InRow("4"),
			rows.Players(),
		},
		New: func(v *game.Values) (game.Game, error) {
			height, width := v.Int("rows", 1, mostRows), v.Int("columns", 1, mostColumns)
			inRow, players := v.Int("in_row", 1, mostColumns), v.Int("players", 2, rows.MostPlayers)
			if (height+1)*width > wordBits {
				v.Fail("columns",
					fmt.Sprintf("at most %d fit with %d rows", wordBits/(height+1), height))
			}
			rows.CheckInRow(v, height, width, inRow)
			if err := v.Err(); err != nil {
				return nil, err
			}
			return newGame(height, width, inRow, players), nil
		},
	})
}

// Game is Connect Four on one board, with its length of row and number of players.
type Game struct {
	rows.Board

	bottom  uint64        // the lowest cell of each column
	board   uint64        // all cells
	lines   [4]uint       // distances between neighbours in a line: up, right, and both diagonals
	doubles []uint        // lines are found in these steps; see row
	cellOf  [wordBits]int // the observation's cell of a bit
}

func newGame(height, width, inRow, players int) *Game {
	g := &Game{Board: rows.New(height, width, inRow, players)}
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
