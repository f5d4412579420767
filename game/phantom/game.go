package phantom

import (
	"fmt"
	"slices"

	"tengen/game"
)

// mostCells is the number of cells of the largest board, longest that of its sides.
const (
	longest   = 3
	mostCells = longest * longest
	players   = 2
)

func init() {
	game.Register(game.Family{
		Name:    "phantom",
		Summary: "phantom tic-tac-toe: nobody sees the other's stones; whoever names a taken cell moves again",
		Params: []game.Param{
			{Key: "rows", Default: "3", Help: "1 to 3"},
			{Key: "columns", Default: "3", Help: "1 to 3"},
			{Key: "in_row", Default: "3",
				Help: "stones in a row that win; at most the longer side of the board"},
		},
		New: func(v *game.Values) (game.Game, error) {
			rows, columns := v.Int("rows", 1, longest), v.Int("columns", 1, longest)
			inRow := v.Int("in_row", 1, longest)
			if v.Err() == nil && inRow > max(rows, columns) {
				v.Fail("in_row",
					fmt.Sprintf("at most %d fit on a board of %d rows and %d columns",
						max(rows, columns), rows, columns))
			}
			if err := v.Err(); err != nil {
				return nil, err
			}
			return New(rows, columns, inRow), nil
		},
	})
}

// Game is phantom tic-tac-toe on a board.
type Game struct {
	rows, columns, inRow int
	cells                int
	lines                []cellSet // rows that win
	facts                []game.HiddenFact
}

// New makes the game on a board of 1 to 3 rows and columns. inRow is at most the longer side.
func New(rows, columns, inRow int) *Game {
	g := &Game{rows: rows, columns: columns, inRow: inRow, cells: rows * columns}
	for cell := range g.cells {
		for _, d := range [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
			line, r, c := cellSet(0), cell/columns, cell%columns
			n := 0
			for ; n < inRow && r < rows && c >= 0 && c < columns; n++ {
				line |= 1 << (r*columns + c)
				r, c = r+d[0], c+d[1]
			}
			if n == inRow {
				g.lines = append(g.lines, line)
			}
		}
	}
	g.facts = g.listHiddenFacts()
	return g
}

// Name lists every key.
func (g *Game) Name() string {
	return fmt.Sprintf("phantom:rows=%d,columns=%d,in_row=%d", g.rows, g.columns, g.inRow)
}

// Players is 2.
func (g *Game) Players() int { return players }

// Actions is the number of cells.
func (g *Game) Actions() int { return g.cells }

// Planes of an observation.
const (
	planeOrder = players
	planeMover = planeOrder + 1
	planes     = planeMover + players
)

// Planes is [5, rows, columns].
func (g *Game) Planes() game.Shape { return game.Shape{C: planes, H: g.rows, W: g.columns} }

// Support lists the utilities of loss, draw and win.
func (g *Game) Support() []float32 { return []float32{0, 0.5, 1} }

// UtilitySum is 1.
func (g *Game) UtilitySum() float64 { return 1 }

// PlyLimit is twice the number of cells: each player names each cell at most once.
func (g *Game) PlyLimit() int { return players * g.cells }

// NewState returns the empty board.
func (g *Game) NewState() game.State { return &State{g: g, winner: game.Nobody} }

// Symmetries are the rotations and reflections of the board.
func (g *Game) Symmetries() []game.Symmetry {
	var list []game.Symmetry
	for i := range 8 {
		flipRows, flipColumns, transpose := i&1 != 0, i&2 != 0, i&4 != 0
		if transpose && g.rows != g.columns {
			break
		}
		t := game.Symmetry{Planes: []int{0, 1, 2, 3, 4}, Players: []game.Player{0, 1}}
		for c := range g.cells {
			row, column := c/g.columns, c%g.columns
			if flipRows {
				row = g.rows - 1 - row
			}
			if flipColumns {
				column = g.columns - 1 - column
			}
			if transpose {
				row, column = column, row
			}
			t.Cells = append(t.Cells, row*g.columns+column)
			t.Actions = append(t.Actions, game.Action(row*g.columns+column))
		}
		t.HiddenFacts = permutedHiddenFacts(t.Cells)
		if !slices.ContainsFunc(list, func(u game.Symmetry) bool {
			return slices.Equal(u.Cells, t.Cells)
		}) {
			list = append(list, t)
		}
	}
	return list
}
