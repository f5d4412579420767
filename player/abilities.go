package player

import (
	"tengen/game"
	"tengen/search"
)

// Timed is a Player whose moves may have a time limit. Its moves depend on the clock, so its
// games can't be repeated, and each of its searches needs a core of its own.
type Timed interface{ Timed() bool }

// IsTimed reports whether a player's moves have a time limit.
func IsTimed(p Player) bool {
	t, ok := as[Timed](p)
	return ok && t.Timed()
}

// Drawing is a Player whose moves may be random. Draws reports whether they are random enough
// for games from the same position to differ.
type Drawing interface{ Draws() bool }

// Draws reports whether a player is known to draw its moves: random players, UCT, whose
// playouts are random, and networks with a temperature.
func Draws(p Player) bool {
	d, ok := as[Drawing](p)
	return ok && d.Draws()
}

// Explicit is a Player whose probabilities of actions are known without asking its agents.
// Probabilities writes that of each of the legal actions in s, in which a player is to move, to
// dst[0:len(legal)]. They depend on nothing that this player can't see. e is an evaluator that
// NewEvaluator made, whose error is returned; nil for a player that needs none.
type Explicit interface {
	Player
	Probabilities(s game.State, e search.Evaluator, legal []game.Action, dst []float64) error
}

// Wrapper is a Player that lets another player decide, and has that player's abilities.
type Wrapper interface {
	Player
	// Within returns the other player.
	Within() Player
}

// as returns the first of p and the players within it that is a T.
func as[T any](p Player) (x T, ok bool) {
	for {
		if x, ok = p.(T); ok {
			return x, true
		}
		w, wraps := p.(Wrapper)
		if !wraps {
			return x, false
		}
		p = w.Within()
	}
}
