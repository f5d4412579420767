package goban

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// small is a position on a board of up to 64 points, with one word per colour.
//
// Its methods share two masks, computed from the empty points by shifts: touched, the
// points with an empty neighbour, and twice, those with at least two. A stone next to
// point p keeps a liberty when p is filled if it is in twice; other stones if they are
// in touched. So most placements can be seen to capture nothing without following any
// group.
type small struct {
	common
	stones [maxPlayers]uint64
	counts uint64 // bit n is set if a position with n > 0 stones has occurred
}

func newSmall(g *goGame) *small {
	return &small{common: newCommon(g)}
}

func (s *small) CopyFrom(src game.State) {
	o := src.(*small)
	s.copyFrom(&o.common)
	s.stones, s.counts = o.stones, o.counts
}

// occupied returns all stones.
func (s *small) occupied() uint64 {
	return s.stones[0] | s.stones[1] | s.stones[2] | s.stones[3]
}

// DecisionsLeft implements game.Paced.
func (s *small) DecisionsLeft(game.Player) (expected, most float64) {
	return s.decisionsLeft(s.points - bits.OnesCount64(s.occupied()))
}

// captured returns the stones of other colours that a placement captures. suspects are
// the stones next to it that have no other empty neighbour; open are the points with
// an empty neighbour once the placement has been made.
func captured(g *geometry, stones *[maxPlayers]uint64, suspects, open uint64) (dead uint64) {
	for suspects != 0 {
		chain := suspects & -suspects
		area := stones[0]
		for _, c := range stones[1:] {
			if c&chain != 0 {
				area = c
			}
		}
		for {
			next := chain | g.dilate(chain)&area
			if next&open != 0 {
				break
			}
			if next == chain {
				dead |= chain
				break
			}
			chain = next
		}
		suspects &^= chain
	}
	return dead
}

// hasLiberty reports whether the group of stone p, part of own, touches open.
func hasLiberty(g *geometry, p, own, open uint64) bool {
	for {
		next := p | g.dilate(p)&own
		if next&open != 0 {
			return true
		}
		if next == p {
			return false
		}
		p = next
	}
}

// keyAfter returns the key of the stones after colour c has been placed on p and dead
// removed.
func (s *small) keyAfter(c, p int, dead uint64) uint64 {
	key := s.key + s.stone[c&3][p&63]
	if dead != 0 {
		for o, stones := range s.stones {
			for rest := stones & dead; rest != 0; rest &= rest - 1 {
				key -= s.stone[o][bits.TrailingZeros64(rest)&63]
			}
		}
	}
	return key
}

// place puts a stone of colour c on p and removes dead.
func (s *small) place(c, p int, dead, key uint64) {
	for o := range s.stones {
		s.stones[o] &^= dead
	}
	s.stones[c&3] |= 1 << (p & 63)
	s.counts |= 1 << bits.OnesCount64(s.occupied())
	s.placed(key)
}

// Apply places a stone or passes.
func (s *small) Apply(a game.Action) {
	g := s.goGame
	if a == g.pass() && !s.over() {
		s.passed()
		return
	}
	occupied := s.occupied()
	if uint(a) >= uint(g.points) || occupied>>a&1 != 0 || s.over() {
		panic(fmt.Sprintf("goban: action %d is illegal", a))
	}
	c := s.color
	var dead uint64
	touched, twice := g.touch(g.full &^ occupied)
	neighbours := g.near[a]
	if suspects := neighbours & occupied &^ s.stones[c&3] &^ twice; suspects != 0 {
		dead = captured(&g.geometry, &s.stones, suspects, touched&^(neighbours&^twice))
	}
	s.place(c, int(a), dead, s.keyAfter(c, int(a), dead))
}

// placements returns the mask of legal placements.
func (s *small) placements() uint64 {
	g := s.goGame
	c := s.color
	occupied := s.occupied()
	own := s.stones[c&3]
	empty, others := g.full&^occupied, occupied&^own
	touched, twice := g.touch(empty)

	// If no neighbour is a stone of another colour that may lose its last liberty, nothing
	// is captured; if an empty point or an own stone with another liberty is adjacent, the
	// group lives.
	plain := empty & (touched | g.dilate(own&twice)) &^ g.dilate(others&^twice)
	var capturing uint64
	for rest := empty &^ plain; rest != 0; rest &= rest - 1 {
		p := bits.TrailingZeros64(rest) & 63
		bit, neighbours := uint64(1)<<p, g.near[p]
		open := touched &^ (neighbours &^ twice)
		var dead uint64
		if suspects := neighbours & others &^ twice; suspects != 0 {
			dead = captured(&g.geometry, &s.stones, suspects, open)
		}
		if dead != 0 {
			if !s.repeats(s.keyAfter(c, p, dead)) {
				capturing |= bit
			}
		} else if touched&bit != 0 || hasLiberty(&g.geometry, bit, own|bit, open) {
			plain |= bit
		}
	}

	// A placement that captures nothing adds one stone, so it can only repeat a position
	// with that number of stones.
	if s.counts>>(bits.OnesCount64(occupied)+1)&1 != 0 {
		for rest := plain; rest != 0; rest &= rest - 1 {
			if s.repeats(s.keyAfter(c, bits.TrailingZeros64(rest), 0)) {
				plain &^= rest & -rest
			}
		}
	}
	return plain | capturing
}

