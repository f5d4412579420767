package goban

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/splitmix"
)

// large is a position on a board of more than 64 points, with several words per
// colour. Groups are followed point by point, only until a liberty is found.
type large struct {
	common
	stones [maxPlayers]plane
	empty  plane

	// Scratch space: the last group followed, as a list and as a set, and the stones that
	// the last placement tried would capture.
	group [maxPoints]int16
	seen  plane
	dead  []int16
}

func newLarge(g *goGame) *large {
	s := &large{common: newCommon(g), dead: make([]int16, 0, g.points)}
	for p := range g.points {
		s.empty.set(int16(p))
	}
	return s
}

func (s *large) CopyFrom(src game.State) {
	o := src.(*large)
	s.copyFrom(&o.common)
	s.stones, s.empty = o.stones, o.empty
}

// DecisionsLeft implements game.Paced.
func (s *large) DecisionsLeft(game.Player) (expected, most float64) {
	return s.decisionsLeft(s.empty.count())
}

// follow collects in group and seen the group of color that p belongs to, until it
// finds an empty point other than except: then the group is alive, and the collection
// incomplete. p itself may still be empty.
func (s *large) follow(p int16, color int, except int16) (size int, alive bool) {
	own := &s.stones[color]
	s.seen = plane{}
	s.seen.set(p)
	s.group[0] = p
	size = 1
	for i := 0; i < size; i++ {
		for _, q := range s.orthogonal[s.group[i]] {
			switch {
			case s.empty.has(q):
				if q != except {
					return size, true
				}
			case own.has(q) && !s.seen.has(q):
				s.seen.set(q)
				s.group[size] = q
				size++
			}
		}
	}
	return size, false
}

// at returns the colour of the stone on point p, or -1.
func (s *large) at(p int) int {
	for c := range s.stones {
		if s.stones[c].has(int16(p)) {
			return c
		}
	}
	return -1
}

// capture sets dead to the stones that a placement of color c on the empty point p
// captures.
func (s *large) capture(p int16, c int) {
	s.dead = s.dead[:0]
	for _, q := range s.orthogonal[p] {
		if q == offBoard || s.empty.has(q) {
			continue
		}
		o := s.at(int(q))
		if o == c || s.isDead(q) {
			continue
		}
		if size, alive := s.follow(q, o, p); !alive {
			s.dead = append(s.dead, s.group[:size]...)
		}
	}
}

// isDead reports whether stone q is in dead.
func (s *large) isDead(q int16) bool {
	for _, d := range s.dead {
		if d == q {
			return true
		}
	}
	return false
}

// keyAfter returns the key of the stones after color c has been placed on p and dead
// removed.
func (s *large) keyAfter(p int16, c int) uint64 {
	key := s.key + s.stone[c][p]
	for _, d := range s.dead {
		key -= s.stone[s.at(int(d))][d]
	}
	return key
}

// try reports whether the colour to move may place a stone on the empty point p, and
// sets dead to the stones that this would capture.
func (s *large) try(p int16) (key uint64, legal bool) {
	c := s.color
	s.capture(p, c)
	if len(s.dead) == 0 {
		if _, alive := s.follow(p, c, p); !alive {
			return 0, false
		}
	}
	key = s.keyAfter(p, c)
	return key, !s.repeats(key)
}

// place puts a stone on p; dead and key must be set for it.
func (s *large) place(p int16, key uint64) {
	s.stones[s.color].set(p)
	s.empty.clear(p)
	for _, d := range s.dead {
		s.stones[s.at(int(d))].clear(d)
		s.empty.set(d)
	}
	s.placed(key)
}

// Apply places a stone or passes.
func (s *large) Apply(a game.Action) {
	if a == s.pass() && !s.over() {
		s.passed()
		return
	}
	if uint(a) >= uint(s.points) || !s.empty.has(int16(a)) || s.over() {
		panic(fmt.Sprintf("goban: action %d is illegal", a))
	}
	p, c := int16(a), s.color
	s.capture(p, c)
	s.place(p, s.keyAfter(p, c))
}

// isEye reports whether the empty point p is an eye of the colour to move.
func (s *large) isEye(p int16) bool {
	own := &s.stones[s.color]
	neighbours := s.orthogonal[p]
	for _, q := range neighbours {
		if q != offBoard && !own.has(q) {
			return false
		}
	}
	switch {
	case s.diagonalEye:
		others := 0
		for _, q := range s.diagonal[p] {
			if q != offBoard && !s.empty.has(q) && !own.has(q) {
				others++
			}
		}
		inner := neighbours[3] != offBoard
		return others == 0 || inner && others == 1
	case s.chainEye:
		s.collect(neighbours[0], own)
		for _, q := range neighbours {
			if q != offBoard && !s.seen.has(q) {
				return false
			}
		}
	}
	return true
}

// collect sets seen to all points of area that are connected with p, a point of area,
// and group to their list.
func (s *large) collect(p int16, area *plane) (size int) {
	s.seen = plane{}
	s.seen.set(p)
	s.group[0] = p
	size = 1
	for i := 0; i < size; i++ {
		for _, q := range s.orthogonal[s.group[i]] {
			if area.has(q) && !s.seen.has(q) {
				s.seen.set(q)
				s.group[size] = q
				size++
			}
		}
	}
	return size
}

// LegalActions appends the legal placements, then the pass if it is legal.
func (s *large) LegalActions(dst []game.Action) []game.Action {
	begin := len(dst)
	useful := false // whether a placement that fills no own eye has been found
	for i, word := range s.empty {
		for ; word != 0; word &= word - 1 {
			p := int16(i<<6 + bits.TrailingZeros64(word))
			if _, legal := s.try(p); legal {
				dst = append(dst, game.Action(p))
				useful = useful || !s.forced || !s.isEye(p)
			}
		}
	}
	switch {
	case !s.forced:
		dst = append(dst, s.pass())
	case !useful:
		dst = append(dst[:begin], s.pass())
	}
	return dst
}

// Observation writes the stones of each colour, then ones in the plane of the colour
// to move.
func (s *large) Observation(dst []float32) {
	n := s.points
	dst = dst[:2*s.Rules.Players*n]
	clear(dst)
	for c := range s.Rules.Players {
		for i, word := range s.stones[c] {
			for ; word != 0; word &= word - 1 {
				dst[c*n+i<<6+bits.TrailingZeros64(word)] = 1
			}
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
func (s *large) area() (points [maxPlayers]int) {
	for c := range s.stones {
		points[c] = s.stones[c].count()
	}
	rest := s.empty
	for p := rest.first(); p >= 0; p = rest.first() {
		size := s.collect(p, &s.empty)
		owner := -1
		for _, p := range s.group[:size] {
			rest.clear(p)
			for _, q := range s.orthogonal[p] {
				if q == offBoard || s.empty.has(q) {
					continue
				}
				switch c := s.at(int(q)); owner {
				case -1:
					owner = c
				case c:
				default:
					owner = shared
				}
			}
		}
		if owner >= 0 {
			points[owner] += size
		}
	}
	return points
}

// shared is the owner of a region that touches several colours.
const shared = -2

// Playout is that of the small board.
func (s *large) Playout(rng *rand.Rand) {
	random := splitmix.Source(rng.Uint64())
plies:
	for !s.over() {
		choice := s.empty
		for n := choice.count(); n > 0; n-- {
			p := choice.pick(n, random.Next())
			choice.clear(p)
			if s.isEye(p) {
				continue
			}
			if key, legal := s.try(p); legal {
				s.place(p, key)
				continue plies
			}
		}
		s.passed()
	}
}
