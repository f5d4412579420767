//go:build slow

package mcts_test

import (
	"math"
	"testing"

	"tengen/game"
	"tengen/internal/random"
	"tengen/mcts"
	"tengen/search"
)

// TestUCTTable plays 2,000 games of three-player 5×5 Go among UCT players, as Table 3 of the
// multiplayer Go paper does, and compares the mean points of each seat with those of an
// independent implementation: over 7,200 games with utilities in points, as in the paper, and
// over 4,000 with utilities in [0, 1].
func TestUCTTable(t *testing.T) {
	g := game.Must(game.New("go:size=5,players=3"))
	for _, test := range []struct {
		scale float64
		want  [3]float64
	}{
		{game.PointsPerUtility(g), [3]float64{11.0, 7.8, 6.2}},
		{1, [3]float64{9.9, 8.2, 7.0}},
	} {
		const games = 2000
		tree := mcts.NewUCT(g, mcts.UCT{Simulations: 180, C: 0.8, Scale: test.scale}, nil)
		var sum, squares [3]float64
		for i := range uint64(games) {
			rng := random.New(1, random.Test, i)
			tree.SetRand(rng)
			e := search.NewPlayouts(g, rng)
			s := g.NewState()
			for tree.Start(s); s.CurrentPlayer() != game.Nobody; {
				search.Run(tree, e)
				a := tree.Best()
				s.Apply(a)
				tree.Play(a)
			}
			var points [game.MaxPlayers]float32
			game.Scores(s, points[:])
			for p := range sum {
				sum[p] += float64(points[p])
				squares[p] += float64(points[p] * points[p])
			}
		}
		for p := range sum {
			mean := sum[p] / games
			sd := math.Sqrt(squares[p]/games - mean*mean)
			t.Logf("scale %g, seat %d: %.2f ± %.2f points (s %.1f), expected %.1f",
				test.scale, p, mean, 1.96*sd/math.Sqrt(games), sd, test.want[p])
			if math.Abs(mean-test.want[p]) > 0.8 {
				t.Errorf("scale %g, seat %d: %.2f points, not %.1f",
					test.scale, p, mean, test.want[p])
			}
		}
	}
}
