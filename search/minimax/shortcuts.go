package minimax

import "tengen/game"

// This file declares abilities of games whose states are game.Turned: information about the
// positions below a state without a search. Each method returns the function for the heuristic of
// that name, or nil if there is none. The functions modify nothing, do not allocate, and are safe
// for concurrent use.

// Ranged is a Game that bounds the value of a state s to p after a number of turns, the current
// one included, whatever players and chance do: the sum of the gains until then plus the Value of
// the position in which Turned.Turn has increased by turns, or the game is over. The bounds help
// if they cost much less than searching a turn, above all with chance: pruning at chance nodes
// needs such bounds.
type Ranged interface {
	Range(heuristic string) func(s game.State, p game.Player, turns int) (low, high float64)
}

// Flat is a Game that values a state s for p, if the current turn is the last one searched and
// only gains count: every action completes the turn and leads to a position that is not over and
// has the Value 0 for all players. value is p's greatest gain if p itself is to move, else its
// least; best is the first of LegalActions that has it, and leaves the number of actions. Chance
// may be to move in s, if each of its outcomes leads to a state with the same result. ok is false
// if s is no such state; it may always be.
type Flat interface {
	Flat(heuristic string) func(s game.State, p game.Player) (value float64, best game.Action,
		leaves int64, ok bool)
}

// LastTurned is a Game that values a state s for p if the current turn is the last one searched.
// The current player, not chance, plays the rest of its turn to a position in which Turned.Turn
// has increased, or the game is over; it maximises the Value of that position for p if it is p
// itself, and minimises it otherwise; outcomes of chance within the turn are averaged. The value
// must equal, to the bit, the one found by following LegalActions, Outcomes and Apply to every
// such position. If that value is at most alpha (at least beta), the function may return any
// upper (lower) bound of it that is itself at most alpha (at least beta); alpha is less than
// beta, and infinite ones request the exact value. leaves is the number of positions valued. ok
// is false if the state must be searched. The function is not used with a heuristic that has a
// Gain.
type LastTurned interface {
	LastTurn(heuristic string) func(s game.State, p game.Player,
		alpha, beta float64) (value float64, leaves int64, ok bool)
}

// Shortcuts are a game's functions for one heuristic; nil for abilities that it lacks.
type Shortcuts struct {
	Range func(s game.State, p game.Player, turns int) (low, high float64)
	Flat  func(s game.State, p game.Player) (value float64, best game.Action,
		leaves int64, ok bool)
	LastTurn func(s game.State, p game.Player, alpha, beta float64) (value float64,
		leaves int64, ok bool)
}

// ShortcutsOf returns the shortcuts of a game for a heuristic.
func ShortcutsOf(g game.Game, h game.Heuristic) (s Shortcuts) {
	if x, ok := g.(Ranged); ok {
		s.Range = x.Range(h.Name)
	}
	if x, ok := g.(Flat); ok {
		s.Flat = x.Flat(h.Name)
	}
	if x, ok := g.(LastTurned); ok {
		s.LastTurn = x.LastTurn(h.Name)
	}
	return s
}
