package ismcts_test

import (
	"fmt"
	"testing"

	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
)

// TestGrowing: a tree that grows is the one that has all its memory at once, and has less memory
// while it is small.
func TestGrowing(t *testing.T) {
	for k, g := range keptGames() {
		for _, o := range []mcts.PUCT{
			{Simulations: 400, C: 0.8, Noise: 0.25},
			{Simulations: 400, C: 0.8, BatchSize: 3, VirtualLoss: 0.5,
				FinalSelection: mcts.LowerBound(mcts.DefaultZ, mcts.DefaultFraction)},
			{Simulations: 400, C: 0.8, MaxNodes: 100},
			{Simulations: 400, C: 0.8, Gumbel: mcts.PublishedGumbel()},
		} {
			for kind := range 4 { // PUCT and UCT, of one observer and of all
				observers := ismcts.SingleObserver
				if kind&2 != 0 {
					observers = ismcts.MultipleObservers
				}
				var dumps, stats [2]string
				var bytes [2]int
				for i, growing := range []bool{false, true} {
					o.Growing = growing
					rng := random.New(uint64(k), random.Test)
					var tree *ismcts.Tree
					if kind&1 != 0 {
						tree = ismcts.NewUCT(g,
							mcts.UCT{
								Simulations: o.Simulations, C: o.C, MaxNodes: o.MaxNodes,
								Growing: growing, FinalSelection: o.FinalSelection,
							}, observers, rng)
					} else {
						tree = ismcts.NewPUCT(g, o, observers, rng)
					}
					tree.Keep()
					bytes[i] = tree.Stats().Bytes
					moves := random.New(uint64(k), random.Test, 1)
					s := started(g, moves)
					for going := true; going; {
						tree.Follow(s)
						searched(t, tree, g)
						dumps[i] += tree.Dump()
						s1 := tree.Stats()
						s1.Bytes = 0
						stats[i] += fmt.Sprintf("%+v\n", s1)
						going = advance(s, tree.Best(), moves)
					}
				}
				if dumps[0] != dumps[1] || stats[0] != stats[1] {
					t.Fatalf("%s, kind %d, %+v: another tree:\n%s\nwant\n%s",
						g.Name(), kind, o, stats[1], stats[0])
				}
				if most := bytes[0] / 2; o.MaxNodes == 0 && bytes[1] > most {
					t.Errorf("%s, kind %d, %+v: %d bytes to begin with, at most %d are wanted",
						g.Name(), kind, o, bytes[1], most)
				}
			}
		}
	}
}
