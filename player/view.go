package player

import (
	"slices"

	"tengen/game"
	"tengen/mcts"
)

// View is what a search found out about a position.
type Analysis struct {
	Value []float32    // [players] the utility that each can expect, in [0, 1]
	Exact bool         // the search has resolved the position: Value is its value, to be sure
	Full  bool         // the search was cut short, or could not grow, for want of room in its tree
	Moves []Considered // every legal action, in ascending order
	// Line is the principal variation: from the position on the actions that
	// the search holds for the best, as far as it has looked; it ends where
	// chance is to move. It may begin with another action than the one decided
	// for, where that was drawn, or chosen with an eye to safety.
	PrincipalVariation []game.Action
}

// Considered is what it found out about one action.
type Considered struct {
	Action game.Action
	Visits int
	Value  []float32 // [players], as in View; of mcts.Tree 0 without visits
	Exact  bool
}

// Analyzer is a Seat that decides by a search. View tells of the position that
// it decided last, until it is told what was played.
type Analyzer interface{ Analysis() Analysis }

// viewOf is the view of an mcts.Tree.
func viewOf(g game.Game, t *mcts.Tree) Analysis {
	v := Analysis{Value: make([]float32, g.Players()), Full: t.Stats().Full, PrincipalVariation: t.PrincipalVariation(nil)}
	t.Value(v.Value)
	for _, c := range t.Children(nil) {
		v.Moves = append(v.Moves, Considered{Action: c.Action, Visits: c.Visits, Value: slices.Clone(c.Value[:g.Players()])})
	}
	return v
}
