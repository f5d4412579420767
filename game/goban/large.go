package goban

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// large is a position on a board of more than 64 points. Stones of one colour that are connected
// form a chain, which knows how many pairs of one of its stones and an empty point beside it there
// are (open): it has a liberty while there is one. A placement changes the chains beside it only,
// so its cost does not grow with the board (Lew, "Library of effective Go routines", 2005, calls
// open pseudo-liberties).
type large struct {
	common
	empty  plane
	vacant int // points of empty

	// By point: the colour of its stone (none, off), the point that names its chain, and the next
	// stone of the chain, in a circle. There is room for every index &mask.
	on         [mask + 1]int8
	head, next [mask + 1]int16
	chains     [mask + 1]chain // by the name of a chain

	// Scratch space: a region as a list and as a set, and the stones that the last placement tried
	// would capture.
	group [maxPoints]int16
	seen  plane
	dead  []int16
}

// chain is what is known of a chain.
type chain struct {
	open int16 // pairs of a stone and an empty point beside it
	size int16 // stones
}

const (
	mask = 511 // of the index of a point

	none int8 = -1 // the colour of an empty point
	off  int8 = -2 // the colour of offBoard
)

func newLarge(g *goGame) *large {
	s := &large{common: newCommon(g), dead: make([]int16, 0, g.points), vacant: g.points}
	for p := range s.on {
		s.on[p] = off
	}
	for p := range g.points {
		s.empty.set(int16(p))
		s.on[p] = none
	}
	return s
}

func (s *large) CopyFrom(src game.State) {
	o := src.(*large)
	s.copyFrom(&o.common)
	s.empty, s.vacant = o.empty, o.vacant
	n := uint(s.points) & mask
	copy(s.on[:n], o.on[:n])
	copy(s.head[:n], o.head[:n])
	copy(s.next[:n], o.next[:n])
	copy(s.chains[:n], o.chains[:n])
}

// DecisionsLeft implements game.Paced.
func (s *large) DecisionsLeft(game.Player) (expected, most float64) {
	return s.decisionsLeft(s.vacant)
}

// at returns the colour of the stone on point p, or -1.
func (s *large) at(p int) int { return int(s.on[p]) }

// chainOf returns the chain of the stone on q.
func (s *large) chainOf(q int16) *chain { return &s.chains[s.head[q&mask]&mask] }

// try reports whether the colour to move may place a stone on the empty point p, and sets dead to
// the stones that this would capture.
func (s *large) try(p int16) (key uint64, legal bool) {
	if !s.capture(p) {
		return 0, false
	}
	key = s.keyAfter(p)
	return key, !s.repeats(key)
}

// capture sets dead to the stones that a placement of the colour to move on the empty point p
// captures, and reports whether it would have a liberty then.
func (s *large) capture(p int16) (alive bool) {
	s.dead = s.dead[:0]
	neighbours, c := &s.orthogonal[p], int8(s.color)
	// Up to four pairs of a chain are with p: with more it has a liberty elsewhere.
	near := false
	for _, q := range neighbours {
		switch o := s.on[q&mask]; {
		case o == none:
			alive = true
		case o == off:
		case s.chainOf(q).open > 4:
			alive = alive || o == c
		default:
			near = true
		}
	}
	if !near {
		return alive
	}
	for i, q := range neighbours {
		o := s.on[q&mask]
		if o < 0 {
			continue
		}
		h, shared, before := s.head[q&mask], int16(0), false
		for k, r := range neighbours {
			if s.on[r&mask] >= 0 && s.head[r&mask] == h {
				shared++
				before = before || k < i
			}
		}
		switch more := s.chains[h&mask].open > shared; {
		case o == c:
			alive = alive || more
		case !more && !before:
			alive = true
			s.dead = append(s.dead, q)
			for r := s.next[q&mask]; r != q; r = s.next[r&mask] {
				s.dead = append(s.dead, r)
			}
		}
	}
	return alive
}

// keyAfter returns the key of the stones after the colour to move has been placed on p and dead
// removed.
func (s *large) keyAfter(p int16) uint64 {
	key := s.key + s.stone[s.color&3][p]
	for _, d := range s.dead {
		key -= s.stone[s.on[d&mask]&3][d]
	}
	return key
}

