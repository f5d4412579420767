package backgammon

import (
	"math/bits"
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// State is a position.
type State struct {
	g     *Game
	sides [players]side
	turns int32 // completed
	mover int8  // whose turn it is, or who has won
	over  bool
	// opening: the first roll is to come.
	opening bool

	// The roll; large is 0 before it. After it:
	large, small int8
	left         int8 // moves to make; 0: the player can't move
	// last is the point of the last move of the turn, 0 if there is none. With doubles no higher
	// point follows.
	last  int8
	early bool // with different dice, the smaller one was used first
	hit   bool // with different dice, the last move hit
}

// CurrentPlayer is Chance before each roll.
func (s *State) CurrentPlayer() game.Player {
	switch {
	case s.over:
		return game.Nobody
	case s.large == 0:
		return game.Chance
	}
	return game.Player(s.mover)
}

// Turn implements game.Turned.
func (s *State) Turn() int { return int(s.turns) }

// Outcomes appends the 21 rolls, or for the first turn the 15 without doubles.
func (s *State) Outcomes(dst []game.Outcome) []game.Outcome {
	for i, d := range rolls {
		p := 2. / (sides * sides)
		if s.opening {
			p = 2. / (sides * (sides - 1))
		}
		if d[0] == d[1] {
			if s.opening {
				continue
			}
			p /= 2
		}
		dst = append(dst, game.Outcome{Action: firstRoll + game.Action(i), Probability: p})
	}
	return dst
}

// Sample rolls the dice.
func (s *State) Sample(rng *rand.Rand) game.Action {
	if s.opening {
		a, b := rng.IntN(sides), rng.IntN(sides-1)
		if b >= a {
			b++
		}
		return Roll(a+1, b+1)
	}
	k := rng.IntN(sides * sides)
	return Roll(k/sides+1, k%sides+1)
}

// cell returns the action of a point of player p with the larger die, or with the smaller one.
func cell(p int8, point int, smaller bool) game.Action {
	a := cells[p][point]
	if smaller {
		a += half
	}
	return a
}

// cells are the actions of the players' points 1 to 24 and the bar, with the larger die.
var cells = func() (list [players][bar + 1]game.Action) {
	for point := 1; point <= points; point++ {
		for p, white := range [players]int{point - 1, points - point} {
			list[p][point] = game.Action(white/home*columns + white%home)
		}
	}
	list[0][bar] = (quarters-1)*columns + home
	list[1][bar] = home
	return list
}()

// pointOf are the points of the actions of each player with the larger die, 0 for those that are
// none.
var pointOf = func() (list [players][half]int8) {
	for p := range list {
		for point := 1; point <= bar; point++ {
			list[p][cells[p][point]] = int8(point)
		}
	}
	return list
}()

// decode returns the point and the die of an action of the current player.
func (s *State) decode(a game.Action) (point, die int, smaller bool) {
	die = int(s.large)
	if a >= half {
		a -= half
		die, smaller = int(s.small), true
	}
	return int(pointOf[s.mover][a]), die, smaller
}

// LegalActions appends the moves of one checker by which a turn can go on, or Pass.
func (s *State) LegalActions(dst []game.Action) []game.Action {
	if s.left == 0 {
		return append(dst, Pass)
	}
	large, small := s.legal()
	dst = s.list(dst, large, false)
	return s.list(dst, small, true)
}

// list appends the actions of a set of points in ascending order.
func (s *State) list(dst []game.Action, set uint32, smaller bool) []game.Action {
	for set != 0 {
		p := bits.TrailingZeros32(set)
		if s.mover == 1 { // whose points fall as the cells rise
			p = bits.Len32(set) - 1
		}
		set &^= 1 << p
		dst = append(dst, cell(s.mover, p, smaller))
	}
	return dst
}

// legal returns the points from which a checker can be moved by the larger die, and by the smaller
// one. s.left is not 0.
func (s *State) legal() (large, small uint32) {
	own := s.sides[s.mover] // a copy
	blocked := s.sides[1-s.mover].blocked()
	a, b := int(s.large), int(s.small)
	switch {
	case a == b:
		from := ^uint32(0)
		if s.last != 0 {
			from = 1<<(s.last+1) - 1
		}
		for m := own.movable(blocked, a) & from; m != 0; {
			p := bits.Len32(m) - 1
			m &^= 1 << p
			ok := s.left == 1
			if !ok {
				own.move(p, a)
				rest := int(s.left) - 1
				ok = own.most(blocked, a, rest, 1<<(p+1)-1) == rest
				own.unmove(p, a)
			}
			if ok {
				large |= 1 << p
			}
		}
	case s.last != 0 && s.early:
		return s.news(&own, blocked, int(s.last), s.hit), 0
	case s.last != 0:
		return 0, s.after(&own, blocked, int(s.last), s.hit)
	case s.left == 1:
		if large = own.movable(blocked, a); large == 0 {
			small = own.movable(blocked, b)
		}
	default:
		large, small = own.movable(blocked, a), own.movable(blocked, b)
		for m := large; m != 0; m &= m - 1 {
			p := bits.TrailingZeros32(m)
			own.move(p, a)
			if s.after(&own, blocked, p, s.hits(p-a)) == 0 {
				large &^= 1 << p
			}
			own.unmove(p, a)
		}
		for m := small; m != 0; m &= m - 1 {
			p := bits.TrailingZeros32(m)
			own.move(p, b)
			if s.news(&own, blocked, p, s.hits(p-b)) == 0 {
				small &^= 1 << p
			}
			own.unmove(p, b)
		}
	}
	return large, small
}

// hits reports whether a checker that lands on a point hits.
func (s *State) hits(to int) bool { return to > 0 && s.sides[1-s.mover].n[bar-to] == 1 }

// after returns the points from which a checker can be moved by the smaller die after one has been
// moved from first by the larger one: 13/7 7/2 is the same turn as 13/8 8/2 with two checkers,
// which is left. own is the side after the first move, which hit or not; after leaves it unchanged.
func (s *State) after(own *side, blocked uint32, first int, hit bool) uint32 {
	a, b := int(s.large), int(s.small)
	set := own.movable(blocked, b)
	if p := first - a; p > 0 && !hit && set>>p&1 != 0 && own.n[first-b] > 0 {
		own.unmove(first, a)
		if own.follows(blocked, first-b, a, first, b) {
			set &^= 1 << p
		}
		own.move(first, a)
	}
	return set
}

// news returns the points from which a checker can be moved by the larger die after one has been
// moved from first by the smaller one, without those by which the turn leads to a position that it
// also leads to with the larger die first. own is the side after the first move, which hit or not;
// news leaves it unchanged.
func (s *State) news(own *side, blocked uint32, first int, hit bool) uint32 {
	a, b := int(s.large), int(s.small)
	set := own.movable(blocked, a)
	if set == 0 {
		return 0
	}
	own.unmove(first, b)
	if own.one&(1<<bar) == 0 && first > b {
		// Two checkers that move in either order.
		set &^= own.movable(blocked, a) & (onBoard << a)
	}
	for m := set; m != 0; m &= m - 1 {
		p := bits.TrailingZeros32(m)
		if own.follows(blocked, p, a, first, b) ||
			first-b == p && !hit && first > a && !s.hits(first-a) &&
				own.follows(blocked, first, a, first-a, b) ||
			first <= b && p <= a && first <= a && p <= b && own.follows(blocked, first, a, p, b) {
			set &^= 1 << p
		}
	}
	own.move(first, b)
	return set
}

// follows reports whether a checker can be moved from p by d, and then one from q by e.
func (x *side) follows(blocked uint32, p, d, q, e int) bool {
	if x.movable(blocked, d)&(1<<p) == 0 {
		return false
	}
	x.move(p, d)
	can := x.movable(blocked, e)&(1<<q) != 0
	x.unmove(p, d)
	return can
}

// Apply rolls the dice, moves a checker, or passes.
func (s *State) Apply(a game.Action) {
	if s.large == 0 {
		d := rolls[a-firstRoll]
		s.large, s.small = d[0], d[1]
		s.opening = false
		s.left = int8(s.sides[s.mover].moves(s.sides[1-s.mover].blocked(), int(d[0]), int(d[1])))
		return
	}
	if a == Pass {
		s.end()
		return
	}
	point, die, smaller := s.decode(a)
	hit := s.play(point, die)
	if s.left--; s.left == 0 {
		s.end()
		return
	}
	s.last = int8(point)
	if s.large != s.small {
		s.early, s.hit = smaller, hit
	}
}

// play moves a checker of the player whose turn it is, and reports whether it hits.
func (s *State) play(point, die int) (hit bool) {
	s.sides[s.mover].move(point, die)
	if to := point - die; to > 0 {
		if other := &s.sides[1-s.mover]; other.n[bar-to] == 1 {
			other.take(bar - to)
			other.put(bar)
			hit = true
		}
	}
	return hit
}

// end ends the turn.
func (s *State) end() {
	s.turns++
	s.large, s.small, s.left, s.last = 0, 0, 0, 0
	s.early, s.hit = false, false
	if int(s.sides[s.mover].n[0]) == s.g.checkers {
		s.over = true
		return
	}
	s.mover = 1 - s.mover
}

// CopyFrom copies a state of the same game.
func (s *State) CopyFrom(src game.State) { *s = *src.(*State) }

// stake is what the player who has won wins from the other: 1, 2 or 3 points.
func (x *side) stake() int {
	switch {
	case x.n[0] > 0:
		return 1
	case x.one>>(points-home+1) == 0: // none on 19 to 24 and the bar
		return 2
	}
	return mostPoints
}

// won is what player p has won, negative if it has lost, and 0 before the end.
func (s *State) won(p int) int {
	if !s.over {
		return 0
	}
	x := s.sides[1-s.mover].stake()
	if p != int(s.mover) {
		return -x
	}
	return x
}

// Returns writes (points + 3) ÷ 6.
func (s *State) Returns(dst []float32) {
	for p := range players {
		dst[p] = utility(s.won(p))
	}
}

// Scores writes the points won.
func (s *State) Scores(dst []float32) {
	for p := range players {
		dst[p] = float32(s.won(p))
	}
}

// Hash mixes the checkers of both players, four bits a point, and what is left of the turn.
func (s *State) Hash() uint64 {
	flag := func(b bool, bit int) uint64 {
		if b {
			return 1 << bit
		}
		return 0
	}
	h := uint64(uint8(s.mover)) | uint64(s.large)<<8 | uint64(s.small)<<12 | uint64(s.left)<<16 |
		uint64(s.last)<<20 |
		flag(s.over, 28) | flag(s.opening, 29) | flag(s.early, 30) | flag(s.hit, 31)
	h = random.Step(h)
	for p := range s.sides {
		x := &s.sides[p]
		var low, high uint64
		for i := 1; i <= 16; i++ {
			low = low<<4 | uint64(x.n[i])
		}
		for i := 17; i <= bar; i++ {
			high = high<<4 | uint64(x.n[i])
		}
		h = random.Step(h ^ low)
		h = random.Step(h ^ high)
	}
	return h
}
