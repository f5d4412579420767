package minimax

import (
	"time"

	"tengen/game"
	"tengen/search"
)

// Bound is the relation of a value to that of the plain search.
type Bound uint8

const (
	Exact Bound = iota // they are equal
	Upper              // it is an upper bound: the action is no better than the one chosen
)

// Move is the result of a search for an action at the root.
type Move struct {
	Action game.Action
	// to the player to move, the action's gain included; the mean over the determinizations
	Value float64
	Bound Bound
	Nodes int64 // made below the action, by all iterations
}

// Iteration is one completed depth of iterative deepening.
type Iteration struct {
	Depth         int
	Action        game.Action // the choice at this depth
	Value         float64
	Leaves, Nodes int64         // since the search began
	Elapsed       time.Duration // since the search began
}

// Result is the result of a search.
type Result struct {
	Action game.Action
	// Value of Action to the player to move, the mean over the determinizations.
	Value float64
	// Values are those of all players, [players], for MaxN; else nil.
	Values []float64
	// Moves are the legal actions, in ascending order.
	Moves []Move
	// PrincipalVariation begins with Action. It ends at a chance node, or where the search took
	// a value from its table or the game's last-turn shortcut. With several determinizations it
	// is only Action.
	PrincipalVariation []game.Action
	// Depth is the number of turns searched completely.
	Depth int
	// Complete means that no line was cut short by the depth: Value follows from finished games
	// only, and deeper search would not change it.
	Complete bool
	Leaves   int64 // positions valued, by all iterations
	Nodes    int64 // actions and outcomes made, by all iterations
	Elapsed  time.Duration
	// Iterations are the depths completed.
	Iterations []Iteration
}

// A Searcher is the search.Result of its last Search: heuristic values are scaled to [0, 1] by
// their bounds. If only the value to the player at the root is known, the others share the rest
// equally.
var _ search.Result = (*Searcher)(nil)

// Value implements search.Result.
func (w *Searcher) Value(dst []float32) {
	if w.Best() == game.NoAction {
		clear(dst[:w.players])
		return
	}
	w.utilities(dst, w.last.Value, w.last.Values)
}

// Children implements search.Result. Visits are the nodes below an action. The
// value of an action that was not chosen may be an upper bound.
func (w *Searcher) Children(dst []search.Child) []search.Child {
	for _, m := range w.last.Moves {
		c := search.Child{
			Action: m.Action, Visits: int(m.Nodes), Exact: w.last.Complete && m.Bound == Exact,
		}
		w.utilities(c.Value[:], m.Value, nil)
		dst = append(dst, c)
	}
	return dst
}

// Best implements search.Result.
func (w *Searcher) Best() game.Action {
	if len(w.last.Moves) == 0 {
		return game.NoAction
	}
	return w.last.Action
}

// PrincipalVariation implements search.Result.
func (w *Searcher) PrincipalVariation(dst []game.Action) []game.Action {
	return append(dst, w.last.PrincipalVariation...)
}

// Stats implements search.Result. Evaluations are the positions valued.
func (w *Searcher) Stats() search.Stats {
	r := &w.last
	return search.Stats{
		Evaluations: int(r.Leaves), Nodes: int(r.Nodes), Turns: r.Depth, Exact: r.Complete,
	}
}

// Bounds returns the heuristic values that Value and Children make 0 and 1: the bounds of the last
// search.
func (w *Searcher) Bounds() (low, high float64) {
	h, turns := &w.o.Heuristic, float64(w.last.Depth)
	return h.Low + turns*h.TurnLow, h.High + turns*h.TurnHigh
}

// utilities writes the value of all players to dst[0:Players], in [0, 1]: values, or, if that
// is nil, the value to the player at the root.
func (w *Searcher) utilities(dst []float32, value float64, values []float64) {
	low, high := w.Bounds()
	unit := func(v float64) float32 { return float32(min(1, max(0, (v-low)/(high-low)))) }
	for p := range w.players {
		switch {
		case values != nil:
			dst[p] = unit(values[p])
		case game.Player(p) == w.mover:
			dst[p] = unit(value)
		default:
			dst[p] = (1 - unit(value)) / float32(w.players-1)
		}
	}
}
