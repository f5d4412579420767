package minimax

import "tengen/game"

// This file declares abilities of games whose states are game.Turned: what they know about
// the positions below a state without a search. Each method returns the function for one
// heuristic of the game, by name, or nil if there is none. The functions change nothing,
// allocate nothing, and are safe for concurrent use.

// Ranged is a Game that bounds what a state s may be worth to p at the end of a number of
// turns, the one in progress included, whatever players and chance do: the sum of the gains
// until then and the Value of the position in which Turned.Turn has grown by turns, or the
// game is over. The bounds are worthwhile if they are much cheaper than a turn's search,
// above all with chance: pruning at chance nodes works by such bounds alone.
type Ranged interface {
	Range(heuristic string) func(s game.State, p game.Player, turns int) (low, high float64)
}

// Flat is a Game that reports of a state s, in which a player is to move, that every action
// completes one turn and leads to a position that is not over and whose Value is 0 for
// all players. Such an action is valued without being made if no turn is left. The function
// may always return false.
type Flat interface {
	Flat(heuristic string) func(s game.State) bool
}

// LastTurned is a Game that values a state s to p if the turn in progress is the last one
// searched. The current player, who is no chance player, plays the rest of its turn so that
// the Value for p of the position in which Turned.Turn has grown, or the game is over, is
// greatest if it is p itself, and least if it is another; outcomes of chance within
// the turn are averaged. The value must equal, to the bit, the one found by following
// LegalActions, Outcomes and Apply to every such position. If that value is at most alpha
// (at least beta), any upper (lower) bound of it that is itself at most alpha (at least
// beta) will do; alpha is less than beta, and infinite ones ask for the exact value. leaves
// is the number of positions valued. ok is false if the state is left to the search. It
// is not used with a heuristic that has a Gain.
type LastTurned interface {
	LastTurn(heuristic string) func(s game.State, p game.Player, alpha, beta float64) (value float64, leaves int64, ok bool)
}

// Shortcuts are the functions that a game offers for one heuristic, nil where it offers none.
type Shortcuts struct {
	Range    func(s game.State, p game.Player, turns int) (low, high float64)
	Flat     func(s game.State) bool
	LastTurn func(s game.State, p game.Player, alpha, beta float64) (value float64, leaves int64, ok bool)
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
