package findings

import (
	"cmp"
	"slices"

	"tengen/game"
	"tengen/search"
)

// Move is what a search has found about a move.
type Move struct {
	Action      game.Action
	Visits      int
	Prior       float32 // 0: the search has none
	Expectation         // of the colour to move
	LCB         float64 // a lower confidence bound of Winrate
}

// Finder describes what a search of a position has found so far. All values are of Color, which
// is to move. It is used by one goroutine.
type Finder struct {
	Result  search.Result
	Outlook *Outlook
	Color   game.Player

	children []search.Child
	moves    []Move
	steps    []search.Step
}

// Moves returns the moves that have been visited, until the next call: first the one that the
// search would choose, then by visits.
func (f *Finder) Moves() []Move {
	f.children = slices.DeleteFunc(f.Result.Children(f.children[:0]), func(c search.Child) bool {
		return c.Visits == 0
	})
	best := f.Result.Best()
	first := func(c search.Child) int { // the best move is the first, whatever it was chosen by
		if c.Action == best {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(f.children, func(a, b search.Child) int {
		return cmp.Or(cmp.Compare(first(a), first(b)), cmp.Compare(b.Visits, a.Visits),
			cmp.Compare(b.Value[f.Color], a.Value[f.Color]), cmp.Compare(b.Prior, a.Prior))
	})
	f.moves = f.moves[:0]
	for i := range f.children {
		c := &f.children[i]
		x := f.Outlook.Of(c.Value[:2], f.Color)
		f.moves = append(f.moves, Move{c.Action, c.Visits, c.Prior, x, Lower(x.Winrate, c.Visits)})
	}
	return f.moves
}

// Root returns what the colour can expect of the position.
func (f *Finder) Root() Expectation {
	var utilities [game.MaxPlayers]float32
	f.Result.Value(utilities[:2])
	return f.Outlook.Of(utilities[:2], f.Color)
}

// Variation returns a move and those that the search considers best after it, until the next call.
func (f *Finder) Variation(m Move) []search.Step {
	f.steps = f.steps[:0]
	if v, ok := f.Result.(search.Variations); ok {
		f.steps = v.Variation(f.steps, m.Action)
	} else {
		f.steps = append(f.steps, search.Step{Action: m.Action, Visits: m.Visits})
	}
	return f.steps
}
