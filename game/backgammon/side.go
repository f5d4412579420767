package backgammon

import "math/bits"

// side is where the checkers of a player are, by its own count of the points.
type side struct {
	n   [bar + 1]int8 // on the points 1 to 24 and on the bar; n[0] have been borne off
	one uint32        // bit p: there is a checker on point p
	two uint32        // bit p: there are at least two
}

// newSide puts checkers on points.
func newSide(n map[int]int) (x side) {
	for p, k := range n {
		for range k {
			x.put(p)
		}
	}
	return x
}

// put puts a checker on a point, or bears it off.
func (x *side) put(p int) {
	x.n[p]++
	if p > 0 {
		x.two |= x.one & (1 << p)
		x.one |= 1 << p
	}
}

// take takes a checker from a point. It may not be borne off.
func (x *side) take(p int) {
	x.n[p]--
	switch x.n[p] {
	case 0:
		x.one &^= 1 << p
	case 1:
		x.two &^= 1 << p
	}
}

// move moves a checker by a number of points, off the board from points that are not higher.
func (x *side) move(p, by int) {
	x.take(p)
	x.put(max(0, p-by))
}

// unmove takes a move back.
func (x *side) unmove(p, by int) {
	to := max(0, p-by)
	if to == 0 {
		x.n[0]--
	} else {
		x.take(to)
	}
	x.put(p)
}

// onBoard has a bit for each point.
const onBoard = 1<<bar - 2

// blocked returns the points on which the other player can't land, by its own count: those with two
// checkers of x or more.
func (x *side) blocked() uint32 { return flip(x.two & onBoard) }

// flip turns points of one player's count into those of the other's.
func flip(set uint32) uint32 { return bits.Reverse32(set) >> (31 - bar) }

// movable returns the points from which a checker can be moved by d, if the other player blocks
// some.
func (x *side) movable(blocked uint32, d int) uint32 {
	if x.one&(1<<bar) != 0 {
		return (1 << bar) &^ (blocked << d)
	}
	from := x.one & ((onBoard &^ blocked) << d)
	if x.one < 1<<(home+1) && x.one != 0 { // all at home
		from |= x.one & (1 << d)
		if top := bits.Len32(x.one) - 1; top < d {
			from |= 1 << top
		}
	}
	return from
}

// most returns how many checkers can be moved by d one after the other, from falling points that
// are in from, at most k.
func (x *side) most(blocked uint32, d, k int, from uint32) int {
	best := 0
	for m := x.movable(blocked, d) & from; m != 0 && best < k; {
		p := bits.Len32(m) - 1
		m &^= 1 << p
		n := 1
		if k > 1 {
			x.move(p, d)
			n += x.most(blocked, d, k-1, 1<<(p+1)-1)
			x.unmove(p, d)
		}
		best = max(best, n)
	}
	return best
}

// both reports whether a checker can be moved by first and then one by second.
func (x *side) both(blocked uint32, first, second int) bool {
	for m := x.movable(blocked, first); m != 0; m &= m - 1 {
		p := bits.TrailingZeros32(m)
		x.move(p, first)
		can := x.movable(blocked, second) != 0
		x.unmove(p, first)
		if can {
			return true
		}
	}
	return false
}

// moves returns how many moves a player makes with a roll.
func (x *side) moves(blocked uint32, large, small int) int {
	switch {
	case large == small:
		return x.most(blocked, large, 4, ^uint32(0))
	case x.both(blocked, large, small) || x.both(blocked, small, large):
		return 2
	case x.movable(blocked, large)|x.movable(blocked, small) != 0:
		return 1
	}
	return 0
}
