package player

import (
	"tengen/game"
	"tengen/search"
)

// treeFollower drives a search whose tree follows the game: every action of the
// game moves its root.
type treeFollower struct {
	timekeeper
	search search.Search
	// believe, if not nil, is called with the position before each search.
	believe func(s game.State)
	// makes s, the position after ply actions, the root of the search
	start func(s game.State, ply int)
	// follow, if not nil, goes on from what the search knows of s, after an unknown action.
	follow  func(s game.State)
	ply     int
	started bool // the search follows the game
	known   bool // the search has followed the game before an unknown action
	busy    bool // a search is under way
	// pondered means that the search was extended beyond its budget since the last action.
	pondered bool
	watch    func() // see Watched; nil: none
}

// begin starts another game.
func (f *treeFollower) begin() {
	f.ply, f.started, f.known, f.busy, f.pondered = 0, false, false, false, false
	f.timekeeper.begin()
}

// think searches s until the search is done, or needs evaluations.
func (f *treeFollower) think(s game.State, requests search.Requests) (done bool) {
	if !f.busy {
		f.startClock(s)
		if f.believe != nil {
			f.believe(s)
		}
	}
	if !f.busy && !f.started {
		f.setRoot(s)
		f.pondered = false
	}
	if f.pondered { // now with the budget
		f.search.(extensible).Again()
		f.pondered = false
	}
	if f.busy = !f.search.Advance(requests); !f.busy {
		f.stopClock()
	}
	return !f.busy
}

// setRoot makes s the root of the search.
func (f *treeFollower) setRoot(s game.State) {
	if f.follow != nil && f.known {
		f.follow(s)
	} else {
		f.start(s, f.ply)
	}
	f.started, f.known = true, true
}

// Deliver implements Agent.
func (f *treeFollower) Deliver(evaluations search.Evaluations) {
	f.search.Deliver(evaluations)
	if f.watch != nil {
		f.watch()
	}
}

// Watch implements Watched.
func (f *treeFollower) Watch(call func()) { f.watch = call }

// CanPonder implements Ponderer.
func (f *treeFollower) CanPonder() bool {
	_, ok := f.search.(extensible)
	return ok
}

// Ponder implements Ponderer.
func (f *treeFollower) Ponder(s game.State, e search.Evaluator, n int) (more bool, err error) {
	tree, ok := f.search.(extensible)
	if !ok || f.busy {
		return false, nil
	}
	if !f.started {
		f.setRoot(s)
	}
	f.pondered = true
	return ponder(tree, e, n)
}

// Played implements Agent. After an unknown action the search starts anew at the next decision.
func (f *treeFollower) Played(a game.Action) {
	if a == game.NoAction {
		f.forget()
		return
	}
	f.ply++
	f.pondered = false
	if f.started {
		f.search.Play(a)
	}
}

// forget implements forgetful.
func (f *treeFollower) forget() {
	f.ply++
	f.started = false
}
