package turtle_test

import (
	"fmt"
	"slices"
	"testing"

	"tengen/game"
	_ "tengen/game/turtle"
	"tengen/internal/random"
)

// The planes of a game with a longer history make the observation of one with a shorter one, or
// with none, after the same actions.
func TestObservedAs(t *testing.T) {
	for _, players := range []int{2, 3} {
		name := func(history int) string {
			return fmt.Sprintf("turtle:players=%d,history=%d", players, history)
		}
		for _, histories := range [][2]int{{1, 0}, {4, 0}, {4, 1}, {4, 3}, {8, 4}, {4, 4}} {
			g, other := game.Must(game.New(name(histories[0]))),
				game.Must(game.New(name(histories[1])))
			planes, ok := game.ObservedAs(g, other)
			if !ok {
				t.Fatalf("%s does not show what %s does", g.Name(), other.Name())
			}
			if histories[0] == histories[1] {
				if planes != nil {
					t.Errorf("%s: some of its own planes: %v", g.Name(), planes)
				}
				continue
			}
			rng := random.New(1, random.Test, uint64(histories[0]), uint64(histories[1]))
			s, o := g.NewState(), other.NewState()
			cells := g.Planes().H * g.Planes().W
			all, want, got := make([]float32, g.Planes().Size()),
				make([]float32, other.Planes().Size()), []float32(nil)
			for range 80 {
				s.Observation(all)
				o.Observation(want)
				got = got[:0]
				for _, p := range planes {
					got = append(got, all[p*cells:(p+1)*cells]...)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s: another observation than of %s", g.Name(), other.Name())
				}
				var a game.Action
				if s.CurrentPlayer() == game.Nobody {
					break
				} else if s.CurrentPlayer() == game.Chance {
					a = s.(game.Chancer).Sample(rng)
				} else {
					legal := s.LegalActions(nil)
					a = legal[rng.IntN(len(legal))]
				}
				s.Apply(a)
				o.Apply(a)
			}
		}
	}
	g := game.Must(game.New("turtle:history=2"))
	for _, other := range []string{
		"turtle:history=3", "turtle:history=2,squares=9", "turtle:squares=9", "turtle:players=3",
	} {
		if _, ok := game.ObservedAs(g, game.Must(game.New(other))); ok {
			t.Errorf("%s shows what %s does", g.Name(), other)
		}
	}
}
