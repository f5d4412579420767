package runtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"tengen/game"
)

// Field is a game of one's own without a drawer, of which the page knows only that its positions
// are a game.Board: players put stones on cells in turn, or pass, until as many plies are over as
// there are cells. Whoever has most stones wins.
type Field struct {
	Rows, Columns, Seats int
	Unnamed              bool // cells have numbers, not names as on a chess board
	Secret               bool // positions are those of a game with hidden information
}

// A field of two rows and three columns is registered, so that runs of it can be served.
func init() {
	game.Register(game.Family{
		Name: "field", Summary: "stones on a field",
		New: func(*game.Values) (game.Game, error) {
			return &Field{Rows: 2, Columns: 3, Seats: 2}, nil
		},
	})
}

func (f *Field) Name() string       { return "field" }
func (f *Field) Players() int       { return f.Seats }
func (f *Field) Actions() int       { return f.Rows*f.Columns + 1 }
func (f *Field) Planes() game.Shape { return game.Shape{C: f.Seats + 1, H: f.Rows, W: f.Columns} }
func (f *Field) Support() []float32 { return nil }

// NewState returns a field without stones.
func (f *Field) NewState() game.State {
	s := &fieldState{of: f, stones: slices.Repeat([]game.Player{game.Nobody}, f.Rows*f.Columns)}
	if f.Secret {
		return secretField{s}
	}
	return s
}

// ActionName names an action.
func (f *Field) ActionName(_ game.State, a game.Action) string {
	switch n := int(a); {
	case n == f.Rows*f.Columns:
		return "pass"
	case f.Unnamed:
		return fmt.Sprint(n)
	default:
		return fmt.Sprintf("%c%d", 'a'+n%f.Columns, f.Rows-n/f.Columns)
	}
}

// ParseAction returns the action of a name.
func (f *Field) ParseAction(s game.State, text string) (game.Action, error) {
	for a := range f.Actions() {
		if f.ActionName(s, game.Action(a)) == text {
			return game.Action(a), nil
		}
	}
	return 0, fmt.Errorf("%q is no action", text)
}

type fieldState struct {
	of     *Field
	stones []game.Player
	plies  int
}

type secretField struct{ *fieldState }

func (s secretField) Determinize(*rand.Rand, game.Player)    {}
func (s secretField) InformationStateKey(game.Player) uint64 { return s.Hash() }

func (s *fieldState) CurrentPlayer() game.Player {
	if s.plies == len(s.stones) {
		return game.Nobody
	}
	return game.Player(s.plies % s.of.Seats)
}

func (s *fieldState) LegalActions(dst []game.Action) []game.Action {
	for cell, p := range s.stones {
		if p == game.Nobody {
			dst = append(dst, game.Action(cell))
		}
	}
	return append(dst, game.Action(len(s.stones)))
}

func (s *fieldState) Apply(a game.Action) {
	if int(a) < len(s.stones) {
		s.stones[a] = s.CurrentPlayer()
	}
	s.plies++
}

func (s *fieldState) CopyFrom(src game.State) {
	from := src.(*fieldState)
	copy(s.stones, from.stones)
	s.plies = from.plies
}

func (s *fieldState) Returns(dst []float32) {
	counts := make([]int, s.of.Seats)
	for _, p := range s.stones {
		if p != game.Nobody {
			counts[p]++
		}
	}
	for p, n := range counts {
		dst[p] = 0
		if n == slices.Max(counts) {
			dst[p] = 1
		}
	}
}

func (s *fieldState) Observation(dst []float32) {
	clear(dst)
	for cell, p := range s.stones {
		if p != game.Nobody {
			dst[int(p)*len(s.stones)+cell] = 1
		}
		if s.CurrentPlayer() == 1 {
			dst[s.of.Seats*len(s.stones)+cell] = 1
		}
	}
}

func (s *fieldState) Hash() uint64 {
	h := uint64(s.plies)
	for _, p := range s.stones {
		h = h*11 + uint64(p+2)
	}
	return h
}

// Stones implements game.Board.
func (s *fieldState) Stones(dst []game.Player) []game.Player { return append(dst, s.stones...) }

// Mark implements game.Board.
func (s *fieldState) Mark(p game.Player) string {
	if p == game.Nobody {
		return "."
	}
	return fmt.Sprint(p)
}
