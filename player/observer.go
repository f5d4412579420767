package player

import (
	"math/rand/v2"

	"tengen/game"
	"tengen/internal/random"
)

// Observer shows a game as one player sees it. Where information is hidden it turns the
// true state into a determinized copy: what the player sees is as it is, and the rest is
// drawn anew at each ply (game.ImperfectInformation). What is drawn comes from streams of
// the observer's own, one a ply, so two histories that the player can't tell apart give
// equal copies. In a game without hidden information it shows the state itself and draws
// nothing. It is used by one goroutine.
type Observer struct {
	player game.Player
	// purpose is random.Arena or random.SelfPlay, of which number is a game.
	seed, purpose, number uint64

	view   game.State                // nil where nothing is hidden
	hidden game.ImperfectInformation // the same
	drawn  int                       // the ply that view is of, -1 for none
	pcg    *rand.PCG
	rng    *rand.Rand
}

// NewObserver makes an observer for games of g.
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

// Begin starts game number, as p sees it, of the match (purpose random.Arena) or the
// self-play (random.SelfPlay) with this seed.
func (v *Observer) Begin(seed, purpose, number uint64, p game.Player) {
	v.seed, v.purpose, v.number, v.player, v.drawn = seed, purpose, number, p, -1
}

// Observe returns what the player may see of s, the true state after ply actions. It is
// valid until Observe is called for another ply, and must not be changed.
func (v *Observer) Observe(s game.State, ply int) game.State {
	if v.view == nil {
		return s
	}
	if v.drawn != ply {
		v.drawn = ply
		v.view.CopyFrom(s)
		random.Reseed(v.pcg, v.seed, random.Views, v.purpose, v.number, uint64(v.player),
			uint64(ply))
		v.hidden.Determinize(v.rng, v.player)
	}
	return v.view
}
