package mnk

import (
	"tengen/game"
	"tengen/game/rows"
	"tengen/internal/random"
)

// Largest is the greatest number of rows or columns.
const Largest = 19

func init() {
	game.Register(game.Family{
		Name:    "mnk",
		Summary: "place stones in turn; the first row of a given length wins",
		Params: []game.Param{
			{Key: "rows", Default: "3", Help: "1 to 19"},
			{Key: "columns", Default: "3", Help: "1 to 19"},
			rows.InRow("3"),
			rows.Players(),
		},
		New: func(v *game.Values) (game.Game, error) {
			height, width := v.Int("rows", 1, Largest), v.Int("columns", 1, Largest)
			inRow := v.Int("in_row", 1, Largest)
			rows.CheckInRow(v, height, width, inRow)
			return made(v, height, width, inRow)
		},
	})
	game.Register(game.Family{
		Name:    "tictactoe",
		Summary: "short for mnk:rows=3,columns=3,in_row=3",
		Params:  []game.Param{rows.Players()},
		New:     func(v *game.Values) (game.Game, error) { return made(v, 3, 3, 3) },
	})
}

// made makes a game from a board, a length of row and the parameter players.
func made(v *game.Values, height, width, inRow int) (game.Game, error) {
	players := v.Int("players", 2, rows.MostPlayers)
	if err := v.Err(); err != nil {
		return nil, err
	}
	return newGame(height, width, inRow, players), nil
}

// Game is an m,n,k game with a fixed board, length of row and number of players.
type Game struct {
	rows.Board

	keys [rows.MostPlayers][Largest * Largest]uint64 // Zobrist keys of player and cell
}

func newGame(height, width, inRow, players int) *Game {
	g := &Game{Board: rows.New(height, width, inRow, players)}
	var n uint64
	for p := range g.keys {
		for c := range g.keys[p] {
			n += random.Gamma
			g.keys[p][c] = random.Mix(n)
		}
	}
	return g
}

// Name lists every key.
func (g *Game) Name() string { return g.Named("mnk") }

// Actions is the number of cells.
func (g *Game) Actions() int { return g.Cells }

// NewState returns the empty board.
func (g *Game) NewState() game.State { return &State{g: g, winner: game.Nobody} }
