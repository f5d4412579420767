package connectfour

import (
	"fmt"

	"tengen/game"
)

// naive follows the rules in the simplest way: after each stone it checks every line of in_row cells
// on the board.
type naive struct {
	rows, columns, inRow, players int
	grid                          [][]int // [row from the top][column], -1 where empty
	moves                         int
}

func newNaive(rows, columns, inRow, players int) *naive {
	n := &naive{rows: rows, columns: columns, inRow: inRow, players: players}
	for range rows {
		line := make([]int, columns)
		for c := range line {
			line[c] = -1
		}
		n.grid = append(n.grid, line)
	}
	return n
}

func (n *naive) name() string {
	return fmt.Sprintf("connect-four:rows=%d,columns=%d,in_row=%d,players=%d", n.rows, n.columns, n.inRow, n.players)
}

// winner returns the player with a row, or -1.
func (n *naive) winner() int {
	for r := range n.rows {
		for c := range n.columns {
			for dr := -1; dr <= 1; dr++ {
				for dc := -1; dc <= 1; dc++ {
					if (dr != 0 || dc != 0) && n.grid[r][c] >= 0 && n.row(r, c, dr, dc) {
						return n.grid[r][c]
					}
				}
			}
		}
	}
	return -1
}

// row reports whether the in_row cells from r, c on have one owner.
func (n *naive) row(r, c, dr, dc int) bool {
	for i := range n.inRow {
		y, x := r+i*dr, c+i*dc
		if y < 0 || y >= n.rows || x < 0 || x >= n.columns || n.grid[y][x] != n.grid[r][c] {
			return false
		}
	}
	return true
}

func (n *naive) CurrentPlayer() game.Player {
	if n.winner() >= 0 || n.moves == n.rows*n.columns {
		return game.Nobody
	}
	return game.Player(n.moves % n.players)
}

func (n *naive) LegalActions(dst []game.Action) []game.Action {
	for c := range n.columns {
		if n.grid[0][c] < 0 {
			dst = append(dst, game.Action(c))
		}
	}
	return dst
}

func (n *naive) Apply(a game.Action) {
	r := n.rows - 1
	for n.grid[r][a] >= 0 {
		r--
	}
	n.grid[r][a] = n.moves % n.players
	n.moves++
}

func (n *naive) Returns(dst []float32) {
	w := n.winner()
	for p := range n.players {
		switch {
		case w < 0:
			dst[p] = 1 / float32(n.players)
		case w == p:
			dst[p] = 1
		default:
			dst[p] = 0
		}
	}
}

func (n *naive) observation() []float32 {
	var planes []float32
	for p := range n.players {
		for r := range n.rows {
			for c := range n.columns {
				planes = append(planes, truth(n.grid[r][c] == p))
			}
		}
	}
	for p := range n.players {
		for range n.rows * n.columns {
			planes = append(planes, truth(n.CurrentPlayer() == game.Player(p)))
		}
	}
	return planes
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
