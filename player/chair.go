package player

import (
	"tengen/game"
	"tengen/internal/stream"
	"tengen/search"
)

// Chair is a Seat at the table of whoever drives a game (a match, a person's
// game): the driver hands the chair the true state, and the chair hands
// the seat what it may see, by a Viewpoint. Where nothing is hidden that is
// the true state, as it is for a Seer. It is used by one goroutine.
type Chair struct {
	seat Seat
	view *Viewpoint
	ply  int // actions played so far
}

// NewChair makes a chair for a seat, which is the chair's from now on, in games of g.
func NewChair(seat Seat, g game.Game) *Chair {
	view := NewViewpoint(g)
	if seesAll(seat) {
		view = &Viewpoint{} // which shows the state itself
	}
	return &Chair{seat: seat, view: view}
}

// Begin starts game number of the match with this seed, in which the chair is
// that of the player seat. What it draws depends on these three alone.
func (c *Chair) Begin(seed, number uint64, seat game.Player) {
	c.ply = 0
	c.view.Begin(seed, stream.Arena, number, seat)
	c.seat.Begin(stream.New(seed, stream.Arena, number, uint64(seat)+1))
}

// Think has the seat think, as Seat says, of what it may see of s.
func (c *Chair) Think(s game.State, leaves search.Leaves) (game.Action, bool) {
	return c.seat.Think(c.view.See(s, c.ply), leaves)
}

// Deliver takes the evaluations of the states that Think added.
func (c *Chair) Deliver(rows search.Rows) { c.seat.Deliver(rows) }

// Played tells of every action of the game, before it is applied to s. Of a
// game with hidden information the seat is told that there was one, not which.
func (c *Chair) Played(s game.State, a game.Action) {
	seen := c.view.See(s, c.ply)
	if c.view.Hides() {
		a = game.NoAction
	}
	c.seat.Played(seen, a)
	c.ply++
}

// Viewer is the seat as a Viewer, if it is one.
func (c *Chair) Viewer() (Viewer, bool) {
	v, ok := c.seat.(Viewer)
	return v, ok
}
