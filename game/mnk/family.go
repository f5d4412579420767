package mnk

import (
	"fmt"

	"tengen/game"
	"tengen/internal/splitmix"
)

// Largest is the greatest number of rows or columns.
const Largest = 19

const mostPlayers = 3

func init() {
	players := game.Param{Key: "players", Default: "2", Help: "2 or 3"}
	game.Register(game.Family{
		Name:    "mnk",
		Summary: "place stones in turn; the first row of a given length wins",
		Params: []game.Param{
			{Key: "rows", Default: "3", Help: "1 to 19"},
			{Key: "columns", Default: "3", Help: "1 to 19"},
			{Key: "in_row", Default: "3", Help: "stones in a row that win; at most the longer side of the board"},
			players,
		},
		New: func(v *game.Values) (game.Game, error) {
			rows, columns := v.Int("rows", 1, Largest), v.Int("columns", 1, Largest)
			inRow := v.Int("in_row", 1, Largest)
			if inRow > max(rows, columns) {
				v.Fail("in_row", fmt.Sprintf("at most %d fit on a board of %d rows and %d columns", max(rows, columns), rows, columns))
			}
			return made(v, rows, columns, inRow)
		},
	})
	game.Register(game.Family{
		Name:    "tictactoe",
		Summary: "short for mnk:rows=3,columns=3,in_row=3",
		Params:  []game.Param{players},
		New:     func(v *game.Values) (game.Game, error) { return made(v, 3, 3, 3) },
	})
}

// made makes a game from a board, a length of row and the parameter players.
func made(v *game.Values, rows, columns, inRow int) (game.Game, error) {
	players := v.Int("players", 2, mostPlayers)
	if err := v.Err(); err != nil {
		return nil, err
	}
	return newGame(rows, columns, inRow, players), nil
}

// Game is an m,n,k game with a fixed board, length of row and number of players.
type Game struct {
	rows, columns, inRow, players int

	cells   int
	support []float32
	keys    [mostPlayers][Largest * Largest]uint64 // Zobrist keys of player and cell
}

func newGame(rows, columns, inRow, players int) *Game {
	g := &Game{rows: rows, columns: columns, inRow: inRow, players: players, cells: rows * columns}
	g.support = []float32{0, 1 / float32(players), 1}
	var n uint64
	for p := range g.keys {
		for c := range g.keys[p] {
			n += splitmix.Gamma
			g.keys[p][c] = splitmix.Mix(n)
		}
	}
	return g
}

// Name lists every key.
func (g *Game) Name() string {
	return fmt.Sprintf("mnk:rows=%d,columns=%d,in_row=%d,players=%d", g.rows, g.columns, g.inRow, g.players)
}

// Players is 2 or 3.
func (g *Game) Players() int { return g.players }

// Actions is the number of cells.
func (g *Game) Actions() int { return g.cells }

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
