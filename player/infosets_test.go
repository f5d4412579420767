package player

import (
	"math/rand/v2"
	"slices"
	"testing"

	"tengen/game"
	"tengen/internal/stream"
	"tengen/search"
)

// UCT of a game with hidden information searches by information sets, with the
// rollouts asked for, and tells what it thought.
func TestUCTWithHiddenInformation(t *testing.T) {
	g := game.Must(game.New("turtle"))
	rollouts := 0
	q, err := game.StrategyOf(g, "hybrid")
	if err != nil {
		t.Fatal(err)
	}
	q.Rollout = nil
	choose := q.Choose
	q.Choose = func(s game.State, rng *rand.Rand) game.Action { rollouts++; return choose(s, rng) }
	p := UCT{Simulations: 60, C: 0.8, Utility: Unit, Rollout: &q, Epsilon: 0.5}
	s := dealt(g, 5)
	seat := p.NewSeat(g)
	seat.Begin(stream.New(1, stream.Test))
	a := Decide(seat, s, search.NewConstant(g, 0))
	v := seat.(Viewer).View()
	visits := 0
	var actions []game.Action
	for _, m := range v.Moves {
		visits += m.Visits
		actions = append(actions, m.Action)
	}
	if !slices.Equal(actions, s.Legal(nil)) || visits != 60 || !slices.Equal(v.Line, []game.Action{a}) || v.Full {
		t.Errorf("the view is %+v, the decision %d", v, a)
	}
	if sum := v.Value[0] + v.Value[1]; sum < 0.999 || sum > 1.001 {
		t.Errorf("two players share one win; they are given %v", v.Value)
	}
	if rollouts < 60 {
		t.Errorf("the strategy chooses %d times in 60 rollouts", rollouts)
	}
}