// eyes returns the empty points that are eyes of the colour whose stones are own.
func (g *goGame) eyes(own, others, empty uint64) uint64 {
	eyes := empty &^ g.dilate(g.full&^own)
	switch {
	case eyes == 0:
	case g.diagonalEye:
		one, two := g.corners(others)
		eyes &^= two | one&^g.inner
	case g.chainEye:
		for rest := eyes; rest != 0; rest &= rest - 1 {
			p := bits.TrailingZeros64(rest) & 63
			if neighbours := g.near[p]; neighbours&^g.flood(neighbours&-neighbours, own) != 0 {
				eyes &^= 1 << p
			}
		}
	}
	return eyes
}

// LegalActions appends the legal placements, then the pass if it is legal.
func (s *small) LegalActions(dst []game.Action) []game.Action {
	g := s.goGame
	legal := s.placements()
	if g.forced {
		occupied := s.occupied()
		own := s.stones[s.color&3]
		if legal&^g.eyes(own, occupied&^own, g.full&^occupied) == 0 {
			return append(dst, g.pass())
		}
	}
	for rest := legal; rest != 0; rest &= rest - 1 {
		dst = append(dst, game.Action(bits.TrailingZeros64(rest)))
	}
	if !g.forced {
		dst = append(dst, g.pass())
	}
	return dst
}

// Observation writes the stones of each colour, then ones in the plane of the colour
// to move.
func (s *small) Observation(dst []float32) {
	n := s.points
	dst = dst[:2*s.Rules.Players*n]
	clear(dst)
	for c, stones := range s.stones[:s.Rules.Players] {
		plane := dst[c*n : (c+1)*n]
		for ; stones != 0; stones &= stones - 1 {
			plane[bits.TrailingZeros64(stones)] = 1
		}
	}
	if s.over() {
		return
	}
	turn := (s.Rules.Players + s.color) * n
	for i := range dst[turn : turn+n] {
		dst[turn+i] = 1
	}
}

// area counts each colour's stones plus the empty points that only it reaches.
func (s *small) area() (points [maxPlayers]int) {
	g := s.goGame
	empty := g.full &^ s.occupied()
	var reach [maxPlayers]uint64
	var one, two uint64 // reached by at least one colour, by at least two
	for c, stones := range s.stones {
		reach[c] = g.flood(g.dilate(stones)&empty, empty)
		two |= one & reach[c]
		one |= reach[c]
	}
	for c, stones := range s.stones {
		points[c] = bits.OnesCount64(stones | reach[c]&^two)
	}
	return points
}

// at returns the colour of the stone on point p, or -1.
func (s *small) at(p int) int {
	for c, stones := range s.stones {
		if stones>>p&1 != 0 {
			return c
		}
	}
	return -1
}

// Playout plays the game to its end: each colour places a stone on a point chosen
// uniformly among the legal ones that are not own eyes, and passes if there are none.
// It draws one number from rng to seed its own generator.
//
// A point is drawn among all empty points except eyes, and drawn again among the rest
// if it is illegal. The result is uniform over the legal ones, and few points are
// checked for legality.
func (s *small) Playout(rng *rand.Rand) {
	g := s.goGame
	source := random.Source(rng.Uint64())
plies:
	for !s.over() {
		c := s.color
		occupied := s.occupied()
		own := s.stones[c&3]
		empty, others := g.full&^occupied, occupied&^own
		touched, twice := g.touch(empty)
		for choice := empty &^ g.eyes(own, others, empty); choice != 0; {
			p := pick(choice, source.Next()) & 63
			bit, neighbours := uint64(1)<<p, g.near[p]
			choice &^= bit
			open := touched &^ (neighbours &^ twice)
			var dead uint64
			if suspects := neighbours & others &^ twice; suspects != 0 {
				dead = captured(&g.geometry, &s.stones, suspects, open)
			}
			if dead == 0 && touched&bit == 0 && !hasLiberty(&g.geometry, bit, own|bit, open) {
				continue
			}
			key := s.keyAfter(c, p, dead)
			if s.repeats(key) {
				continue
			}
			s.place(c, p, dead, key)
			continue plies
		}
		s.passed()
	}
}