// place puts a stone on p; dead and key must be set for it.
func (s *large) place(p int16, key uint64) {
	s.remove(s.dead)
	s.add(p, int8(s.color))
	s.placed(key)
}

// remove takes whole chains from the board.
func (s *large) remove(dead []int16) {
	for _, d := range dead {
		s.on[d&mask] = none
		s.empty.set(d)
	}
	s.vacant += len(dead)
	for _, d := range dead {
		for _, q := range &s.orthogonal[d] {
			if s.on[q&mask] >= 0 {
				s.chainOf(q).open++
			}
		}
	}
}

// add puts a stone of colour c on p, a chain that is joined with those of its colour beside it.
func (s *large) add(p int16, c int8) {
	s.empty.clear(p)
	s.vacant--
	s.on[p&mask], s.head[p&mask], s.next[p&mask] = c, p, p
	neighbours, open := &s.orthogonal[p], int16(0)
	for _, q := range neighbours {
		switch o := s.on[q&mask]; {
		case o == none:
			open++
		case o >= 0:
			s.chainOf(q).open--
		}
	}
	s.chains[p&mask] = chain{open: open, size: 1}
	for _, q := range neighbours {
		if s.on[q&mask] == c {
			s.join(s.head[p&mask], s.head[q&mask])
		}
	}
}

// join makes one chain of two, if they are two. The stones of the smaller get the name of the
// other.
func (s *large) join(a, b int16) {
	if a == b {
		return
	}
	if s.chains[a&mask].size < s.chains[b&mask].size {
		a, b = b, a
	}
	s.chains[a&mask].open += s.chains[b&mask].open
	s.chains[a&mask].size += s.chains[b&mask].size
	for q := b; ; {
		s.head[q&mask] = a
		if q = s.next[q&mask]; q == b {
			break
		}
	}
	s.next[a&mask], s.next[b&mask] = s.next[b&mask], s.next[a&mask]
}

// Apply places a stone or passes.
func (s *large) Apply(a game.Action) {
	if a == s.pass() && !s.over() {
		s.passed()
		return
	}
	if uint(a) >= uint(s.points) || s.on[a] != none || s.over() {
		panic(fmt.Sprintf("goban: action %d is illegal", a))
	}
	p := int16(a)
	s.capture(p)
	s.place(p, s.keyAfter(p))
}

// isEye reports whether the empty point p is an eye of the colour to move.
func (s *large) isEye(p int16) bool {
	own := int8(s.color)
	neighbours := &s.orthogonal[p]
	for _, q := range neighbours {
		if o := s.on[q&mask]; o != own && o != off {
			return false
		}
	}
	switch {
	case s.diagonalEye:
		others := 0
		for _, q := range &s.diagonal[p] {
			if o := s.on[q&mask]; o >= 0 && o != own {
				others++
			}
		}
		inner := neighbours[3] != offBoard
		return others == 0 || inner && others == 1
	case s.chainEye:
		for _, q := range neighbours {
			if q != offBoard && s.head[q&mask] != s.head[neighbours[0]&mask] {
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
		for _, q := range &s.orthogonal[s.group[i]] {
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
	for p, c := range s.on[:n] {
		if c >= 0 {
			dst[int(c)*n+p] = 1
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
	for _, c := range s.on[:s.points] {
		if c >= 0 {
			points[c]++
		}
	}
	rest := s.empty
	for p := rest.first(); p >= 0; p = rest.first() {
		size := s.collect(p, &s.empty)
		owner := s.ownerOf(size)
		for _, p := range s.group[:size] {
			rest.clear(p)
		}
		if owner >= 0 {
			points[owner] += size
		}
	}
	return points
}

// Playout is that of the small board.
func (s *large) Playout(rng *rand.Rand) {
	source := random.Source(rng.Uint64())
plies:
	for !s.over() {
		choice := s.empty
		for n := s.vacant; n > 0; n-- {
			p := choice.pick(n, source.Next())
			if !s.isEye(p) {
				if key, legal := s.try(p); legal {
					s.place(p, key)
					continue plies
				}
			}
			choice.clear(p)
		}
		s.passed()
	}
}
