package player

import (
	"tengen/game"
	"tengen/search"
)

// treeFollower drives a search whose tree follows the game: every action of the
// game moves its root.
type treeFollower struct {
	search  search.Search
	start   func(s game.State, ply int) // makes s, the position after ply actions, the root of the search
	ply     int
	started bool // the search follows the game
	busy    bool // a search is under way
}

// begin starts another game.
func (f *treeFollower) begin() { f.ply, f.started, f.busy = 0, false, false }

// think searches s until the search is done, or needs evaluations.
func (f *treeFollower) think(s game.State, requests search.Requests) (done bool) {
	if !f.busy && !f.started {
		f.start(s, f.ply)
		f.started = true
	}
	f.busy = !f.search.Advance(requests)
	return !f.busy
}

// Deliver implements Agent.
func (f *treeFollower) Deliver(evaluations search.Evaluations) { f.search.Deliver(evaluations) }

// Played implements Agent. After an unknown action the search starts anew at the next decision.
func (f *treeFollower) Played(a game.Action) {
	if a == game.NoAction {
		f.forget()
		return
	}
	f.ply++
	if f.started {
		f.search.Play(a)
	}
}

// forget implements forgetful.
func (f *treeFollower) forget() {
	f.ply++
	f.started = false
}
