package mcts_test

import (
	"fmt"
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// TestGumbelByHand: one decision among three actions worth 0.5, 0.5 and 0, of priors 0.5, 0.3 and
// 0.2, without noise, two considered. The root's own value is 0.
//
// Considered are 0 and 1. Each has a visit; with equal Q and the third completed with
// v_mix = (0 + 2·0.5)/3 = 1/3, sigma is (50+1)·0.1 for both, and 0 has the greater logit. With
// 6 simulations each has 3 visits in the one phase of two actions.
//
// The improved policy of 6 simulations: v_mix = 6·0.5/7 = 0.428571, so sigma is 5.3, 5.3 and 0,
// and the policy 0.5·e^5.3 : 0.3·e^5.3 : 0.2 = 0.623962 : 0.374377 : 0.001246.
func TestGumbelByHand(t *testing.T) {
	g := &chosen{[]float32{0.5, 0.5, 0}}
	e := &rowOf{
		logits: []float32{float32(math.Log(0.5)), float32(math.Log(0.3)), float32(math.Log(0.2))},
	}
	for simulations, want := range map[int]string{
		1: "[1 0 0]", 2: "[1 1 0]", 3: "[2 1 0]", 6: "[3 3 0]",
	} {
		tree := mcts.NewPUCT(g,
			mcts.PUCT{
				Simulations: simulations,
				Gumbel:      mcts.Gumbel{Considered: 2, VisitOffset: 50, ValueScale: 0.1},
			}, nil)
		tree.SetNoise(false)
		tree.Start(g.NewState())
		search.Run(tree, e)
		c := tree.Children(nil)
		if got := fmt.Sprint([]int{c[0].Visits, c[1].Visits, c[2].Visits}); got != want {
			t.Errorf("%d simulations: visits %s, want %s", simulations, got, want)
		}
		if tree.Best() != 0 {
			t.Errorf("%d simulations: action %d is chosen", simulations, tree.Best())
		}
		if simulations != 6 {
			continue
		}
		sum := 0.8 + 0.2*math.Exp(-5.3)
		for k, want := range []float64{0.5 / sum, 0.3 / sum, 0.2 * math.Exp(-5.3) / sum} {
			if math.Abs(float64(c[k].Improved)-want) > 1e-6 {
				t.Errorf("the improved policy of action %d is %g, want %g", k, c[k].Improved, want)
			}
		}
		value := make([]float32, 1)
		tree.Value(value)
		if want := 0.5*0.8/sum +
			3.0/7*0.2*math.Exp(-5.3)/sum; math.Abs(float64(value[0])-want) > 1e-6 {
			t.Errorf("the root's value is %g, want %g", value[0], want)
		}
	}
}

// TestGumbelNoise: with noise searches with other seeds choose other actions; without, they are
// the same, and draw nothing.
func TestGumbelNoise(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	e := newHashed(g, 0)
	chosen := map[bool]map[game.Action]int{true: {}, false: {}}
	for seed := range uint64(50) {
		for noise := range chosen {
			rng := random.New(seed, random.Test)
			tree := mcts.NewPUCT(g, mcts.PUCT{Simulations: 16, Gumbel: mcts.PublishedGumbel()}, rng)
			tree.SetNoise(noise)
			tree.Start(g.NewState())
			search.Run(tree, e)
			a := tree.Best()
			chosen[noise][a]++
			if b := tree.Choose(1, rng); b != a {
				t.Fatalf("Choose returns %d, Best %d", b, a)
			}
			if !noise && rng.Uint64() != random.New(seed, random.Test).Uint64() {
				t.Fatal("a search without noise draws")
			}
		}
	}
	if len(chosen[true]) < 3 || len(chosen[false]) != 1 {
		t.Errorf("with noise the choices are %v, without %v", chosen[true], chosen[false])
	}
}

// TestGumbelBefore: before its search, a kept root is described as PUCT's is.
func TestGumbelBefore(t *testing.T) {
	g := game.Must(game.New("tictactoe"))
	tree := mcts.NewPUCT(g,
		mcts.PUCT{Simulations: 100, Reuse: true, Gumbel: mcts.PublishedGumbel()},
		random.New(1, random.Test))
	tree.Start(g.NewState())
	search.Run(tree, newHashed(g, 0))
	a := tree.Best()
	line := tree.PrincipalVariation(nil)
	tree.Play(a)
	if best := tree.Best(); best != line[1] {
		t.Errorf("the best is %d, in the principal variation %d", best, line[1])
	}
	for _, c := range tree.Children(nil) {
		if c.Improved != 0 {
			t.Errorf("action %d has the improved policy %g before the search", c.Action, c.Improved)
		}
	}
}

// TestGumbelExtend: a search that is extended goes on with the same actions in rounds of sequential
// halving, so that none falls far behind.
func TestGumbelExtend(t *testing.T) {
	g := game.Must(game.New("go:size=3,players=2,pass=free"))
	e := newHashed(g, 0)
	for _, budget := range []int{8, 0} {
		tree := mcts.NewPUCT(g,
			mcts.PUCT{
				Simulations: budget,
				Gumbel: mcts.Gumbel{
					Considered: 4, VisitOffset: 50, ValueScale: 0.1, Interior: mcts.ByPUCT,
				},
			}, random.New(1, random.Test))
		tree.Start(g.NewState())
		if budget > 0 {
			run(t, tree, e)
		}
		for range 100 {
			if !tree.Extend(8) {
				t.Fatal("it can't be extended")
			}
			run(t, tree, e)
		}
		considered := 0
		for _, c := range tree.Children(nil) {
			if c.Visits > 0 {
				considered++
			}
			if c.Visits > 0 && c.Visits < 100 || c.Visits > 4*100 {
				t.Errorf("action %d has %d visits", c.Action, c.Visits)
			}
		}
		if considered != 4 || visits(tree) != 800+budget {
			t.Errorf("%d actions have %d visits", considered, visits(tree))
		}
	}
}
