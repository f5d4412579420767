package search

import "tengen/game"

// counter forwards requests and counts them.
type counter struct {
	requests  Requests
	n, before int
}

func (c *counter) Add(s game.State) {
	c.requests.Add(s)
	c.n++
}
