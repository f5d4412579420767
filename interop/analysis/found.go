package analysis

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

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

// Vertex formats an action of a game of Go as the Go Text Protocol does: "C3" or "pass".
func Vertex(g game.Game, a game.Action) string {
	name := game.ActionName(g, nil, a)
	if name == "pass" {
		return name
	}
	return strings.ToUpper(name)
}

// ParseVertex reads a vertex of a game of Go.
func ParseVertex(g game.Game, text string) (game.Action, error) {
	return g.(game.Notated).ParseAction(nil, text)
}

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
