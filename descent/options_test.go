package descent_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tengen/descent"
	"tengen/game"
)

// dice is a maze with chance, hidden a maze with hidden information; bare has neither a score
// nor a ply limit, and odd has a score of empty range.
type (
	dice   struct{ maze }
	hidden struct{ maze }
	bare   struct{ game.Game }
	odd    struct{ maze }
)

func (*dice) HasChance() bool            { return true }
func (*dice) Name() string               { return "dice" }
func (*hidden) Name() string             { return "hidden" }
func (g *hidden) NewState() game.State   { return &hiddenState{mazeState{g: &g.maze}} }
func (bare) Name() string                { return "bare" }
func (bare) NewState() game.State        { return struct{ game.State }{} }
func (*odd) Name() string                { return "odd" }
func (*odd) ScoreBounds() (l, h float64) { return 2, 2 }

type hiddenState struct{ mazeState }

func (*hiddenState) Determinize(*rand.Rand, game.Player)    {}
func (*hiddenState) InformationStateKey(game.Player) uint64 { return 0 }

func TestCheck(t *testing.T) {
	plain := maze{players: 2, actions: 3, levels: 4, skip: 1, steps: 1}
	budget := descent.Options{Iterations: 1}
	with := func(change func(*descent.Options)) descent.Options {
		o := budget
		change(&o)
		return o
	}
	for _, test := range []struct {
		g    game.Game
		o    descent.Options
		want string // in the error, all of these; none where there is to be none
	}{
		{&plain, budget, ""},
		{&plain, descent.Options{Time: time.Second}, ""},
		{
			&plain, with(func(o *descent.Options) {
				o.Terminal = descent.Terminal{Result: true, Score: true, Depth: true}
			}), "",
		},
		{bare{&plain}, budget, ""},
		{&dice{plain}, budget, "dice chance"},
		{&hidden{plain}, budget, "hidden information"},
		{bare{&plain}, with(func(o *descent.Options) { o.Terminal.Score = true }),
			"bare game.Scored score"},
		{bare{&plain}, with(func(o *descent.Options) { o.Terminal.Depth = true }),
			"bare game.Limited result+depth"},
		{&odd{plain}, with(func(o *descent.Options) { o.Terminal.Score = true }),
			"odd scores from 2 to 2"},
		{&plain, descent.Options{}, "budget"},
		{&plain, descent.Options{Iterations: -1}, "iterations is -1"},
		{&plain, descent.Options{Iterations: 1 << 30}, "iterations is 1073741824"},
		{&plain, descent.Options{Time: -time.Second}, "time is -1s"},
		{&plain, with(func(o *descent.Options) { o.MaxNodes = -1 }), "max nodes is -1"},
		{&plain, with(func(o *descent.Options) { o.MaxNodes = 1 << 30 }),
			"max nodes is 1073741824"},
	} {
		err := descent.Check(test.g, test.o)
		if (err == nil) != (test.want == "") {
			t.Errorf("%s, %+v: the error is %v", test.g.Name(), test.o, err)
			continue
		}
		if err == nil {
			descent.New(test.g, test.o, nil)
			continue
		}
		for _, part := range strings.Fields(test.want) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s, %+v: the error is %q, in which %q is missing",
					test.g.Name(), test.o, err, part)
			}
		}
		if !panics(func() { descent.New(test.g, test.o, nil) }) {
			t.Errorf("%s, %+v: New does not panic", test.g.Name(), test.o)
		}
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}
