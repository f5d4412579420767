package ismcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/mcts/ismcts"
	"tengen/search"
)

// TestPlayouts: with the whole weight on the playouts, values are results of the determinizations
// at hand, and with none of them those of the evaluator.
func TestPlayouts(t *testing.T) {
	for _, name := range []string{"turtle", "turtle:players=3"} {
		g := game.Must(game.New(name))
		s := g.NewState()
		rng := random.New(3, random.Test)
		for s.CurrentPlayer() < 0 {
			s.Apply(s.(game.Chancer).Sample(rng))
		}
		value := func(n int, weight float64) (value [2]float64) {
			tree := ismcts.NewPUCT(g, mcts.PUCT{Simulations: 4000, C: 0.8, BatchSize: 3},
				ismcts.SingleObserver, random.New(5, random.Test))
			tree.SetPlayouts(search.NewPlayouts(g, random.New(6, random.Test)), n, weight)
			tree.Start(s)
			if err := search.Run(tree, search.NewConstant(g, 0.5)); err != nil {
				t.Fatal(err)
			}
			for _, c := range tree.Children(nil) {
				for p := range value {
					value[p] += float64(c.Visits) * float64(c.Value[p]) / 4000
				}
			}
			return value
		}
		none, half, all := value(0, 0), value(2, 0.5), value(2, 1)
		if none == half || half == all {
			t.Errorf("%s: values %v without playouts, %v with half of the weight, %v with all",
				name, none, half, all)
		}
		for p := range half {
			if math.Abs(all[p]-0.5) < math.Abs(half[p]-0.5) {
				t.Errorf(
					"%s: value %.3f with half of the weight, %.3f with all; the evaluator's is 0.5",
					name, half[p], all[p])
			}
		}
	}
}
