package turtle

import (
	"context"

	"tengen/game"
)

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
