package backgammon

import (
	"math/bits"

	"tengen/game"
)

// Planes of an observation, each of one cell. For each player, first White:
const (
	planeMover = 0 // whether it is to move
	// for each of its points from 1 to 24, and the bar: levels numbers
	planeCount   = planeMover + 1
	planeOff     = planeCount + bar*levels // the share of its checkers that have been borne off
	planeRunning = planeOff + 1            // its pips / those at the beginning, at most 2
	perPlayer    = planeRunning + 1

	// For the player to move:
	planeLarge  = 2 * perPlayer        // the larger die shows 1 to 6
	planeSmall  = planeLarge + sides   // the smaller die
	planeLeft   = planeSmall + sides   // moves left / 4
	planeDouble = planeLeft + 1        // the dice show a double
	planeLegal  = planeDouble + 1      // for each action: it is legal
	planes      = planeLegal + actions // 276

	// levels is how many numbers tell of a point: whether there are at least 1, 2, 3 checkers, and
	// their number beyond 3 / 12 (Tesauro 1995 has half of the number).
	levels = 4
)

// Observation writes 276 numbers, which are planes of one cell; see the package. Before a roll
// there are no dice, and whoever rolls them is to move; once the game is over nobody is.
func (s *State) Observation(dst []float32) {
	dst = dst[:planes]
	clear(dst)
	for p := range s.sides {
		x, own := &s.sides[p], dst[p*perPlayer:][:perPlayer]
		for m := x.one; m != 0; m &= m - 1 {
			point := bits.TrailingZeros32(m)
			n, at := x.n[point], planeCount+(point-1)*levels
			for k := range min(n, levels-1) {
				own[at+int(k)] = 1
			}
			own[at+levels-1] = float32(max(0, n-(levels-1))) / 12
		}
		own[planeOff] = float32(x.n[0]) / float32(s.g.checkers)
		own[planeRunning] = min(2, float32(x.pips())/float32(s.g.start.pips()))
	}
	if s.over {
		return
	}
	dst[int(s.mover)*perPlayer+planeMover] = 1
	if s.large == 0 {
		return
	}
	dst[planeLarge+int(s.large)-1], dst[planeSmall+int(s.small)-1] = 1, 1
	dst[planeLeft] = float32(s.left) / 4
	if s.large == s.small {
		dst[planeDouble] = 1
	}
	if s.left > 0 {
		large, small := s.legal()
		for k, set := range [2]uint32{large, small} {
			for m := set; m != 0; m &= m - 1 {
				dst[planeLegal+int(cells[s.mover][bits.TrailingZeros32(m)])+k*half] = 1
			}
		}
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

// Symmetries are the identity and the exchange of the players, which turns the board around.
func (g *Game) Symmetries() []game.Symmetry {
	return []game.Symmetry{symmetry(false), symmetry(true)}
}

func symmetry(exchange bool) game.Symmetry {
	t := game.Symmetry{
		Cells: []int{0}, Planes: make([]int, planes), Players: []game.Player{0, 1},
		Actions: make([]game.Action, actions),
	}
	for i := range t.Planes {
		t.Planes[i] = i
	}
	for i := range t.Actions {
		t.Actions[i] = game.Action(i)
	}
	if !exchange {
		return t
	}
	t.Players = []game.Player{1, 0}
	for i := range t.Actions {
		die, quarter, column := i/half, i%half/columns, i%columns
		if column < home {
			column = home - 1 - column
		}
		t.Actions[i] = game.Action(die*half + (quarters-1-quarter)*columns + column)
		t.Planes[planeLegal+i] = planeLegal + int(t.Actions[i])
	}
	for i := range perPlayer {
		t.Planes[i], t.Planes[perPlayer+i] = perPlayer+i, i
	}
	return t
}
