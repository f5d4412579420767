package connectfour

import (
	"fmt"
	"math/bits"
)

// bitBoard is the size of a board to be solved.
type bitBoard struct {
	Rows, Columns, InRow int
}

// Check returns an error unless the board fits a word.
func (b bitBoard) Check() error {
	if b.Rows < 1 || b.Columns < 1 || b.Columns > mostColumns ||
		(b.Rows+1)*b.Columns > wordBits ||
		b.InRow < 1 {
		return fmt.Errorf("no board of %d rows and %d columns with %d in a row fits a word",
			b.Rows, b.Columns, b.InRow)
	}
	return nil
}

// position is a position in which a player is to move and nobody has won.
type position struct {
	Own uint64 // the stones of the player to move
	All uint64 // all stones
}

// Stones is the number of stones.
func (p position) Stones() int { return bits.OnesCount64(p.All) }

// Play returns the position after a stone on cell.
func (p position) Play(cell uint64) position {
	return position{Own: p.All ^ p.Own, All: p.All | cell}
}

// geometry is what follows from a board.
type geometry struct {
	height  uint // bits of a column
	inRow   int
	cells   int
	bottom  uint64 // the lowest cell of each column
	board   uint64 // all cells
	columns [mostColumns]uint64
	usual   bool // four in a row in columns of six: threats has a fast path
}

func newGeometry(b bitBoard) geometry {
	g := geometry{height: uint(b.Rows + 1), inRow: b.InRow, cells: b.Rows * b.Columns}
	for c := range b.Columns {
		bottom := uint64(1) << (uint(c) * g.height)
		g.bottom |= bottom
		g.columns[c] = bottom * (1<<b.Rows - 1)
		g.board |= g.columns[c]
	}
	g.usual = b.Rows == 6 && b.InRow == 4
	return g
}

// drops returns the cell on which a stone would land, for each column that is not full.
func (g *geometry) drops(all uint64) uint64 { return (all + g.bottom) & g.board }

// threats returns the cells, empty or not, that would complete a row with stones. Cells beside the
// board are among them.
func (g *geometry) threats(stones uint64) uint64 {
	if g.usual {
		return threatsUsual(stones)
	}
	return g.threatsOfAnyBoard(stones)
}

// threatsOfAnyBoard is threats, for every cell of each row of in_row.
func (g *geometry) threatsOfAnyBoard(stones uint64) uint64 {
	var found uint64
	for _, d := range [4]uint{1, g.height, g.height - 1, g.height + 1} {
		for before := range g.inRow { // cells of the row below or to the left
			row := ^uint64(0)
			for i := 1; i <= before; i++ {
				row &= stones << (uint(i) * d)
			}
			for i := 1; i < g.inRow-before; i++ {
				row &= stones >> (uint(i) * d)
			}
			found |= row
		}
	}
	return found
}

// threatsUsual is threats for four in a row in columns of six.
func threatsUsual(s uint64) uint64 {
	const (
		across = 7
		down   = 6
		up     = 8
	)
	found := s << 1 & (s << 2) & (s << 3)

	pair := s << across & (s << (2 * across))
	found |= pair & (s<<(3*across) | s>>across)
	pair = s >> across & (s >> (2 * across))
	found |= pair & (s<<across | s>>(3*across))

	pair = s << down & (s << (2 * down))
	found |= pair & (s<<(3*down) | s>>down)
	pair = s >> down & (s >> (2 * down))
	found |= pair & (s<<down | s>>(3*down))

	pair = s << up & (s << (2 * up))
	found |= pair & (s<<(3*up) | s>>up)
	pair = s >> up & (s >> (2 * up))
	found |= pair & (s<<up | s>>(3*up))
	return found
}

// pliesLeft returns how many stones are dropped until the game is over, from a position with a
// score and a number of empty cells.
func pliesLeft(score, left int) int {
	switch {
	case score > 0: // an odd number: the player to move drops the last one
		return left + 1 + left%2 - 2*score
	case score < 0:
		return left + 2 - left%2 + 2*score
	}
	return left
}
