package player

import (
	"tengen/game"
	"tengen/internal/stream"
	"tengen/search"
)

// ObservingAgent is a Seat at the table of whoever drives a game (a match, a person's
// game): the driver hands the chair the true state, and the chair hands
// the seat what it may see, by a Observer. Where nothing is hidden that is
// the true state, as it is for a Seer. It is used by one goroutine.
type ObservingAgent struct {
	seat Agent
	view *Observer
	ply  int // actions played so far
}

// NewChair makes a chair for a seat, which is the chair's from now on, in games of g.
func NewObservingAgent(seat Agent, g game.Game) *ObservingAgent {
	view := NewObserver(g)
	if seesAll(seat) {
		view = &Observer{} // which shows the state itself
	}
	return &ObservingAgent{seat: seat, view: view}
}

// Begin starts game number of the match with this seed, in which the chair is
// that of the player seat. What it draws depends on these three alone.
func (c *ObservingAgent) Begin(seed, number uint64, seat game.Player) {
	c.ply = 0
	c.view.Begin(seed, stream.Arena, number, seat)
	c.seat.Begin(stream.New(seed, stream.Arena, number, uint64(seat)+1))
}

// Think has the seat think, as Seat says, of what it may see of s.
func (c *ObservingAgent) Think(s game.State, requests search.Requests) (game.Action, bool) {
	return c.seat.Think(c.view.Observe(s, c.ply), requests)
}

// Deliver takes the evaluations of the states that Think added.
func (c *ObservingAgent) Deliver(evaluations search.Evaluations) { c.seat.Deliver(evaluations) }

// Played tells of every action of the game, before it is applied to s. Of a
// game with hidden information the seat is told that there was one, not which.
func (c *ObservingAgent) Played(s game.State, a game.Action) {
	seen := c.view.Observe(s, c.ply)
	if c.view.Hides() {
		a = game.NoAction
	}
	c.seat.Played(seen, a)
	c.ply++
}

// Analyzer is the seat as a Analyzer, if it is one.
func (c *ObservingAgent) Analyzer() (Analyzer, bool) {
	v, ok := c.seat.(Analyzer)
	return v, ok
}
