package connectfour

import (
	"fmt"

	"tengen/game"
)

const (
	mostPlayers = 3
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
			{Key: "in_row", Default: "4", Help: "stones in a row that win; at most the longer side of the board"},
			{Key: "players", Default: "2", Help: "2 or 3"},
		},
		New: func(v *game.Values) (game.Game, error) {
			rows, columns := v.Int("rows", 1, mostRows), v.Int("columns", 1, mostColumns)
			inRow, players := v.Int("in_row", 1, mostColumns), v.Int("players", 2, mostPlayers)
			if (rows+1)*columns > wordBits {
				v.Fail("columns", fmt.Sprintf("at most %d fit with %d rows", wordBits/(rows+1), rows))
			}
			if inRow > max(rows, columns) {
				v.Fail("in_row", fmt.Sprintf("at most %d fit on a board of %d rows and %d columns", max(rows, columns), rows, columns))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			return newGame(rows, columns, inRow, players), nil
		},
	})
}

// Game is Connect Four on one board, with its length of row and number of players.
type Game struct {
	rows, columns, inRow, players int

	cells   int
	support []float32
	bottom  uint64        // the lowest cell of each column
	board   uint64        // all cells
	lines   [4]uint       // distances between neighbours in a line: up, right, and both diagonals
	doubles []uint        // lines are found in these steps; see row
	cellOf  [wordBits]int // the observation's cell of a bit
}

func newGame(rows, columns, inRow, players int) *Game {
	g := &Game{rows: rows, columns: columns, inRow: inRow, players: players, cells: rows * columns}
	g.support = []float32{0, 1 / float32(players), 1}
	height := uint(rows + 1)
	for c := range columns {
		g.bottom |= 1 << (uint(c) * height)
		for r := range rows {
			g.cellOf[uint(c)*height+uint(r)] = (rows-1-r)*columns + c
		}
	}
	g.board = g.bottom * (1<<rows - 1)
	g.lines = [4]uint{1, height, height - 1, height + 1}
	// Runs of n stones are joined to runs of 2·n, and to in_row in the end.
	for n := 1; n < inRow; {
		step := min(n, inRow-n)
		g.doubles = append(g.doubles, uint(step))
		n += step
	}
	return g
}

// Name lists every key.
func (g *Game) Name() string {
	return fmt.Sprintf("connect-four:rows=%d,columns=%d,in_row=%d,players=%d", g.rows, g.columns, g.inRow, g.players)
}

// Players is 2 or 3.
func (g *Game) Players() int { return g.players }

// Actions is the number of columns.
func (g *Game) Actions() int { return g.columns }

// Planes is [2·players, rows, columns].
func (g *Game) Planes() game.Shape { return game.Shape{C: 2 * g.players, H: g.rows, W: g.columns} }

// Support lists the utilities of loss, draw and win.
func (g *Game) Support() []float32 { return g.support }

// UtilitySum is 1: one winner, or equal shares of a draw.
func (g *Game) UtilitySum() float64 { return 1 }

// PlyLimit is the number of cells.
func (g *Game) PlyLimit() int { return g.cells }

// NewState returns the empty board.
func (g *Game) NewState() game.State { return &State{g: g, winner: game.Nobody} }
