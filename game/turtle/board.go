package turtle

import (
	"context"
	"math/bits"

	"tengen/game"
)

// Turtle is one of the five turtles, named by its colour.
type Turtle uint8

// The turtles.
const (
	Red Turtle = iota
	Green
	Blue
	Yellow
	Purple
	// Turtles is the number of turtles, whatever the number of players.
	Turtles = 5
)

// NoTurtle means no turtle.
const NoTurtle Turtle = 255

var turtleNames = [Turtles]string{"red", "green", "blue", "yellow", "purple"}

// String is the turtle's colour.
func (t Turtle) String() string {
	if t >= Turtles {
		return "nobody"
	}
	return turtleNames[t]
}

// herd is a set of turtles, one bit each.
type herd = uint32

// allTurtles is the set of all turtles.
const allTurtles herd = 1<<Turtles - 1

// board holds the squares of the turtles and which turtle carries which, in three
// words. Of two turtles on a square the lower one carries the upper one, except on an
// unstacked start.
type board struct {
	squares uint32 // 4 bits per turtle: its square
	carried uint32 // 5 bits per turtle: the herd that moves with it, itself included
	on      uint64 // 5 bits per square: the turtles there
}

// Tables by herd: a one in the field of each of its turtles, with 4 and 5 bits per
// turtle, and each one's own bit in its field of 5.
var spread4, spread5, alone [1 << Turtles]uint32

func init() {
	for h := range spread4 {
		for t := range Turtles {
			if h>>t&1 != 0 {
				spread4[h] |= 1 << (4 * t)
				spread5[h] |= 1 << (5 * t)
				alone[h] |= 1 << (5*t + t)
			}
		}
	}
}

// square returns the square of a turtle.
func (b *board) square(t Turtle) int { return int(b.squares >> (4 * t) & 15) }

// herdOf returns the turtle and all turtles that it carries.
func (b *board) herdOf(t Turtle) herd { return b.carried >> (5 * t) & allTurtles }

// at returns the turtles on a square.
func (b *board) at(square int) herd { return herd(b.on>>(5*square)) & allTurtles }

// carriers returns the turtles that carry t, itself included.
func (b *board) carriers(t Turtle) herd {
	// The product brings bit 5i to bit 20+i; no two bits of it meet.
	const gather = 1<<20 | 1<<16 | 1<<12 | 1<<8 | 1<<4
	return herd(uint64(b.carried>>t&spread5[allTurtles])*gather>>20) & allTurtles
}

// under returns the number of turtles that carry t.
func (b *board) under(t Turtle) int {
	return bits.OnesCount32(b.carried>>t&spread5[allTurtles]) - 1
}

// lastSquare is the occupied square nearest the start, firstSquare the one nearest the
// goal.
func (b *board) lastSquare() int  { return bits.TrailingZeros64(b.on) / 5 }
func (b *board) firstSquare() int { return (bits.Len64(b.on) - 1) / 5 }

// points returns a turtle's victory points: 5 per square, plus 4 less the turtles
// below it (the paper's formula 3).
func (b *board) points(t Turtle) int { return 5*b.square(t) + 4 - b.under(t) }

// mostPoints returns those of the leading turtle: the lowest on its square.
func (b *board) mostPoints() int { return 5*b.firstSquare() + 4 }

// target returns the square to which a move leads, limited to the track.
func target(from, steps, goal int) int { return min(max(from+steps, 0), goal) }

// move moves a turtle and all that it carries. The herd is placed on top of the
// turtles on the target square, or beside them on an unstacked start.
func (b *board) move(t Turtle, steps, goal int, stacked bool) {
	from := b.square(t)
	to := target(from, steps, goal)
	if to == from {
		return
	}
	moving := b.herdOf(t)
	left := b.at(from) &^ moving
	met := b.at(to)
	b.carried &^= moving * spread5[left]
	b.on ^= uint64(moving)<<(5*from) | uint64(moving)<<(5*to)
	// fields neither carry nor borrow: all stay within the track
	b.squares += spread4[moving] * uint32(to-from)
	if to == 0 && !stacked {
		b.carried = b.carried&^(allTurtles*spread5[moving]) | alone[moving]
	} else {
		b.carried |= moving * spread5[met]
	}
}

// place puts a turtle on top of those on the start.
func (b *board) place(t Turtle) {
	bit := herd(1) << t
	b.carried |= bit * spread5[b.at(0)]
	b.carried |= alone[bit]
	b.on |= uint64(bit)
}

// sideBySide is the initial board of an unstacked start.
func sideBySide() board {
	return board{carried: alone[allTurtles], on: uint64(allTurtles)}
}

// key identifies the board.
func (b *board) key() uint64 { return uint64(b.squares) | uint64(b.carried)<<20 }

// popcount returns the number of players in a set.
func popcount(set uint8) int { return bits.OnesCount8(set) }

// CountPositions counts the boards (squares and stacks of all five turtles) that can
// be reached with any cards, whoever holds them. For comparison it also returns the
// paper's formula (2) for the same track, 5!·((F − 2)·M + M − 1), with M = 3, and as
// evaluated in the paper, where M − 1 becomes 2 − 1.
func (g *Game) CountPositions(ctx context.Context) ([]game.Count, error) {
	seen := map[uint64]struct{}{}
	var rest []board // boards to expand
	finished := 0
	meet := func(b board) {
		key := b.key()
		if _, ok := seen[key]; ok {
			return
		}
		seen[key] = struct{}{}
		if b.at(g.goal) != 0 {
			finished++
			return
		}
		rest = append(rest, b)
	}
	g.begin(meet)
	for len(rest) > 0 {
		if len(rest)%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		b := rest[len(rest)-1]
		rest = rest[:len(rest)-1]
		for t := range Turtle(Turtles) {
			for _, n := range []int{2, 1, -1} {
				next := b
				next.move(t, n, g.goal, g.stacked)
				meet(next)
			}
		}
	}
	const orders = 120
	f := g.rules.Squares
	return []game.Count{
		{Name: "boards (squares and stacks of the turtles)", N: uint64(len(seen))},
		{Name: "not finished", N: uint64(len(seen) - finished)},
		{Name: "finished", N: uint64(finished)},
		{Name: "the paper's formula (2), as it is printed: 5!·((F-2)·3 + 2 - 1)",
			N: uint64(orders * ((f-2)*3 + 2 - 1))},
		{Name: "the paper's formula (2), with M = 3: 5!·((F-2)·M + M - 1)",
			N: uint64(orders * ((f-2)*3 + 3 - 1))},
	}, nil
}

// begin visits the initial boards.
func (g *Game) begin(visit func(board)) {
	if !g.stacked {
		visit(sideBySide())
		return
	}
	for _, s := range g.Symmetries() {
		var b board
		for _, cell := range s.Cells[:Turtles] {
			b.place(Turtle(cell))
		}
		visit(b)
	}
}
