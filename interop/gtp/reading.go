package gtp

import (
	"tengen/game"
)

// reading is a board of two colours for playing positions out: without history but for a ko. Points
// are numbered row by row from the top, with a border of one point around them.
type reading struct {
	size, width int
	at          []int8  // colour, free or border
	free        []int16 // the empty points, in any order
	index       []int16 // of an empty point in free
	ko          int16   // may not be taken back at once; 0: none

	stamp uint32
	seen  []uint32 // by the flood of this stamp
	group []int16  // the stones that chain has found
}

const (
	empty  int8 = -1
	border int8 = 2
)

func newReading(size int) *reading {
	n := (size + 2) * (size + 2)
	return &reading{
		size: size, width: size + 2, at: make([]int8, n), free: make([]int16, 0, n),
		index: make([]int16, n), seen: make([]uint32, n),
	}
}

// point returns the number here of a point of the board.
func (r *reading) point(p int) int16 { return int16((p/r.size+1)*r.width + p%r.size + 1) }

// set sets a position up: a colour or game.Nobody for each point.
func (r *reading) set(stones []game.Player) {
	for i := range r.at {
		r.at[i] = border
	}
	r.free, r.ko = r.free[:0], 0
	for p, c := range stones {
		q := r.point(p)
		if r.at[q] = int8(c); c == game.Nobody {
			r.at[q] = empty
			r.vacate(q)
		}
	}
}

// vacate adds a point to the empty ones.
func (r *reading) vacate(p int16) {
	r.at[p] = empty
	r.index[p] = int16(len(r.free))
	r.free = append(r.free, p)
}

// fill takes a point from the empty ones.
func (r *reading) fill(p int16, c int8) {
	r.at[p] = c
	last := r.free[len(r.free)-1]
	i := r.index[p]
	r.free[i], r.index[last] = last, i
	r.free = r.free[:len(r.free)-1]
}

// near returns the orthogonal neighbours of a point, diagonal the others.
func (r *reading) near(p int16) [4]int16 {
	w := int16(r.width)
	return [4]int16{p - w, p - 1, p + 1, p + w}
}

func (r *reading) diagonal(p int16) [4]int16 {
	w := int16(r.width)
	return [4]int16{p - w - 1, p - w + 1, p + w - 1, p + w + 1}
}

// chain finds the stones of the chain at p, and counts its liberties up to a number, at which it
// stops.
func (r *reading) chain(p int16, most int) (liberties int) {
	c := r.at[p]
	r.stamp++
	r.seen[p] = r.stamp
	r.group = append(r.group[:0], p)
	for i := 0; i < len(r.group); i++ {
		for _, q := range r.near(r.group[i]) {
			if r.seen[q] == r.stamp {
				continue
			}
			switch r.at[q] {
			case empty:
				r.seen[q] = r.stamp
				if liberties++; liberties >= most {
					return liberties
				}
			case c:
				r.seen[q] = r.stamp
				r.group = append(r.group, q)
			}
		}
	}
	return liberties
}

// legal reports whether a colour may play at an empty point: it is no suicide and does not take a
// ko back.
func (r *reading) legal(p int16, c int8) bool {
	if p == r.ko {
		return false
	}
	for _, q := range r.near(p) {
		switch r.at[q] {
		case empty:
			return true
		case c:
			if r.chain(q, 2) > 1 {
				return true
			}
		case 1 - c:
			if r.chain(q, 2) == 1 {
				return true
			}
		}
	}
	return false
}

// play plays a legal move.
func (r *reading) play(p int16, c int8) {
	r.fill(p, c)
	r.ko = 0
	taken, last := 0, int16(0)
	for _, q := range r.near(p) {
		if r.at[q] == 1-c && r.chain(q, 1) == 0 {
			for _, dead := range r.group {
				r.vacate(dead)
			}
			taken, last = taken+len(r.group), q
		}
	}
	if taken == 1 && r.chain(p, 2) == 1 && len(r.group) == 1 {
		r.ko = last
	}
}

// enclosed reports whether all neighbours of a point are stones of a colour, or off the board.
func (r *reading) enclosed(p int16, c int8) bool {
	for _, q := range r.near(p) {
		if x := r.at[q]; x != c && x != border {
			return false
		}
	}
	return true
}

// eye reports whether an empty point is an eye of a colour, which it does not fill: one that no
// capture of a stone at its corners can make false, or one of two that all chains around it have.
func (r *reading) eye(p int16, c int8) bool {
	if !r.enclosed(p, c) {
		return false
	}
	theirs, edge := 0, 0
	for _, q := range r.diagonal(p) {
		switch r.at[q] {
		case 1 - c:
			theirs++
		case border:
			edge = 1
		}
	}
	if theirs+edge < 2 {
		return true
	}
	for _, q := range r.near(p) {
		if r.at[q] == c && !r.another(q, p, c) {
			return false
		}
	}
	return true
}

// another reports whether the chain at q has a liberty besides p that is enclosed.
func (r *reading) another(q, p int16, c int8) bool {
	r.chain(q, len(r.at))
	for _, stone := range r.group {
		for _, x := range r.near(stone) {
			if x != p && r.at[x] == empty && r.enclosed(x, c) {
				return true
			}
		}
	}
	return false
}

// wasteful reports whether a legal move puts its own chain into atari, takes nothing, and is no
// sacrifice either: the chain gives an eye up, or leaves a hole in which its taker may get two.
func (r *reading) wasteful(p int16, c int8) bool {
	for _, q := range r.near(p) {
		if r.at[q] == 1-c && r.chain(q, 2) == 1 {
			return false
		}
	}
	r.at[p] = c // for now
	atari := r.chain(p, 2) == 1
	eye := atari
	if atari {
		for _, q := range r.near(r.liberty()) {
			eye = eye && (r.at[q] == border || r.at[q] == c && r.seen[q] == r.stamp)
		}
	}
	r.at[p] = empty
	return atari && (eye || !r.nakade())
}

// nakade reports whether the stones of group, once taken, leave a space that one move makes a
// single eye: up to three in any form, the square, the T, the bulky five, the cross and the rabbity
// six.
func (r *reading) nakade() bool {
	n := len(r.group)
	if n <= 3 {
		return true
	}
	if n > 6 {
		return false
	}
	var degrees [5]int
	for i, p := range r.group {
		d := 0
		for j, q := range r.group {
			if x := p - q; i != j &&
				(x == 1 || x == -1 || x == int16(r.width) || x == -int16(r.width)) {
				d++
			}
		}
		degrees[d]++
	}
	switch n {
	case 4:
		return degrees[2] == 4 || degrees[3] == 1
	case 5:
		return degrees[4] == 1 || degrees[3] == 1 && degrees[2] == 3
	}
	return degrees[4] == 1 && degrees[2] == 3
}

// liberty returns a liberty of group.
func (r *reading) liberty() int16 {
	for _, p := range r.group {
		for _, q := range r.near(p) {
			if r.at[q] == empty {
				return q
			}
		}
	}
	return 0
}
