package search

import "tengen/game"

// counter passes leaves on and counts them.
type counter struct {
	leaves    Leaves
	n, before int
}

func (c *counter) Add(s game.State) {
	c.leaves.Add(s)
	c.n++
}
