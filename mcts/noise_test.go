package mcts_test

import (
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// TestRootNoise: noise changes the search, Children has the priors without noise, also at a
// kept root, and SetNoise turns it off.
func TestRootNoise(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	e := newHashed(g, 0)
	grow := func(weight float64, on bool, seed uint64) (first, second []search.Child) {
		tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 100, C: 0.8, Reuse: true, Noise: weight},
			random.New(seed, random.Test))
		tree.SetNoise(on)
		tree.Start(g.NewState())
		search.Run(tree, e)
		first = tree.Children(nil)
		tree.Play(3)
		search.Run(tree, e)
		return first, tree.Children(nil)
	}
	plain1, plain2 := grow(0, true, 1)
	off1, off2 := grow(0.5, false, 1)
	changed1, changed2 := 0, 0
	for seed := range uint64(20) {
		noisy1, noisy2 := grow(0.5, true, seed)
		for i := range plain1 {
			if noisy1[i].Prior != plain1[i].Prior {
				t.Fatalf("action %d has prior %g with noise, %g without",
					i, noisy1[i].Prior, plain1[i].Prior)
			}
			if noisy1[i].Visits != plain1[i].Visits {
				changed1++
			}
			if off1[i] != plain1[i] {
				t.Errorf("action %d: noise that is off changes %+v to %+v", i, plain1[i], off1[i])
			}
		}
		for i := range plain2 {
			if noisy2[i].Prior != plain2[i].Prior {
				t.Fatalf("after a move, action %d has prior %g with noise, %g without",
					i, noisy2[i].Prior, plain2[i].Prior)
			}
			if noisy2[i].Visits != plain2[i].Visits {
				changed2++
			}
			if off2[i] != plain2[i] {
				t.Errorf("after a move, action %d: noise that is off changes %+v to %+v",
					i, plain2[i], off2[i])
			}
		}
	}
	if changed1 < 60 || changed2 < 60 {
		t.Errorf("noise changed the visits of %d and %d of 180 and 160 actions", changed1, changed2)
	}
}
