package player

import (
	"tengen/game"
	"tengen/search"
)

// keeper drives a search that is kept from one decision to the next. Between
// them, it is told of every action.
type keeper struct {
	search  search.Search
	start   func(s game.State, ply int) // makes s, before which so many actions were played, the search's position
	ply     int
	started bool // the search knows the game
	busy    bool // a search is under way
}

// begin forgets the game before.
func (k *keeper) begin() { k.ply, k.started, k.busy = 0, false, false }

// think works on s until the search is done, or needs evaluations.
func (k *keeper) think(s game.State, requests search.Requests) (done bool) {
	if !k.busy && !k.started {
		k.start(s, k.ply)
		k.started = true
	}
	k.busy = !k.search.Advance(requests)
	return !k.busy
}

// Deliver implements Seat.
func (k *keeper) Deliver(evaluations search.Evaluations) { k.search.Deliver(evaluations) }

// Played implements Seat. After an action that is not known the search starts
// anew at the next decision.
func (k *keeper) Played(_ game.State, a game.Action) {
	if a == game.NoAction {
		k.forget()
		return
	}
	k.ply++
	if k.started {
		k.search.Play(a)
	}
}

// forget implements forgetful.
func (k *keeper) forget() {
	k.ply++
	k.started = false
}
