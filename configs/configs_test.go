package configs

import (
	"fmt"
	"testing"

	"tengen/game"
	"tengen/internal/notation"
)

// The tests register games of their own called backgammon, go, kuhn, leduc, mnk, connect-four, tcg
// and turtle, so that they do not depend on real rules.
func init() {
	game.Register(game.Family{
		Name:   "mnk",
		Params: []notation.Param{{Key: "rows"}, {Key: "columns"}, {Key: "in_row"}},
		New: func(v *notation.Values) (game.Game, error) {
			rows, columns := v.Int("rows", 1, 19), v.Int("columns", 1, 19)
			v.Int("in_row", 1, 19)
			return board{
				shape: game.Shape{C: 4, H: rows, W: columns}, players: 2, actions: rows * columns,
			}, nil
		},
	})
	game.Register(game.Family{
		Name: "go",
		Params: []notation.Param{
			{Key: "size", Default: "5"}, {Key: "players", Default: "2"},
			{Key: "pass", Default: "forced"}, {Key: "komi"}, {Key: "reward"},
		},
		New: func(v *notation.Values) (game.Game, error) {
			v.String("pass")
			v.String("komi")
			v.String("reward")
			size, players := v.Int("size", 1, 19), v.Int("players", 2, 4)
			return targeted{
				board{
					shape: game.Shape{C: 6, H: size, W: size}, players: players,
					actions: size * size,
				},
			}, nil
		},
	})
	game.Register(game.Family{
		Name: "connect-four",
		New: func(*notation.Values) (game.Game, error) {
			return board{shape: game.Shape{C: 4, H: 6, W: 7}, players: 2, actions: 7}, nil
		},
	})
	game.Register(game.Family{
		Name:   "backgammon",
		Params: []notation.Param{{Key: "checkers", Default: "15"}},
		New: func(v *notation.Values) (game.Game, error) {
			v.Int("checkers", 1, 15)
			return dicey{board{shape: game.Shape{C: 27, H: 8, W: 7}, players: 2, actions: 56}}, nil
		},
	})
	game.Register(game.Family{
		Name: "tcg",
		New: func(*notation.Values) (game.Game, error) {
			return dicey{board{shape: game.Shape{C: 4, H: 4, W: 7}, players: 2, actions: 28}}, nil
		},
	})
	for _, name := range []string{"kuhn", "leduc"} {
		game.Register(game.Family{
			Name:   name,
			Params: []notation.Param{{Key: "players", Default: "2"}},
			New: func(v *notation.Values) (game.Game, error) {
				return hidden{
					board{
						shape:   game.Shape{C: 11, H: 1, W: 1},
						players: v.Int("players", 2, 3), actions: 3,
					},
				}, nil
			},
		})
	}
	game.Register(game.Family{
		Name:   "turtle",
		Params: []notation.Param{{Key: "history", Default: "0"}},
		New: func(*notation.Values) (game.Game, error) {
			return hidden{
				board{shape: game.Shape{C: 4, H: 10, W: 5}, players: 2, actions: 51},
			}, nil
		},
	})
}

// A targeted board has auxiliary targets.
type targeted struct{ board }

func (targeted) CellTargets() []game.CellTarget {
	return []game.CellTarget{{Name: "owner", Classes: 2}}
}
func (targeted) SeatTargets() []string { return nil }

// A hidden board offers hidden facts.
type hidden struct{ board }

func (hidden) HiddenFacts() []game.HiddenFact {
	return []game.HiddenFact{{Name: "colour", Kind: "colour", Classes: 2}}
}

// A dicey board has chance and shows its afterstates.
type dicey struct{ board }

func (dicey) HasChance() bool           { return true }
func (dicey) ObservesAfterstates() bool { return true }

// A board is a game that can't be played: it has facts only.
type board struct {
	shape   game.Shape
	players int
	actions int
	support []float32
}

func (b board) Name() string {
	return fmt.Sprintf("go:size=%d,players=%d", b.shape.H, b.players)
}
func (b board) Players() int       { return b.players }
func (b board) Actions() int       { return b.actions }
func (b board) Planes() game.Shape { return b.shape }
func (b board) Support() []float32 { return b.support }
func (b board) NewState() game.State {
	panic("configs does not play games")
}

// TestShare: the nearest limit says how far a run is.
func TestShare(t *testing.T) {
	c := Config{Training: Training{Iterations: 10, Games: 100}}
	for _, x := range []struct {
		minutes              float64
		evaluations          int
		iteration            int
		asked, seconds, want float64
	}{
		{0, 0, 0, 0, 100, 0},
		{0, 0, 3, 500, 100, 0.3},
		{0, 0, 11, 0, 0, 1},
		{10, 0, 3, 0, 60, 0.3},
		{10, 0, 3, 0, 450, 0.75},
		{10, 0, 3, 0, 4500, 1},
		{0, 1000, 3, 800, 4500, 0.8},
		{10, 1000, 3, 200, 240, 0.4},
	} {
		c.Training.Minutes, c.Training.Evaluations = x.minutes, x.evaluations
		if got := c.Share(x.iteration, x.asked, x.seconds); got != x.want {
			t.Errorf("%+v: %g", x, got)
		}
	}
}
