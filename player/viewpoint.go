package player

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/stream"
)

// Observer is from where one seat sees a game. Where information is hidden it
// turns the true state into a determinized copy: what the seat sees is as it is,
// and the rest is drawn anew at each ply (game.Hidden). All that is drawn comes from streams
// of the viewpoint's own, one a ply, so that two histories that the seat can't
// tell apart give it the same copies. Of a game without hidden information it
// shows the state itself, and draws nothing. It is used by one goroutine.
type Observer struct {
	seat game.Player
	// purpose is stream.Arena or stream.SelfPlay: whose number is meant.
	seed, purpose, number uint64

	view   game.State                // nil where nothing is hidden
	hidden game.ImperfectInformation // the same
	drawn  int                       // the ply of which view is, -1 for none
	pcg    *rand.PCG
	rng    *rand.Rand
}

// NewViewpoint makes a viewpoint for games of g.
func NewObserver(g game.Game) *Observer {
	v := &Observer{}
	state := g.NewState()
	if hidden, ok := state.(game.ImperfectInformation); ok {
		v.view, v.hidden = state, hidden
		v.pcg = rand.NewPCG(0, 0)
		v.rng = rand.New(v.pcg)
	}
	return v
}

// Hides says whether information is hidden in the game.
func (v *Observer) Hides() bool { return v.view != nil }

// Begin starts the game of a number, as seat sees it, of the match (purpose
// stream.Arena) or the self-play (stream.SelfPlay) with this seed.
func (v *Observer) Begin(seed, purpose, number uint64, seat game.Player) {
	v.seed, v.purpose, v.number, v.seat, v.drawn = seed, purpose, number, seat, -1
}

// See is what the seat may be shown of s, the true state after ply actions. It
// holds until See is called for another ply, and is not to be changed.
func (v *Observer) Observe(s game.State, ply int) game.State {
	if v.view == nil {
		return s
	}
	if v.drawn != ply {
		v.drawn = ply
		v.view.CopyFrom(s)
		stream.Reseed(v.pcg, v.seed, stream.Views, v.purpose, v.number, uint64(v.seat), uint64(ply))
		v.hidden.Determinize(v.rng, v.seat)
	}
	return v.view
}
