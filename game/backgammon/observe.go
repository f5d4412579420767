package backgammon

import "math/bits"

// Planes of an observation. For each player, first White:
const (
	planeMover   = 0               // constant: whether it is to move
	planeLevels  = planeMover + 1  // whether there are at least 1, 2, 3 of its checkers, and their number beyond 3 / 12
	planeOff     = planeLevels + 4 // constant: the share of its checkers that have been borne off
	planeRunning = planeOff + 1    // constant: its pips / those at the beginning, at most 2
	perPlayer    = planeRunning + 1

	// For the player to move, on the cells of its points; they tell where a checker from there goes with this half's die:
	planeOwn    = 2 * perPlayer   // own checkers there: 1, and more than 1
	planeHit    = planeOwn + 2    // a single checker of the other
	planeOpen   = planeHit + 1    // on the board, and not blocked
	planeLegal  = planeOpen + 1   // the action is legal
	planeDie    = planeLegal + 1  // constant on each half: the number of its die, 1 to 6
	planeLeft   = planeDie + 6    // constant: moves left / 4
	planeDouble = planeLeft + 1   // constant: doubles
	planes      = planeDouble + 1 // 27
)

// Observation writes 27 planes of 8 rows and 7 columns; see the package. Before a roll there are no
// dice, and whoever rolls them is to move; once the game is over nobody is.
func (s *State) Observation(dst []float32) {
	dst = dst[:planes*actions]
	clear(dst)
	fill := func(plane, from, to int, v float32) {
		for i := plane*actions + from; i < plane*actions+to; i++ {
			dst[i] = v
		}
	}
	for p := range s.sides {
		x := &s.sides[p]
		first := p * perPlayer
		for m := x.one; m != 0; m &= m - 1 {
			point := bits.TrailingZeros32(m)
			i, n := int(cells[p][point]), x.n[point]
			set := func(plane int, v float32) {
				dst[(first+plane)*actions+i], dst[(first+plane)*actions+half+i] = v, v
			}
			set(planeLevels, 1)
			if n > 1 {
				set(planeLevels+1, 1)
			}
			if n > 2 {
				set(planeLevels+2, 1)
			}
			if n > 3 {
				set(planeLevels+3, float32(n-3)/12)
			}
		}
		fill(first+planeOff, 0, actions, float32(x.n[0])/float32(s.g.checkers))
		fill(first+planeRunning, 0, actions, min(2, float32(x.pips())/float32(s.g.start.pips())))
	}
	if s.over {
		return
	}
	fill(int(s.mover)*perPlayer+planeMover, 0, actions, 1)
	if s.large == 0 {
		return
	}
	own, other := &s.sides[s.mover], &s.sides[1-s.mover]
	dice := [2]int8{s.large, s.small}
	for k, die := range dice {
		d := int(die)
		for m := own.one; m != 0; m &= m - 1 {
			point := bits.TrailingZeros32(m)
			i, to := int(cells[s.mover][point])+k*half, point-d
			if to <= 0 {
				continue
			}
			if own.n[to] == 1 {
				dst[planeOwn*actions+i] = 1
			}
			if own.n[to] > 1 {
				dst[(planeOwn+1)*actions+i] = 1
			}
			if other.n[bar-to] == 1 {
				dst[planeHit*actions+i] = 1
			}
			if other.n[bar-to] < 2 {
				dst[planeOpen*actions+i] = 1
			}
		}
		fill(planeDie+d-1, k*half, (k+1)*half, 1)
	}
	if s.left > 0 {
		large, small := s.legal()
		for k, set := range [2]uint32{large, small} {
			for m := set; m != 0; m &= m - 1 {
				dst[planeLegal*actions+int(cells[s.mover][bits.TrailingZeros32(m)])+k*half] = 1
			}
		}
	}
	fill(planeLeft, 0, actions, float32(s.left)/4)
	if s.large == s.small {
		fill(planeDouble, 0, actions, 1)
	}
}

// pips returns the points that the checkers have to go.
func (x *side) pips() (n int) {
	for m := x.one; m != 0; m &= m - 1 {
		p := bits.TrailingZeros32(m)
		n += p * int(x.n[p])
	}
	return n
}
