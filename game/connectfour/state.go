package connectfour

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/game/mnk"
	"tengen/internal/random"
)

// State is a position.
type State struct {
	g      *Game
	stones [mnk.MostPlayers]uint64
	all    uint64 // all stones
	plies  int8
	mover  game.Player
	winner game.Player // Nobody until there is a row
}

// CurrentPlayer is the next player in turn, or Nobody once there is a row or the board is full.
func (s *State) CurrentPlayer() game.Player {
	if s.winner != game.Nobody || int(s.plies) == s.g.Cells {
		return game.Nobody
	}
	return s.mover
}

// drops returns the cell on which a stone would land, for each column that is not full.
func (s *State) drops() uint64 { return (s.all + s.g.bottom) & s.g.board }

// LegalActions appends the columns that are not full.
func (s *State) LegalActions(dst []game.Action) []game.Action {
	height := s.g.Rows + 1
	top := s.all >> (s.g.Rows - 1)
	for c := range s.g.Columns {
		if top>>(c*height)&1 == 0 {
			dst = append(dst, game.Action(c))
		}
	}
	return dst
}

// Turn implements game.Turned: the number of stones dropped.
func (s *State) Turn() int { return int(s.plies) }

// Apply drops a stone of the current player.
func (s *State) Apply(a game.Action) {
	height := uint(s.g.Rows + 1)
	column := (uint64(1)<<s.g.Rows - 1) << (uint(a) * height)
	s.place(s.drops() & column)
}

// place puts a stone of the current player on a cell.
func (s *State) place(cell uint64) {
	p := s.mover
	s.stones[p] |= cell
	s.all |= cell
	s.plies++
	if s.g.row(s.stones[p]) {
		s.winner = p
	}
	if s.mover++; int(s.mover) == s.g.Seats {
		s.mover = 0
	}
}

// row reports whether stones has in_row stones in a row. A bit of m stands for a run of stones that
// begins there, and each step joins two runs; the bit above each column ends them.
func (g *Game) row(stones uint64) bool {
	for _, d := range g.lines {
		m := stones
		for _, n := range g.doubles {
			m &= m >> (n * d)
		}
		if m != 0 {
			return true
		}
	}
	return false
}

// CopyFrom copies a state of the same game.
func (s *State) CopyFrom(src game.State) { *s = *src.(*State) }

// Returns gives the winner 1, or each player an equal share of a draw.
func (s *State) Returns(dst []float32) {
	s.g.ReturnsOf(s.winner, dst)
}

// Observation writes a plane of stones for each player, then a constant plane for each player: 1 if
// it is to move.
func (s *State) Observation(dst []float32) {
	cells := s.g.Cells
	clear(dst[:s.g.Seats*cells])
	for p := range s.g.Seats {
		plane := dst[p*cells : (p+1)*cells]
		for m := s.stones[p]; m != 0; m &= m - 1 {
			plane[s.g.cellOf[bits.TrailingZeros64(m)]] = 1
		}
	}
	s.g.ObserveMover(s.CurrentPlayer(), dst)
}

// Hash mixes the players' stones one after the other. The number of stones determines who is to
// move.
func (s *State) Hash() uint64 {
	h := uint64(0)
	for _, stones := range s.stones[:s.g.Seats] {
		h = random.Step(h ^ stones)
	}
	return h
}

// Playout drops stones at random until the game is over.
func (s *State) Playout(rng *rand.Rand) {
	for s.CurrentPlayer() != game.Nobody {
		m := s.drops()
		for range rng.IntN(bits.OnesCount64(m)) {
			m &= m - 1
		}
		s.place(m & -m)
	}
}

// at returns the player whose stone is on a cell of the observation, or Nobody.
func (s *State) at(cell int) game.Player {
	row, column := cell/s.g.Columns, cell%s.g.Columns
	bit := uint(column*(s.g.Rows+1) + s.g.Rows - 1 - row)
	for p := range s.g.Seats {
		if s.stones[p]>>bit&1 != 0 {
			return game.Player(p)
		}
	}
	return game.Nobody
}

// AuxiliaryTargets implements game.AuxiliaryTargetState.
func (s *State) AuxiliaryTargets(cells []int8, _ []float32) { s.g.CellClasses(cells, s.at) }
