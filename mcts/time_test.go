package mcts

import (
	"testing"
	"time"

	"tengen/game"
	_ "tengen/game/mnk"
	"tengen/internal/random"
	"tengen/search"
)

// TestTime: a search ends after its time, but at least one simulation, or after its
// simulations, whichever comes first; the next search has its own time.
func TestTime(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	for _, test := range []struct {
		limit, tick       time.Duration
		simulations, want int
	}{
		{time.Second, 0, 50, 50},
		{time.Second, 100 * time.Millisecond, 50, 10},
		{time.Second, 2 * time.Second, 50, 1},
		{time.Second, 100 * time.Millisecond, 3, 3},
		{0, time.Hour, 7, 7},
	} {
		for name, tree := range map[string]*Tree{
			"uct": NewUCT(g, UCT{Simulations: test.simulations, C: 0.8},
				random.New(1, random.Test)),
			"puct": NewPUCT(g, PUCT{Simulations: test.simulations, C: 0.8},
				random.New(1, random.Test)),
			"gumbel": NewPUCT(g, PUCT{Simulations: test.simulations, Gumbel: PublishedGumbel()},
				random.New(1, random.Test)),
		} {
			now := time.Unix(1000, 0)
			tree.loop.Now = func() time.Time {
				now = now.Add(test.tick)
				return now
			}
			tree.SetTime(test.limit)
			for range 2 {
				tree.Start(g.NewState())
				search.Run(tree, search.NewConstant(g, 0.5))
				if got := tree.Stats().Simulations; got != test.want {
					t.Errorf(
						"%s, %v at %v a reading, %d simulations at most: %d were made, want %d",
						name, test.limit, test.tick, test.simulations, got, test.want)
				}
				if !tree.Advance(nil) {
					t.Errorf("%s: a search that is over goes on", name)
				}
			}
		}
	}
}
