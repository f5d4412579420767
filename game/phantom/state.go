package phantom

import (
	"math/bits"

	"tengen/game"
	"tengen/internal/random"
)

// cellSet is a set of cells.
type cellSet uint16

func (c cellSet) has(cell int) bool { return c>>cell&1 != 0 }
func (c cellSet) size() int         { return bits.OnesCount16(uint16(c)) }

// history is what a player did: five bits for each cell that it named, the last one lowest. A cell
// is its number plus one; a failed move has the fifth bit.
type history uint64

const (
	stepBits = 5
	stepMask = 1<<stepBits - 1
	failure  = 1 << (stepBits - 1)
)

// step is a move of a player.
type step struct {
	cell   int
	failed bool
}

// add returns the history with one step more.
func (h history) add(cell int, failed bool) history {
	code := history(cell + 1)
	if failed {
		code |= failure
	}
	return h<<stepBits | code
}

// len is the number of steps.
func (h history) len() int { return (bits.Len64(uint64(h)) + stepBits - 1) / stepBits }

// at returns step i of n.
func (h history) at(i, n int) step {
	code := h >> (stepBits * (n - 1 - i)) & stepMask
	return step{int(code&^failure) - 1, code&failure != 0}
}

// State is a position with what each player did.
type State struct {
	g      *Game
	stones [players]cellSet
	known  [players]cellSet // cells of which the player knows that they are taken
	did    [players]history
	mover  game.Player
	winner game.Player // Nobody until there is a row
	full   bool        // the board is full
}

// CurrentPlayer is Nobody once there is a row or the board is full.
func (s *State) CurrentPlayer() game.Player {
	if s.winner != game.Nobody || s.full {
		return game.Nobody
	}
	return s.mover
}

// LegalActions appends the cells of which the current player does not know that they are taken.
func (s *State) LegalActions(dst []game.Action) []game.Action {
	for m := s.all() &^ s.known[s.mover]; m != 0; m &= m - 1 {
		dst = append(dst, game.Action(bits.TrailingZeros16(uint16(m))))
	}
	return dst
}

// all is the set of all cells.
func (s *State) all() cellSet { return 1<<s.g.cells - 1 }

// Apply names a cell: a stone is placed there, or the move fails.
func (s *State) Apply(a game.Action) {
	p := s.mover
	failed := s.stones[1-p].has(int(a))
	s.did[p] = s.did[p].add(int(a), failed)
	s.known[p] |= 1 << a
	if failed {
		return
	}
	s.stones[p] |= 1 << a
	if s.g.wins(s.stones[p]) {
		s.winner = p
	}
	s.full = s.stones[0]|s.stones[1] == s.all()
	s.mover = 1 - p
}

// Conceals is true for all actions of the other player.
func (s *State) Conceals(_ game.Action, seat game.Player) bool { return seat != s.mover }

// wins reports whether a set of stones has a row.
func (g *Game) wins(stones cellSet) bool {
	for _, line := range g.lines {
		if stones&line == line {
			return true
		}
	}
	return false
}

// CopyFrom copies a state of the same game.
func (s *State) CopyFrom(src game.State) { *s = *src.(*State) }

// Returns gives the winner 1, or each player half a draw.
func (s *State) Returns(dst []float32) {
	dst[0], dst[1] = 0.5, 0.5
	if s.winner != game.Nobody {
		dst[s.winner], dst[1-s.winner] = 1, 0
	}
}

// Observation writes what the current player knows; see the package's documentation. Once the game
// is over all stones are shown, and no history.
func (s *State) Observation(dst []float32) {
	cells := s.g.cells
	dst = dst[:planes*cells]
	clear(dst)
	p := s.CurrentPlayer()
	for q, stones := range s.stones {
		if p >= 0 {
			stones &= s.known[p]
		}
		for m := stones; m != 0; m &= m - 1 {
			dst[q*cells+bits.TrailingZeros16(uint16(m))] = 1
		}
	}
	if p < 0 {
		return
	}
	n := s.did[p].len()
	for i := range n {
		dst[planeOrder*cells+s.did[p].at(i, n).cell] = float32(i+1) / float32(cells)
	}
	first := (planeMover + int(p)) * cells
	for i := first; i < first+cells; i++ {
		dst[i] = 1
	}
}

// Hash is that of what both players did.
func (s *State) Hash() uint64 {
	return random.Mix(
		random.Step(uint64(s.did[0])) ^ bits.RotateLeft64(random.Step(uint64(s.did[1])), 1))
}

// InformationStateKey is exact: the seat, what it did, and whether it is to move.
func (s *State) InformationStateKey(seat game.Player) uint64 {
	key := uint64(s.did[seat])<<3 | uint64(seat)<<1 | 1
	if s.mover == seat {
		key |= 4
	}
	return random.Mix(key)
}

// History implements game.Chronicler.
func (s *State) History(dst []game.Action) []game.Action {
	n := [players]int{s.did[0].len(), s.did[1].len()}
	var next [players]int
	for p := 0; next[p] < n[p]; {
		x := s.did[p].at(next[p], n[p])
		next[p]++
		dst = append(dst, game.Action(x.cell))
		if !x.failed {
			p = 1 - p
		}
	}
	return dst
}
