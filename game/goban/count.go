package goban

import (
	"context"
	"fmt"
	"math"

	"tengen/game"
)

// maxArrangements is the greatest number of arrangements that CountPositions
// enumerates.
const maxArrangements = 1 << 32

// CountPositions counts the arrangements of stones in which every group has a liberty,
// by enumeration. It returns an error for boards with more than 2^32 arrangements,
// such as 4×5 with three colours.
func (g *goGame) CountPositions(ctx context.Context) ([]game.Count, error) {
	if all := math.Pow(float64(g.Rules.Players+1), float64(g.points)); all > maxArrangements {
		return nil, fmt.Errorf("%s has %.2g arrangements of stones, too many to enumerate: the limit is 2^32 (4×4 with three colours)", g.name, all)
	}
	c := counter{ctx: ctx, g: g}
	c.place(0, 0)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("counting the positions of %s: %w", g.name, err)
	}
	n, choices := uint64(0), uint64(1)
	for used, found := range c.found {
		n += found * choices
		choices *= uint64(max(0, g.Rules.Players-used))
	}
	return []game.Count{{Name: "every group has a liberty", N: n}}, nil
}

// counter enumerates the arrangements in which the colours first appear in seat order.
// Each stands for all that differ by an exchange of colours: if k of P colours are
// used, P·(P−1)···(P−k+1).
type counter struct {
	ctx    context.Context
	g      *goGame
	stones [maxPlayers]uint64
	found  [maxPlayers + 1]uint64 // by the number of colours used
	steps  uint64
}

// place enumerates all ways to fill the points from p on, given that the points before
// use the first used colours.
func (c *counter) place(p, used int) {
	if p == c.g.points {
		if c.allHaveLiberties() {
			c.found[used]++
		}
		return
	}
	if c.steps++; c.steps%(1<<16) == 0 && c.ctx.Err() != nil {
		c.steps-- // makes every further step stop too
		return
	}
	c.place(p+1, used)
	for color := range min(used+1, c.g.Rules.Players) {
		c.stones[color] |= 1 << p
		c.place(p+1, max(used, color+1))
		c.stones[color] &^= 1 << p
	}
}

// allHaveLiberties reports whether every group has a liberty.
func (c *counter) allHaveLiberties() bool {
	occupied := c.stones[0] | c.stones[1] | c.stones[2] | c.stones[3]
	open := c.g.dilate(c.g.full &^ occupied)
	if occupied&^open == 0 {
		return true
	}
	for _, stones := range c.stones {
		if c.g.flood(stones&open, stones) != stones {
			return false
		}
	}
	return true
}
