package conv

// Board records, for each cell, which taps of a 3×3 kernel lie on the board. It is immutable.
type Board struct {
	Height, Width int

	sets  []columns // the distinct ranges of columns that windows have
	cells []cell
}

// columns is a range of a window's columns, from ≤ column < to within 0..3;
// column 1 is the input cell's own.
type columns struct{ from, to int }

// cell is an input cell and its windows, one per line of the kernel.
type cell struct {
	set         int // index of its range of columns
	top, bottom int // its range of lines, top ≤ line < bottom within 0..3; line 1 is its own
	origin      int // first output cell of its first window
}

// NewBoard returns a board.
func NewBoard(height, width int) *Board {
	b := &Board{Height: height, Width: width}
	index := map[columns]int{}
	for y := range height {
		for x := range width {
			c := columns{max(0, 1-x), min(3, width+1-x)}
			set, ok := index[c]
			if !ok {
				set = len(b.sets)
				index[c] = set
				b.sets = append(b.sets, c)
			}
			top, bottom := max(0, 1-y), min(3, height+1-y)
			b.cells = append(b.cells, cell{set, top, bottom, (y+top-1)*width + x + c.from - 1})
		}
	}
	return b
}

// Cells returns Height × Width.
func (b *Board) Cells() int { return len(b.cells) }
