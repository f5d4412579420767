package mcts_test

import (
	"fmt"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
)

// TestGrowing: a tree that grows is the one that has all its memory at once, move after move, and
// has less memory while it is small.
func TestGrowing(t *testing.T) {
	gumbel := mcts.PublishedGumbel()
	for k, g := range []game.Game{
		game.Must(game.New("go:size=3,players=3")), &maze{
			players: 2, actions: 7, chance: true, seed: 3,
		},
	} {
		for _, o := range []mcts.PUCT{
			{Simulations: 300, C: 0.8, Reuse: true, Noise: 0.25},
			{Simulations: 300, C: 0.8, Reuse: true, BatchSize: 8, VirtualLoss: 0.5,
				FinalSelection: mcts.LowerBound(5, 0.15), FPU: mcts.ParentReduction(0.1)},
			{Simulations: 300, C: 0.8, Reuse: true, MaxNodes: 200, BatchSize: 3},
			{Simulations: 300, C: 0.8, MaxNodes: 40},
			{Simulations: 300, C: 0.8, Gumbel: gumbel},
		} {
			for _, uct := range []bool{false, true} {
				whole := o
				growing := o
				growing.Growing = true
				trees := make([]*mcts.Tree, 2)
				for i, o := range []mcts.PUCT{whole, growing} {
					rng := random.New(uint64(k), random.Test)
					if uct {
						trees[i] = mcts.NewUCT(g,
							mcts.UCT{
								Simulations: o.Simulations, C: o.C, MaxNodes: o.MaxNodes,
								Growing: o.Growing, Reuse: o.Reuse,
								FinalSelection: o.FinalSelection,
							}, rng)
					} else {
						trees[i] = mcts.NewPUCT(g, o, rng)
					}
					trees[i].Start(g.NewState())
				}
				what := fmt.Sprintf("%s, UCT %v, %+v", g.Name(), uct, o)
				if w, s := trees[0].Stats().Bytes,
					trees[1].Stats().Bytes; o.MaxNodes == 0 && s > w/4 {
					t.Errorf("%s: %d bytes to begin with, %d without growing", what, s, w)
				}
				s := g.NewState()
				for ply := 0; ply < 4 && s.CurrentPlayer() != game.Nobody; ply++ {
					for _, tree := range trees {
						run(t, tree, newHashed(g, 0))
					}
					if ply == 2 && o.Gumbel.Considered == 0 { // beyond the budget
						for _, tree := range trees {
							tree.Extend(500)
							run(t, tree, newHashed(g, 0))
							tree.Grow(1 << 30)
							tree.Extend(100)
							run(t, tree, newHashed(g, 0))
						}
					}
					w, s1 := trees[0].Stats(), trees[1].Stats()
					if s1.Bytes > w.Bytes {
						t.Errorf("%s: ply %d: %d bytes, %d without growing",
							what, ply, s1.Bytes, w.Bytes)
					}
					s1.Bytes = w.Bytes
					if w != s1 || trees[0].Dump(game.NoAction) != trees[1].Dump(game.NoAction) {
						t.Fatalf("%s: ply %d: another tree: %+v, want %+v", what, ply, s1, w)
					}
					if err := trees[1].Check(); err != nil {
						t.Errorf("%s: ply %d: %v", what, ply, err)
					}
					a := trees[0].Best()
					s.Apply(a)
					for _, tree := range trees {
						tree.Play(a)
					}
					for s.CurrentPlayer() == game.Chance {
						a := s.(game.Chancer).Sample(random.New(uint64(ply), random.Test))
						s.Apply(a)
						for _, tree := range trees {
							tree.Play(a)
						}
					}
				}
			}
		}
	}
}
