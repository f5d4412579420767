package findings

import (
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// Limit forbids moves of a colour, or all others.
type Limit struct {
	Color game.Player
	Moves []game.Action
	Only  bool // all others are forbidden
	Depth int  // in the first so many actions from the position on
}

// forbids reports whether the limit forbids an action of a colour after a number of others.
func (l *Limit) forbids(color game.Player, a game.Action, after int) bool {
	return color == l.Color && after < l.Depth && slices.Contains(l.Moves, a) != l.Only
}

// Limited is a game of Go in which limits forbid moves in the first actions from a position on.
// It is for searches: records and observations are those of the game itself.
type Limited struct {
	game.Game
	Limits []Limit
}

// NewState implements game.Game.
func (l *Limited) NewState() game.State { return &limitedState{State: l.Game.NewState(), game: l} }

// PointsPerUtility implements game.Scaled.
func (l *Limited) PointsPerUtility() float64 { return game.PointsPerUtility(l.Game) }

// From returns position s, from which on the limits hold. ok is false if no legal action of the
// colour to move is allowed.
func (l *Limited) From(s game.State) (from game.State, ok bool) {
	x := l.NewState().(*limitedState)
	x.State.CopyFrom(s)
	mover := s.CurrentPlayer()
	return x, slices.ContainsFunc(s.LegalActions(nil), func(a game.Action) bool {
		return !x.forbidden(mover, a)
	})
}

// limitedState is a position a number of actions after the one from which on the limits hold.
type limitedState struct {
	game.State
	game  *Limited
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
	for i := range s.game.Limits {
		if s.game.Limits[i].forbids(mover, a, s.after) {
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
