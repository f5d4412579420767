package mnk

import (
	"fmt"
	"strings"

	"tengen/game"
)

// MostPlayers is the greatest number of players.
const MostPlayers = 3

// Marks are the players' stones, which also name the seats.
const Marks = "XO#"

// colors are the ANSI codes of the players' stones: red, blue, green.
var colors = [MostPlayers]string{"\x1b[31m", "\x1b[34m", "\x1b[32m"}

// Board is a board with the length of the row that wins and the number of players. Cells are
// numbered from the upper left corner, row by row. It has the methods of game.Game that do not
// depend on how stones are placed; games of rows embed it, Connect Four too. Their states keep
// stones as they like, and give the Board a function that says whose stone is on a cell.
type Board struct {
	Rows, Columns int
	Cells         int
	InRow         int // length of the row that wins
	Seats         int // players, 2 or 3

	support []float32
}

// NewBoard returns a board.
func NewBoard(rows, columns, inRow, players int) Board {
	return Board{
		rows, columns, rows * columns, inRow, players, []float32{0, 1 / float32(players), 1},
	}
}

// CheckInRow reports a length of row that no line of the board has.
func CheckInRow(v *game.Values, rows, columns, inRow int) {
	if longest := max(rows, columns); inRow > longest {
		v.Fail("in_row",
			fmt.Sprintf("at most %d fit on a board of %d rows and %d columns",
				longest, rows, columns))
	}
}

// InRowParam is the parameter in_row.
func InRowParam(length string) game.Param {
	return game.Param{
		Key: "in_row", Default: length,
		Help: "stones in a row that win; at most the longer side of the board",
	}
}

// PlayersParam is the parameter players.
func PlayersParam() game.Param { return game.Param{Key: "players", Default: "2", Help: "2 or 3"} }

// Named returns the name of a game of a family on the board, with every key.
func (b *Board) Named(family string) string {
	return fmt.Sprintf("%s:rows=%d,columns=%d,in_row=%d,players=%d",
		family, b.Rows, b.Columns, b.InRow, b.Seats)
}

// Players is the number of seats.
func (b *Board) Players() int { return b.Seats }

// Planes is [2·players, rows, columns].
func (b *Board) Planes() game.Shape { return game.Shape{C: 2 * b.Seats, H: b.Rows, W: b.Columns} }

// Support lists the utilities of loss, draw and win.
func (b *Board) Support() []float32 { return b.support }

// UtilitySum is 1: one winner, or equal shares of a draw.
func (b *Board) UtilitySum() float64 { return 1 }

// PlyLimit is the number of cells.
func (b *Board) PlyLimit() int { return b.Cells }

// ReturnsOf writes the utilities of a game's end: 1 for the winner, or an equal share for each
// player of a draw, if winner is game.Nobody.
func (b *Board) ReturnsOf(winner game.Player, dst []float32) {
	share := float32(0)
	if winner == game.Nobody {
		share = b.support[1]
	}
	for p := range b.Seats {
		dst[p] = share
	}
	if winner != game.Nobody {
		dst[winner] = 1
	}
}

// ObserveMover writes the second half of an observation, whose first half has a plane of stones for
// each player: a constant plane for each player, 1 if it is to move. mover is game.Nobody if nobody
// is.
func (b *Board) ObserveMover(mover game.Player, dst []float32) {
	cells := b.Cells
	dst = dst[b.Seats*cells : 2*b.Seats*cells]
	clear(dst)
	if mover == game.Nobody {
		return
	}
	for i := int(mover) * cells; i < (int(mover)+1)*cells; i++ {
		dst[i] = 1
	}
}

// SeatName is X, O or #.
func (b *Board) SeatName(p game.Player) string { return Marks[p : p+1] }

// CellTargets is the player whose stone is on the cell in the end; the last class is an empty cell.
func (b *Board) CellTargets() []game.CellTarget {
	return []game.CellTarget{{Name: "stone", Classes: b.Seats + 1, Seats: true}}
}

// SeatTargets lists none.
func (b *Board) SeatTargets() []string { return nil }

// CellClasses writes the class of each cell: the player that at returns for it, or the last class
// for game.Nobody.
func (b *Board) CellClasses(classes []int8, at func(cell int) game.Player) {
	for c := range classes[:b.Cells] {
		class := at(c)
		if class == game.Nobody {
			class = game.Player(b.Seats)
		}
		classes[c] = int8(class)
	}
}

// Text returns the board with the letters of its columns; numbered, with the numbers of its rows,
// counted from the bottom.
func (b *Board) Text(at func(cell int) game.Player, numbered, color bool) string {
	var t strings.Builder
	for row := range b.Rows {
		if numbered {
			fmt.Fprintf(&t, "%2d", b.Rows-row)
		}
		for column := range b.Columns {
			t.WriteByte(' ')
			switch p := at(row*b.Columns + column); {
			case p == game.Nobody:
				t.WriteByte('.')
			case color:
				t.WriteString(colors[p] + Marks[p:p+1] + "\x1b[0m")
			default:
				t.WriteByte(Marks[p])
			}
		}
		t.WriteByte('\n')
	}
	if numbered {
		t.WriteString("  ")
	}
	for column := range b.Columns {
		t.WriteByte(' ')
		t.WriteByte(byte('a' + column))
	}
	t.WriteByte('\n')
	return t.String()
}
