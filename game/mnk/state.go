package mnk

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
)

// words is the number of words with a bit for each cell of the largest board.
const words = (Largest*Largest + 63) / 64

// State is a position. Bit c&63 of word c>>6 stands for cell c.
type State struct {
	g      *Game
	stones [MostPlayers][words]uint64
	hash   uint64
	plies  int16
	mover  game.Player
	winner game.Player // Nobody until there is a row
}

// CurrentPlayer is the next player in turn, or Nobody once there is a row or the board
// is full.
func (s *State) CurrentPlayer() game.Player {
	if s.winner != game.Nobody || int(s.plies) == s.g.Cells {
		return game.Nobody
	}
	return s.mover
}

// LegalActions appends the empty cells.
func (s *State) LegalActions(dst []game.Action) []game.Action {
	for first := 0; first < s.g.Cells; first += 64 {
		for m := s.empty(first); m != 0; m &= m - 1 {
			dst = append(dst, game.Action(first+bits.TrailingZeros64(m)))
		}
	}
	return dst
}

// empty returns a bit for each empty one of the 64 cells from first on.
func (s *State) empty(first int) uint64 {
	w := first >> 6
	m := ^(s.stones[0][w] | s.stones[1][w] | s.stones[2][w])
	if left := s.g.Cells - first; left < 64 {
		m &= 1<<left - 1
	}
	return m
}

// Turn implements game.Turned: the number of stones placed.
func (s *State) Turn() int { return int(s.plies) }

// Apply places a stone of the current player.
func (s *State) Apply(a game.Action) {
	p := s.mover
	s.stones[p][a>>6] |= 1 << (a & 63)
	s.hash ^= s.g.keys[p][a]
	s.plies++
	if s.rowThrough(p, int(a)) {
		s.winner = p
	}
	if s.mover++; int(s.mover) == s.g.Seats {
		s.mover = 0
	}
}

// rowThrough reports whether p has in_row stones in a row through cell.
func (s *State) rowThrough(p game.Player, cell int) bool {
	g := s.g
	row, column := cell/g.Columns, cell%g.Columns
	for _, d := range [4][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}} {
		run := 1 + s.run(p, row, column, d[0], d[1]) + s.run(p, row, column, -d[0], -d[1])
		if run >= g.InRow {
			return true
		}
	}
	return false
}

// run counts the consecutive stones of p from row and column in the given direction,
// excluding the starting cell.
func (s *State) run(p game.Player, row, column, down, right int) int {
	g := s.g
	stones := &s.stones[p]
	step := down*g.Columns + right
	cell := row*g.Columns + column
	for n := 0; ; n++ {
		row, column, cell = row+down, column+right, cell+step
		if uint(row) >= uint(g.Rows) || uint(column) >= uint(g.Columns) ||
			stones[cell>>6]>>(cell&63)&1 == 0 {
			return n
		}
	}
}

// CopyFrom copies a state of the same game.
func (s *State) CopyFrom(src game.State) { *s = *src.(*State) }

// Returns gives the winner 1, or each player an equal share of a draw.
func (s *State) Returns(dst []float32) {
	s.g.ReturnsOf(s.winner, dst)
}

// Observation writes a plane of stones for each player, then a constant plane for each
// player: 1 if it is to move.
func (s *State) Observation(dst []float32) {
	cells := s.g.Cells
	clear(dst[:s.g.Seats*cells])
	for p := range s.g.Seats {
		plane := dst[p*cells : (p+1)*cells]
		for w := 0; 64*w < cells; w++ {
			for m := s.stones[p][w]; m != 0; m &= m - 1 {
				plane[64*w+bits.TrailingZeros64(m)] = 1
			}
		}
	}
	s.g.ObserveMover(s.mover, dst)
}

// Hash is the exclusive or of a key for each stone (Zobrist 1970). The number of
// stones determines who is to move.
func (s *State) Hash() uint64 { return s.hash }

// Playout fills empty cells at random until the game is over.
func (s *State) Playout(rng *rand.Rand) {
	var empty [Largest * Largest]game.Action
	n := len(s.LegalActions(empty[:0]))
	for s.CurrentPlayer() != game.Nobody {
		i := rng.IntN(n)
		n--
		a := empty[i]
		empty[i] = empty[n]
		s.Apply(a)
	}
}

// AuxiliaryTargets implements game.AuxiliaryTargetState.
func (s *State) AuxiliaryTargets(cells []int8, _ []float32) { s.g.CellClasses(cells, s.at) }
