package mnk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game"
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
			InRowParam("3"),
			PlayersParam(),
		},
		New: func(v *game.Values) (game.Game, error) {
			height, width := v.Int("rows", 1, Largest), v.Int("columns", 1, Largest)
			inRow := v.Int("in_row", 1, Largest)
			CheckInRow(v, height, width, inRow)
			return made(v, height, width, inRow)
		},
	})
	game.Register(game.Family{
		Name:    "tictactoe",
		Summary: "short for mnk:rows=3,columns=3,in_row=3",
		Params:  []game.Param{PlayersParam()},
		New:     func(v *game.Values) (game.Game, error) { return made(v, 3, 3, 3) },
	})
}

// made makes a game from a board, a length of row and the parameter players.
func made(v *game.Values, height, width, inRow int) (game.Game, error) {
	players := v.Int("players", 2, MostPlayers)
	if err := v.Err(); err != nil {
		return nil, err
	}
	return newGame(height, width, inRow, players), nil
}

// Game is an m,n,k game with a fixed board, length of row and number of players.
type Game struct {
	Board

	keys [MostPlayers][Largest * Largest]uint64 // Zobrist keys of player and cell
}

func newGame(height, width, inRow, players int) *Game {
	g := &Game{Board: NewBoard(height, width, inRow, players)}
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

// Symmetries are the rotations and reflections of the board: eight of a square, four
// of a rectangle, fewer where some coincide (a board of one row has two).
func (g *Game) Symmetries() []game.Symmetry {
	var list []game.Symmetry
	for i := range 8 {
		flipRows, flipColumns, transpose := i&1 != 0, i&2 != 0, i&4 != 0
		if transpose && g.Rows != g.Columns {
			break
		}
		cells := make([]int, g.Cells)
		for c := range cells {
			row, column := c/g.Columns, c%g.Columns
			if flipRows {
				row = g.Rows - 1 - row
			}
			if flipColumns {
				column = g.Columns - 1 - column
			}
			if transpose {
				row, column = column, row
			}
			cells[c] = row*g.Columns + column
		}
		known := func(t game.Symmetry) bool { return slices.Equal(t.Cells, cells) }
		if !slices.ContainsFunc(list, known) {
			list = append(list, g.symmetry(cells))
		}
	}
	return list
}

// symmetry permutes cells and the corresponding actions.
func (g *Game) symmetry(cells []int) game.Symmetry {
	t := game.Symmetry{Cells: cells}
	for _, c := range cells {
		t.Actions = append(t.Actions, game.Action(c))
	}
	for p := range 2 * g.Seats {
		t.Planes = append(t.Planes, p)
	}
	for p := range g.Seats {
		t.Players = append(t.Players, game.Player(p))
	}
	return t
}

// ActionName is the cell's column as a letter and its row, counted from the bottom, as
// a number: "a1" is the lower left corner.
func (g *Game) ActionName(_ game.State, a game.Action) string {
	row, column := int(a)/g.Columns, int(a)%g.Columns
	return string(rune('a'+column)) + strconv.Itoa(g.Rows-row)
}

// Guide explains the rules to a person.
func (g *Game) Guide() string {
	return fmt.Sprintf(`A move is an empty cell, column and row, such as a1. The first with %d of its own in a row,
upright, across or diagonally, wins; on a full board without one nobody does.
`, g.InRow)
}

// ParseAction parses a cell's name, in either case.
func (g *Game) ParseAction(_ game.State, text string) (game.Action, error) {
	word := strings.ToLower(strings.TrimSpace(text))
	if len(word) >= 2 && word[1] >= '1' && word[1] <= '9' {
		column := int(word[0]) - 'a'
		row, err := strconv.Atoi(word[1:])
		if err == nil && column >= 0 && column < g.Columns && row <= g.Rows {
			return game.Action((g.Rows-row)*g.Columns + column), nil
		}
	}
	return game.NoAction,
		fmt.Errorf("%q is no cell of this board: a column a to %c and a row 1 to %d are wanted, such as a1", text, 'a'+g.Columns-1, g.Rows)
}

// Draw returns the board with the names of its rows and columns.
func (s *State) Draw(color bool) string { return s.g.Text(s.at, true, color) }

// at returns the player whose stone is on a cell, or Nobody.
func (s *State) at(cell int) game.Player {
	for p := range s.g.Seats {
		if s.stones[p][cell>>6]>>(cell&63)&1 != 0 {
			return game.Player(p)
		}
	}
	return game.Nobody
}
