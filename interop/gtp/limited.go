package gtp

import (
	"math/rand/v2"

	"tengen/game"
)

// limited is a game of Go in which limits forbid moves in the first actions from a position on.
// It is for searches: records and observations are those of the game itself.
type limited struct {
	game.Game
	limits []limit
}

// NewState implements game.Game.
func (l *limited) NewState() game.State { return &limitedState{State: l.Game.NewState(), game: l} }

// PointsPerUtility implements game.Scaled.
func (l *limited) PointsPerUtility() float64 { return game.PointsPerUtility(l.Game) }

// from returns position s, from which on the limits hold.
func (l *limited) from(s game.State) game.State {
	x := l.NewState().(*limitedState)
	x.State.CopyFrom(s)
	return x
}

// limitedState is a position a number of actions after the one from which on the limits hold.
type limitedState struct {
	game.State
	game  *limited
	after int
}

// LegalActions appends the legal actions that are allowed; all legal ones if none is allowed.
func (s *limitedState) LegalActions(dst []game.Action) []game.Action {
	begin := len(dst)
	dst = s.State.LegalActions(dst)
	mover, n := s.CurrentPlayer(), begin
	for _, a := range dst[begin:] {
		if !s.forbidden(mover, a) {
			dst[n], n = a, n+1
		}
	}
	if n == begin {
		return dst
	}
	return dst[:n]
}

func (s *limitedState) forbidden(mover game.Player, a game.Action) bool {
	for i := range s.game.limits {
		if s.game.limits[i].forbids(mover, a, s.after) {
			return true
		}
	}
	return false
}

func (s *limitedState) Apply(a game.Action) {
	s.State.Apply(a)
	s.after++
}

func (s *limitedState) CopyFrom(src game.State) {
	o := src.(*limitedState)
	s.State.CopyFrom(o.State)
	s.after = o.after
}

// Playout implements game.Playouter: the limits do not hold in playouts.
func (s *limitedState) Playout(rng *rand.Rand) { game.Playout(s.State, rng, nil) }
