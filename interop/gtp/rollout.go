package gtp

import (
	"tengen/game"
	"tengen/internal/random"
)

// rollouts plays a position out a number of times, either colour first in turn, and counts what
// becomes of each point. The numbers are the same for equal positions.
type rollouts struct {
	board  *reading
	start  []game.Player
	random random.Source
	number int      // of games
	owned  [][2]int // games in which each colour has the point, with a stone or an area around it
	open   []int    // games in which it stays empty, and nobody's
	try    []int16
}

func newRollouts(size int) *rollouts {
	return &rollouts{
		board: newReading(size), owned: make([][2]int, size*size), open: make([]int, size*size),
	}
}

// begin begins with the stones of a position: a colour or game.Nobody for each point.
func (x *rollouts) begin(stones []game.Player) {
	x.start = append(x.start[:0], stones...)
	x.random, x.number = 1, 0
	clear(x.owned)
	clear(x.open)
}

// play plays n games more.
func (x *rollouts) play(n int) {
	for range n {
		x.board.set(x.start)
		x.game(int8(x.number & 1))
		x.count()
		x.number++
	}
}

// game plays to the end, c first. A colour takes the chain that has just been put into atari, or
// saves its own; else it mostly plays beside the last move, so that who comes into an area is
// answered there. Moves are drawn evenly from those that neither fill an eye nor are wasteful; a
// colour without any passes. Groups in a seki so remain.
func (x *rollouts) game(c int8) {
	r := x.board
	passes := 0
	last := int16(0)
	for range 4 * r.size * r.size {
		p := int16(0)
		if last != 0 {
			p = x.answer(last, c)
		}
		if p == 0 && last != 0 && x.random.Next()&3 != 0 {
			near, diagonal := r.near(last), r.diagonal(last)
			x.try = append(append(x.try[:0], near[:]...), diagonal[:]...)
			p = x.draw(c)
		}
		if p == 0 {
			x.try = append(x.try[:0], r.free...)
			p = x.draw(c)
		}
		last = p
		if p == 0 {
			r.ko = 0
			if passes++; passes == 2 {
				return
			}
		} else {
			r.play(p, c)
			passes = 0
		}
		c = 1 - c
	}
}

// answer returns a move that takes the chain of the opponent's last move, or saves a chain that it
// has put into atari, 0 if there is none.
func (x *rollouts) answer(last int16, c int8) int16 {
	r := x.board
	if r.chain(last, 2) == 1 {
		if p := r.liberty(); r.legal(p, c) {
			return p
		}
	}
	for _, q := range r.near(last) {
		if r.at[q] != c || r.chain(q, 2) != 1 {
			continue
		}
		if p := r.liberty(); r.legal(p, c) && !r.wasteful(p, c) {
			return p
		}
	}
	return 0
}

// draw draws a move of c from try, 0 if there is none.
func (x *rollouts) draw(c int8) int16 {
	r := x.board
	for n := len(x.try); n > 0; n-- {
		i := int(x.random.Next() % uint64(n))
		p := x.try[i]
		x.try[i] = x.try[n-1]
		if r.at[p] == empty && r.legal(p, c) && !r.eye(p, c) && !r.wasteful(p, c) {
			return p
		}
	}
	return 0
}

// pointOf returns the point of the board that has number q in reading.
func (x *rollouts) pointOf(q int16) int {
	r := x.board
	return (int(q)/r.width-1)*r.size + int(q)%r.width - 1
}

// count counts the final position.
func (x *rollouts) count() {
	r := x.board
	for p := range x.owned {
		if c := r.at[r.point(p)]; c != empty {
			x.owned[p][c]++
		}
	}
	eachRegion(r, func(points []int16, owner int8) {
		for _, q := range points {
			p := x.pointOf(q)
			if owner == empty {
				x.open[p]++
			} else {
				x.owned[p][owner]++
			}
		}
	})
}

// eachRegion calls f with each region of empty points, and the only colour around it, empty if
// there are both or none.
func eachRegion(r *reading, f func(points []int16, owner int8)) {
	r.stamp++
	stamp := r.stamp
	for _, p := range r.free {
		if r.seen[p] == stamp {
			continue
		}
		r.seen[p] = stamp
		region := append(r.group[:0], p)
		var touches [2]bool
		for i := 0; i < len(region); i++ {
			for _, q := range r.near(region[i]) {
				switch c := r.at[q]; {
				case c == border:
				case c != empty:
					touches[c] = true
				case r.seen[q] != stamp:
					r.seen[q] = stamp
					region = append(region, q)
				}
			}
		}
		r.group = region
		owner := empty
		switch touches {
		case [2]bool{true, false}:
			owner = 0
		case [2]bool{false, true}:
			owner = 1
		}
		f(region, owner)
	}
}
